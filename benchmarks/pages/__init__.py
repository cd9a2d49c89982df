"""Figures of the documentation: one module for each, run by `python -m benchmarks.pages NAME`.

All modules have the same functions.

add_arguments(parser)
    Add the options of the measurement.
measure(asked)
    Yield records of figures. Each has "data", and "kind" where a page has several kinds. Missing
    where a page is written from results that are measured elsewhere or not measured any more.
page(records)
    Yield the tables and pictures made of the records.

Records are kept in `benchmarks/results/NAME.json` unless the module sets KEPT = False; a record
replaces the one of the same kind and data.
"""

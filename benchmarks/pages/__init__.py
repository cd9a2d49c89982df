"""Figures of the documentation: one module for each, run by `python -m benchmarks.pages NAME`.

All modules have the same functions.

add_arguments(parser)
    Add the options of the measurement.
measure(asked)
    Yield records of figures. Each has "data", and "kind" if a page has several kinds. Missing if a
    page is written from results that are measured elsewhere or no longer measured.
page(records)
    Yield the tables and plots made from the records.

Records are kept in `benchmarks/results/NAME.json` unless the module sets KEPT = False; a record
replaces the one of the same kind and data.
"""

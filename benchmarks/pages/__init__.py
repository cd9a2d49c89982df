"""Figures of the documentation: one module for each, run by `python -m benchmarks.pages NAME`.

All modules have the same functions.

add_arguments(parser)
    Add the options of the measurement.
measure(asked)
    Yield records of figures. Each has "data", and "kind" if a page has several kinds. Missing if a
    page is written from results that are measured elsewhere or no longer measured.
page(records)
    Yield the tables, plots and numbers in running text made from the records.

Records are kept in `benchmarks/results/NAME.json`; a record replaces the one of the same kind and
data. `benchmarks.figures` measures all pages with what their modules say.

RUNS
    Arguments of each run of the measurement, by name. DATA is replaced by the folder of data sets.
    Missing if there is one run without arguments, or if a page is not measured again.
MINUTES, MINUTES_FROM
    Minutes of each run, used until one is recorded, and where they come from; a guess by default.
NEEDS
    What a run needs beside its data sets, of `benchmarks.figures.needs`.

    MINUTES, MINUTES_FROM and NEEDS are one value for all runs, or one for each.
COMMAND, FILES
    The module that measures and the results file of each run, if they are not `benchmarks.pages`
    and NAME.json.
"""

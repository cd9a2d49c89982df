"""All figures of the documentation, measured by one command at one commit.

    python -m benchmarks.figures plan --data DATA           # the parts, and how long each takes
    python -m benchmarks.figures run --data DATA            # measure what is not yet of this commit
    python -m benchmarks.figures run --data DATA trees "plans tib-gnd"
    python -m benchmarks.figures run --data DATA --without rivals cluster torch
    python -m benchmarks.figures status --data DATA
    python -m benchmarks.figures write                      # the pages, from the results
    python -m benchmarks.figures check                      # that pages and results agree

DATA is a folder of data sets, each a folder with X.trn.npz, Y.trn.npz, X.tst.npz and Y.tst.npz.

A part is one run of a page, see `benchmarks.pages`. `run` measures a clone of the commit in
build/figures, so that the working tree may change in the meantime. Results are kept after each
part: run the command again to continue.

Several runs at the same time share the parts. On a machine with two cores, one run for each core
measures everything that needs one core in half of the time:

    taskset -c 0 python -m benchmarks.figures run --data DATA &
    taskset -c 1 python -m benchmarks.figures run --data DATA
"""

"""Online learning compared with Vowpal Wabbit's --plt and with a batch fit, on one thread.

    python -m benchmarks.pages online --data DATA/eurlex-4k DATA/yso-finna-en changelogs
    python -m benchmarks.pages online --new-labels DATA/tib-gnd
    python -m benchmarks.pages online --new-rows DATA/eurlex-4k DATA/tib-gnd --finish DATA/eurlex-4k

Rows arrive in random order, those of `changelogs` (Debian's, from the local machine) by date. Each
row is predicted before the model learns from it; test rows are predicted at the end. `--new-labels`
adds 10,000 labels to a trained model; `--new-rows` continues from a trained model in several ways,
and `--finish` fits an online model again.
"""

from benchmarks.pages.online.measure import add_arguments, measure
from benchmarks.pages.online.tables import page

__all__ = ["add_arguments", "measure", "page"]

RUNS = {
    "stream eurlex-4k": "--data DATA/eurlex-4k",
    "stream changelogs": "--data changelogs",
    "stream yso-finna-en": "--data DATA/yso-finna-en --rows 200000",
    "new labels": "--new-labels DATA/tib-gnd",
    "new rows": "--new-rows DATA/eurlex-4k DATA/tib-gnd --finish DATA/eurlex-4k",
}
MINUTES = {
    "stream eurlex-4k": 1.3,
    "stream changelogs": 0.4,
    "stream yso-finna-en": 2.2,
    "new labels": 0.8,
    "new rows": 0.8,
}
MINUTES_FROM = dict.fromkeys(RUNS, "CPU times in results")
MINUTES_FROM |= dict.fromkeys(("new rows",), "CPU time, measured once")
NEEDS = {run: ("rivals",) if "stream" in run else () for run in RUNS}
NEEDS["stream changelogs"] += ("changelogs",)

"""What trees cost and how accurate they are, against the bounds of the paper, on one thread.

    python -m benchmarks.pages cost_and_accuracy DATA/eurlex-4k DATA/tib-gnd --parts costs
    python -m benchmarks.pages cost_and_accuracy DATA/eurlex-4k    # all parts

costs: training cost of each tree and the lower bound, on all training rows.
models: accuracy on rows held back from training, training time, size, prediction cost.
known: errors, regret and prediction cost where the probabilities are known.
strengths: errors of some trees with several values of C, where the probabilities are known.
gap: where the lower bound of pairs loses.
"""

from benchmarks.pages.cost_and_accuracy.measure import add_arguments, measure
from benchmarks.pages.cost_and_accuracy.tables import page

__all__ = ["add_arguments", "measure", "page"]

DATA_SETS = (
    "mediamill",
    "delicious",
    "eurlex-4k",
    "wordnet-hypernyms",
    "commits-wine",
    "tib-gnd",
    "yso-finna-en",
    "debian-files",
)
#: Parts that run on some of the data sets only.
STRENGTHS = ("eurlex-4k", "commits-wine", "debian-files")
GAPS = DATA_SETS[:3]


def _parts(name: str) -> str:
    more = {"strengths": name in STRENGTHS, "gap": name in GAPS}
    return " ".join(
        ["costs", "models", "known", *(part for part, is_run in more.items() if is_run)]
    )


RUNS = {name: f"DATA/{name} --parts {_parts(name)}" for name in DATA_SETS}
MINUTES = {
    "mediamill": 0.4,
    "delicious": 0.5,
    "eurlex-4k": 1.5,
    "wordnet-hypernyms": 1.2,
    "commits-wine": 2.6,
    "tib-gnd": 3,
    "yso-finna-en": 2.9,
    "debian-files": 1.1,
}
MINUTES_FROM = dict.fromkeys(RUNS, "CPU times in results")
MINUTES_FROM["wordnet-hypernyms"] = "CPU time, measured once"

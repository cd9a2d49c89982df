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
RUNS = {
    f"{part} {name}": f"DATA/{name} --parts {part}"
    for part, names in (
        ("costs", DATA_SETS),
        ("models", DATA_SETS),
        ("known", DATA_SETS),
        ("strengths", ("eurlex-4k", "commits-wine", "debian-files")),
        ("gap", DATA_SETS[:3]),
    )
    for name in names
}
MINUTES = 5

"""What trees cost and how accurate they are, against the bounds of the paper, on one thread.

    python -m benchmarks.pages cost_and_accuracy DATA/eurlex-4k DATA/tib-gnd --parts costs
    python -m benchmarks.pages cost_and_accuracy DATA/eurlex-4k    # all parts

costs: training cost of each tree and the lower bound, on all training rows.
models: accuracy on rows held back from training, training time, size, prediction cost.
known: errors, regret and prediction cost where the probabilities are known.
gap: where the lower bound of pairs loses.
"""

from benchmarks.pages.cost_and_accuracy.measure import add_arguments, measure
from benchmarks.pages.cost_and_accuracy.tables import page

__all__ = ["add_arguments", "measure", "page"]

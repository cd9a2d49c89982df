"""Metrics for sparse labels and rankings; nothing is converted to a dense array.

True labels are accepted in any form that `labeltree.data.as_labels` accepts. Integers in lists are
label numbers. For labels by name, pass `as_labels(Y, names=...)` with the names in the order of the
label numbers.
"""

from labeltree.metrics.at_k import coverage_at_k, ndcg_at_k, precision_at_k, recall_at_k
from labeltree.metrics.probabilities import brier_at_k, ece_at_k, log_loss, log_loss_at_k
from labeltree.metrics.propensity import propensities, psndcg_at_k, psp_at_k
from labeltree.metrics.ranked_hits import top_labels
from labeltree.metrics.report import evaluate
from labeltree.metrics.scorers import precision_scorer
from labeltree.metrics.sets import macro_f1, micro_f1

__all__ = [
    "brier_at_k",
    "coverage_at_k",
    "ece_at_k",
    "evaluate",
    "log_loss",
    "log_loss_at_k",
    "macro_f1",
    "micro_f1",
    "ndcg_at_k",
    "precision_at_k",
    "precision_scorer",
    "propensities",
    "psndcg_at_k",
    "psp_at_k",
    "recall_at_k",
    "top_labels",
]

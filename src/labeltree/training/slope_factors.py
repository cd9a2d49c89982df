"""Factors of the slope of node links, for nodes with few positive rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labeltree.training.forest import Sample
from labeltree.training.loss_weights import NodeCounts
from labeltree.training.starting_weights import NO_WARM_START, WarmStart
from labeltree.trees import LabelTree

#: Exponent of the inverse propensity; docs/explanation/study-links.md explains the value.
POWER = 0.15
_A, _B = 0.55, 1.5  # of the propensity model, see labeltree.metrics.propensities


def slope_factors(
    trees: Sequence[LabelTree],
    samples: Sequence[Sample],
    warm_start: Sequence[WarmStart] = (),
    n_positive: Sequence[NDArray[np.int64]] = (),
) -> list[NDArray[np.float32]]:
    """Return the factor of each node, [tree][node].

    Regularization keeps the scores of a node with few positive rows near -1, the more so for rows
    that it was not trained on. Its link is therefore steeper. After a warm start, no factor is
    larger than before: the rows before count, too. `n_positive` is the number of rows of each node,
    [tree][node], if it is known.
    """
    starts = warm_start or [NO_WARM_START] * len(trees)
    known: Sequence[NDArray[np.int64] | None] = n_positive or [None] * len(trees)
    factors = []
    for tree, sample, before, positive in zip(trees, samples, starts, known, strict=True):
        if positive is None or sample.weight is not None:
            nodes = NodeCounts.of(tree, sample.rows, sample.weight)
        else:
            nodes = NodeCounts.of_rows(tree, sample.rows, positive)
        made = factors_of(nodes.positive, before.rows_before + float(nodes.reaching[0]))
        factors.append(made if before.factors is None else np.minimum(made, before.factors))
    return factors


def inverse_propensities(n_positive: NDArray[np.float64], n_rows: float) -> NDArray[np.float64]:
    """Return 1/p of labels or nodes with these numbers of positive rows."""
    scale = max(np.log(n_rows) - 1, 0.0) * (_B + 1) ** _A
    return np.asarray(1 + scale * (n_positive + _B) ** -_A)


def factors_of(n_positive: NDArray[np.float64], n_rows: float) -> NDArray[np.float32]:
    """Return the inverse propensity of nodes with these numbers of positive rows, to a power.

    Examples
    --------
    >>> [f"{factor:.2f}" for factor in factors_of(np.array([1.0, 100.0, 10000.0]), 10000)]
    ['1.40', '1.12', '1.01']
    """
    return np.asarray(inverse_propensities(n_positive, n_rows) ** POWER, np.float32)

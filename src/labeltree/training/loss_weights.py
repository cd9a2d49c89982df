"""Weights of the loss in each node, for its positive and for its negative rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.trees import LabelTree

#: Nodes with at most this many positive rows use the full C.
FULL_C_ROWS = 10
#: Exponents for positive and for negative rows; docs/explanation/study-solver.md explains them.
C_DECAY = (0.08, 0.15)
C_DECAY_ONE_EACH = (0.0, 0.25)  # if every row has exactly one label
#: The same C in all nodes.
NO_DECAY = (0.0, 0.0)


class LossWeights(NamedTuple):
    """Factors of the loss of each node."""

    positive: NDArray[np.float32]
    negative: NDArray[np.float32]


class NodeCounts(NamedTuple):
    """Number of rows of each node, weighted by sample weight."""

    positive: NDArray[np.float64]
    reaching: NDArray[np.float64]  # positive and negative rows
    one_each: bool  # every row has exactly one label

    @classmethod
    def of(
        cls, tree: LabelTree, rows: LabelRows, row_weight: NDArray[np.float32] | None
    ) -> NodeCounts:
        """Count the rows of each node as in Algorithm 1."""
        arrays = tree._native, rows.indptr, rows.indices
        if row_weight is None:
            return cls.of_rows(tree, rows, _core.node_weights(*arrays))
        every = float(row_weight.sum(dtype=np.float64))
        return cls._of(tree, rows, _core.node_weights(*arrays, row_weight), every)

    @classmethod
    def of_rows(cls, tree: LabelTree, rows: LabelRows, positive: NDArray[np.int64]) -> NodeCounts:
        """Return the counts of rows that all weigh 1, given the positive rows of each node."""
        return cls._of(tree, rows, positive.astype(np.float64), float(rows.n_rows))

    @classmethod
    def _of(
        cls, tree: LabelTree, rows: LabelRows, positive: NDArray[np.float64], every: float
    ) -> NodeCounts:
        reaching = np.append(positive, every)[tree.parent]  # the root has the parent -1
        return cls(positive, reaching, bool((np.diff(rows.indptr) == 1).all()))


def decayed_weights(
    nodes: NodeCounts, C: tuple[float, float], C_decay: tuple[float, ...] | None
) -> LossWeights:
    """Return weights that decrease with the number n of positive rows of a node.

    The weight is C (10 / n)^p if n is greater than 10, and C otherwise. C and the exponent p are
    pairs: one value for positive rows and one for negative rows. If `C_decay` is None, the
    exponents are the defaults.

    Examples
    --------
    >>> nodes = NodeCounts(np.array([40.0, 5.0]), reaching=np.array([45.0, 45.0]), one_each=True)
    >>> decayed_weights(nodes, (1.0, 1.0), (0.0, 0.5)).negative.tolist()
    [0.5, 1.0]
    """
    powers = C_decay or (C_DECAY_ONE_EACH if nodes.one_each else C_DECAY)
    share = FULL_C_ROWS / np.maximum(nodes.positive, FULL_C_ROWS)
    weights = (c * share**power for c, power in zip(C, powers, strict=True))
    return LossWeights(*(weight.astype(np.float32) for weight in weights))


def balanced_weights(nodes: NodeCounts, C: float) -> LossWeights:
    """Return weights that give the positive and the negative rows of a node the same total.

    The sum of both is the same as with a weight of C for every row.

    Examples
    --------
    >>> nodes = NodeCounts(np.array([3.0, 1.0]), reaching=np.array([4.0, 4.0]), one_each=True)
    >>> balanced_weights(nodes, 3.0).positive.tolist()
    [2.0, 6.0]
    """
    both = (nodes.positive, nodes.reaching - nodes.positive)
    is_mixed = np.minimum(*both) > 0
    factors = (
        np.divide(nodes.reaching, 2 * rows, out=np.ones_like(rows), where=is_mixed) for rows in both
    )
    return LossWeights(*((C * factor).astype(np.float32) for factor in factors))

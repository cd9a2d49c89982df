"""The training cost of a tree: node assignment, Hamming weights and c(T, Y) as in the paper.

Every function accepts Y in any form that `labeltree.data.as_labels` accepts.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree import _core
from labeltree.arguments import checked
from labeltree.data import as_labels
from labeltree.trees import LabelTree


@checked
def assign(tree: LabelTree, labels: Iterable[int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the positive and the negative nodes of one row (Algorithm 1), in ascending order.

    The time is proportional to the number of nodes returned, in addition to sorting them.

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2, [3, 4, 5]])
    >>> assign(tree, [1])
    (array([0, 1, 5], dtype=int32), array([2, 3, 4], dtype=int32))
    >>> assign(tree, [])
    (array([], dtype=int32), array([0], dtype=int32))
    """
    row = as_labels([set(labels)], n_labels=tree.n_labels)
    return _core.assign(tree._native, row.indices)


@checked
def node_weights(tree: LabelTree, Y: object) -> NDArray[np.int64]:
    """Return the Hamming weight of each node: the number of rows with a label under it.

    The time is proportional to the number of positive (row, node) pairs.

    Examples
    --------
    >>> node_weights(LabelTree.from_nested([[0, 1], 2]), [[0], [0, 1], [2], []]).tolist()
    [3, 2, 1, 2, 1]
    """
    rows = tree.label_rows(Y)
    return _core.node_weights(tree._native, rows.indptr, rows.indices)


@checked
def row_costs(tree: LabelTree, Y: object) -> NDArray[np.int64]:
    """Return c(T, y) of each row: the number of nodes that it trains.

    Examples
    --------
    >>> row_costs(LabelTree.from_nested([[0, 1], 2]), [[0], [0, 1], [2], []]).tolist()
    [5, 5, 3, 1]
    """
    rows = tree.label_rows(Y)
    return _core.row_costs(tree._native, rows.indptr, rows.indices)


@checked
def training_cost(tree: LabelTree, Y: object) -> int:
    """Return c(T, Y), the number of (row, node) pairs used in training.

    It equals n plus the sum over nodes of Hamming weight times degree.

    Examples
    --------
    >>> training_cost(LabelTree.from_nested([[0, 1], 2]), [[0], [0, 1], [2], []])
    14
    """
    rows = tree.label_rows(Y)
    return cost_of_weights(tree, rows.n_rows, node_weights(tree, rows))


def cost_of_weights(tree: LabelTree, n_rows: int, weights: NDArray[np.int64]) -> int:
    """Return c(T, Y), given the number of rows and the Hamming weight of each node."""
    return n_rows + int(weights @ tree.degree.astype(np.int64))


@checked
def expected_cost(tree: LabelTree, Y: object, probabilities: ArrayLike) -> float:
    """Return C_P(T), the expected cost of a row drawn from a distribution over label sets.

    Parameters
    ----------
    tree
        The tree.
    Y
        The label sets of the distribution.
    probabilities
        Probability of each set. Probabilities must sum to 1.

    Examples
    --------
    >>> expected_cost(LabelTree.from_nested([[0, 1], 2]), [[0], [2]], [0.25, 0.75])
    3.5
    """
    costs = row_costs(tree, Y)
    weights = np.asarray(probabilities, dtype=np.float64)
    if weights.shape != costs.shape:
        raise ValueError(
            f"every label set must have a probability, but there are {len(costs)} sets and the "
            f"shape of probabilities is {weights.shape}"
        )
    if not (weights >= 0).all() or not np.isclose(weights.sum(), 1.0):
        raise ValueError(
            "probabilities must not be negative and must sum to 1, but the smallest is "
            f"{weights.min(initial=np.inf):g} and the sum {weights.sum():g}"
        )
    return float(weights @ costs)


@checked
def leaf_costs(tree: LabelTree) -> NDArray[np.int64]:
    """Return D_j of each label, the sum of the degrees of its leaf's proper ancestors.

    A row with the single label j costs 1 + D_j.

    Examples
    --------
    >>> leaf_costs(LabelTree.from_nested([[0, 1], 2])).tolist()
    [4, 4, 2]
    """
    return _core.leaf_costs(tree._native)

"""Lowering the cost of any tree: optimal collapse and reinsertion sweeps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.arguments import checked
from labeltree.data import LabelRows
from labeltree.trees.cost_model import PAPER, CostModel
from labeltree.trees.tree import LabelTree


@checked
def collapse(tree: LabelTree, Y: object, *, cost_model: CostModel = PAPER) -> LabelTree:
    """Return the cheapest tree that can be obtained by removing inner nodes.

    The children of a removed node are attached to its nearest remaining ancestor. The result is
    optimal. Takes O(N log N) time for N nodes of any depth, after one pass that computes the
    Hamming weights. Among equally cheap trees, the one with the fewest nodes is returned.

    Examples
    --------
    Labels that always occur together are cheaper under one node than in a chain:

    >>> tree = LabelTree.from_nested([0, [1, [2, 3]]])
    >>> collapse(tree, [[0, 1, 2, 3], [0, 1, 2, 3]]).to_nested()
    [0, 1, 2, 3]
    """
    return collapsed(tree, hamming_weights(tree, tree.label_rows(Y)), cost_model)


def hamming_weights(tree: LabelTree, rows: LabelRows) -> NDArray[np.int64]:
    """Return the number of positive rows of each node."""
    return _core.node_weights(tree._native, rows.indptr, rows.indices)


def collapsed(tree: LabelTree, weights: NDArray[np.int64], cost_model: CostModel) -> LabelTree:
    """Return what `collapse` does, given the Hamming weight of each node."""
    nodes = _core.collapse(tree._native, weights, cost_model.per_row, cost_model.per_pair)
    return LabelTree.from_parents(*nodes, names=tree.names)


@checked
def sweep(
    tree: LabelTree,
    Y: object,
    *,
    sweeps: int = 1,
    max_share: float = 0.05,
    cost_model: CostModel = PAPER,
) -> LabelTree:
    """Return a tree of at most the same cost, found by moving leaves and subtrees one by one.

    Each leaf, and each subtree with at most `max_share` of the rows, is removed and reinserted
    where the exact cost is lowest: as a child of an existing node, or together with a node under a
    new one. A collapse follows each sweep. Stops early if a sweep does not lower the cost.

    A sweep takes O(d · Σ k_i²) time for rows with k_i labels and paths of length d.

    Parameters
    ----------
    tree
        Any tree over the labels of Y.
    Y
        Label rows on which the cost is computed.
    sweeps
        Maximum number of passes over all leaves and subtrees.
    max_share
        Subtrees with more than this fraction of the rows are not moved; 0 moves leaves only.
    cost_model
        Cost of a node.

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 3, 2], [1, 4, 5]])
    >>> sweep(tree, [[0, 1, 2], [0, 1, 2], [3, 4, 5], [3, 4, 5]]).to_nested()
    [[0, 2, 1], [3, 4, 5]]
    """
    if sweeps < 0:
        raise ValueError(f"sweeps must be at least 0, but is {sweeps}")
    if not 0 <= max_share <= 1:
        raise ValueError(f"max_share must lie in 0..1, but is {max_share}")
    rows = tree.label_rows(Y)
    for _ in range(sweeps):
        swept = _sweep_once(tree, rows, max_share, cost_model)
        if swept == tree:
            break
        tree = swept
    return tree


def _sweep_once(
    tree: LabelTree, rows: LabelRows, max_share: float, cost_model: CostModel
) -> LabelTree:
    nodes = _core.sweep(
        tree._native,
        rows.indptr,
        rows.indices,
        cost_model.per_row,
        cost_model.per_pair,
        max_share,
    )
    swept = LabelTree.from_parents(*nodes, names=tree.names)
    return collapse(swept, rows, cost_model=cost_model)

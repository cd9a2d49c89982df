"""The ternary Shannon code as a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree import _core
from labeltree.arguments import checked
from labeltree.trees.counts import as_counts
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree

ARITY = 3


@checked
def shannon(counts: ArrayLike) -> LabelTree:
    """Return the ternary Shannon tree: label j at depth ⌈log₃(n'/n_j)⌉, n' the sum of the counts.

    Depths are computed in integers and apply before nodes of degree one are contracted. For at most
    one label per row, the cost exceeds the entropy bound n + A₃·n·H, and therefore the optimum, by
    at most 3n. Labels without rows are merged first. They are placed at the greatest depth if the
    code has room there, and otherwise next to the rarest label. Takes O(m) time after a radix sort.

    Parameters
    ----------
    counts
        Number of rows of each label.

    Examples
    --------
    >>> shannon([3, 3, 1, 1, 1]).to_nested()
    [0, 1, [2, 3, 4]]
    """
    weights = as_counts(counts)
    order = _core.ascending(weights.max() - weights)  # descending
    grower = _Grower(len(order))
    n_positive = int(np.count_nonzero(weights))
    zeros = grower.join_all(np.arange(n_positive, len(order)))
    if n_positive:
        depths = _depths(weights[order[:n_positive]])
        _grow(grower, depths, zeros)
    return tree_of_leaves_first(grower.parents(), order)


def _depths(descending: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the smallest l with n_j·3^l ≥ n' for each label; all counts are positive."""
    total = int(descending.sum())
    # n_j·3^l ≥ n' if and only if n_j ≥ ⌈n'/3^l⌉.
    thresholds = [total]
    while thresholds[-1] > 1:
        thresholds.append(-(-total // ARITY ** len(thresholds)))
    return np.searchsorted(-np.array(thresholds), -descending)


class _Grower:
    """A tree that is built upward from its leaves 0 .. m-1."""

    def __init__(self, n_leaves: int) -> None:
        self._n_nodes = n_leaves
        self._children: list[NDArray[np.int64]] = []
        self._parents: list[NDArray[np.int64]] = []

    def join(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add new parents above the nodes, one per three nodes; the last may have fewer."""
        parents = np.arange(self._n_nodes, self._n_nodes - (-len(nodes) // ARITY))
        self._children.append(nodes)
        self._parents.append(np.repeat(parents, ARITY)[: len(nodes)])
        self._n_nodes += len(parents)
        return parents

    def join_all(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Join the nodes under one root, if there are any."""
        while len(nodes) > 1:
            nodes = self.join(nodes)
        return nodes

    def parents(self) -> NDArray[np.int32]:
        parent = np.full(self._n_nodes, -1, np.int32)
        for children, parents in zip(self._children, self._parents, strict=True):
            parent[children] = parents
        return parent


def _grow(grower: _Grower, depths: NDArray[np.int64], zeros: NDArray[np.int64]) -> None:
    """Join the leaves from the greatest depth upward; leaves come before nodes joined below."""
    leaves = np.arange(len(depths))
    deepest = int(depths[-1])
    has_room = _n_roots(np.append(depths, depths[-1:])) == 1
    if has_room or not len(zeros):
        joined = zeros
    else:
        joined = grower.join(np.append(leaves[-1:], zeros))
        leaves = leaves[:-1]
        depths = depths[:-1]
    for depth in range(deepest, 0, -1):
        joined = grower.join(np.append(leaves[depths == depth], joined))


def _n_roots(depths: NDArray[np.int64]) -> int:
    """Return the number of ternary trees that leaves at these depths fill: ⌈Kraft sum⌉."""
    n_roots = 0
    per_depth = np.bincount(depths)
    for depth in range(len(per_depth) - 1, 0, -1):
        n_roots = -(-(n_roots + int(per_depth[depth])) // ARITY)
    return n_roots + int(per_depth[0])

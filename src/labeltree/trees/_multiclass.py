"""Optimal and nearly optimal trees for at most one label per row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree import _core
from labeltree.arguments import checked
from labeltree.trees.counts import as_counts
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree

DEFAULT_EXACT_UP_TO = 200
N_CLUSTERS = 64
N_COARSE = 32
NO_LIMIT = 2**62


@checked
def multiclass(counts: ArrayLike, *, exact_up_to: int = DEFAULT_EXACT_UP_TO) -> LabelTree:
    """Return the cheapest tree for at most one label per row, with the smallest Σ count·D_j.

    The tree is optimal for up to `exact_up_to` labels with rows. It is found by a dynamic program
    over cost levels, pruned by Lagrangian bounds, in O(m⁴) time in the worst case and about a
    second for 200 labels. With more labels, Huffman merging (first binary merges, then ternary
    ones) reduces the labels to 64 clusters, which are joined optimally; the number of binary merges
    is found by a coarse-to-fine search. The result is within 0.1 % of the optimum on all
    distributions tried and takes O(m log m) time. Labels without rows are merged first.

    Parameters
    ----------
    counts
        Number of rows of each label.
    exact_up_to
        Maximum number of labels to solve exactly. The time increases steeply with it.

    Examples
    --------
    >>> multiclass([997, 1, 1, 1]).to_nested()
    [0, [1, 2, 3]]
    >>> multiclass([9, 8, 7, 1, 1]).to_nested()
    [1, 0, [2, [3, 4]]]
    """
    weights = as_counts(counts)
    order = _core.ascending(weights)
    weights = weights[order]
    n_positive = int(np.count_nonzero(weights))
    n_roots = n_positive + (n_positive < len(weights))
    cost, n_binary = _search(weights, max(n_roots - N_CLUSTERS, 0))
    n_clusters = n_roots if n_positive <= exact_up_to else N_CLUSTERS
    # The best known cost bounds the exact program, which finds that tree again if it is optimal.
    parent = _core.hybrid_tree(weights, n_binary, n_clusters, cost + 1)
    return tree_of_leaves_first(parent, order)


def _search(weights: NDArray[np.int64], max_binary: int) -> tuple[int, int]:
    """Return the smallest cost found and its number of binary merges, at most `max_binary`."""
    best = (NO_LIMIT, 0)
    tried = set()

    def try_all(candidates: range) -> None:
        nonlocal best
        for n_binary in candidates:
            if n_binary not in tried:
                tried.add(n_binary)
                cost = _core.hybrid_cost(weights, n_binary, N_CLUSTERS, best[0])
                if cost < best[0]:
                    best = (cost, n_binary)

    step = max(max_binary // N_COARSE, 1)
    try_all(range(min(max_binary, 1) + 1))
    try_all(range(0, max_binary + 1, step))
    while step > 1:
        width, step = step, -(-step // 4)
        middle = best[1]
        try_all(range(max(middle - width, 0), min(middle + width, max_binary) + 1, step))
    return best

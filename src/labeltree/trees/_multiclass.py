"""Optimal and nearly optimal trees for at most one label a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree import _core
from labeltree.trees.counts import as_counts
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree

DEFAULT_EXACT_UP_TO = 200
N_CLUSTERS = 64
N_COARSE = 32
NO_LIMIT = 2**62


def multiclass(counts: ArrayLike, *, exact_up_to: int = DEFAULT_EXACT_UP_TO) -> LabelTree:
    """Return the cheapest tree for at most one label a row: the smallest Σ count·D_j.

    Exact for up to `exact_up_to` labels with rows, by a dynamic programme over cost levels that is
    pruned by Lagrangian bounds: O(m⁴) at worst, about a second for 200 labels. Beyond, Huffman
    merging whose first merges are binary and the rest ternary, down to 64 clusters that are joined
    optimally; the number of binary merges is searched from coarse to fine. That is within 0.1 % of
    the optimum on all distributions tried, in O(m log m). Labels without rows are merged first.

    Parameters
    ----------
    counts
        Number of rows of each label.
    exact_up_to
        Solve exactly up to this many labels; the time grows steeply with it.

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
    # The best tree known bounds the exact programme; it is found again when nothing beats it.
    parent = _core.hybrid_tree(weights, n_binary, n_clusters, cost + 1)
    return tree_of_leaves_first(parent, order)


def _search(weights: NDArray[np.int64], most: int) -> tuple[int, int]:
    """Return the smallest cost found and its number of binary merges, of at most `most`."""
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

    step = max(most // N_COARSE, 1)
    try_all(range(min(most, 1) + 1))
    try_all(range(0, most + 1, step))
    while step > 1:
        width, step = step, -(-step // 4)
        middle = best[1]
        try_all(range(max(middle - width, 0), min(middle + width, most) + 1, step))
    return best

"""The optimal tree of nested labels (Matryoshka structure)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from labeltree import _core
from labeltree.arguments import checked
from labeltree.trees.counts import as_counts
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree


@checked
def nested(counts: ArrayLike) -> LabelTree:
    """Return the optimal tree for labels whose sets of rows are nested.

    Each inner node has at most one inner child, which holds the rarer labels. The tree is optimal
    if every row of a label is also a row of all more frequent labels, in which case the counts
    determine the optimum. For other labels the tree is valid but has no guarantee. Takes O(m) time
    after a radix sort: f(j) = (j+1)·a_j + min_i (f(i) - i·a_j) is computed with a convex-hull
    queue.

    Parameters
    ----------
    counts
        Number of rows of each label.

    Examples
    --------
    >>> nested([100, 30, 2, 1]).to_nested()
    [0, [1, [3, 2]]]
    >>> nested([5, 5, 5, 5]).to_nested()
    [0, 1, 2, 3]
    """
    weights = as_counts(counts)
    order = _core.ascending(weights)
    return tree_of_leaves_first(_core.nested(weights[order]), order)

"""Huffman trees of any arity."""

from __future__ import annotations

from numpy.typing import ArrayLike

from labeltree import _core
from labeltree.arguments import checked
from labeltree.trees.counts import as_arity, as_counts
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree

DEFAULT_ARITY = 3


@checked
def huffman(counts: ArrayLike, arity: int = DEFAULT_ARITY) -> LabelTree:
    """Return the Huffman tree: the lightest nodes are merged, `arity` at a time.

    If the number of labels does not divide evenly, one merge has fewer nodes: either the first (as
    in Huffman's algorithm) or the last, at the root, whichever makes Σ count·D_j smaller. For at
    most one label per row and arity 3, the cost exceeds the entropy bound n + A₃·n·H, and therefore
    the optimum, by at most 3n. Arity 2 is optimal among binary trees. Labels without rows are
    merged first, at no cost. The implementation uses two queues over radix-sorted counts and takes
    O(m) time for counts below a constant power of 2048.

    Parameters
    ----------
    counts
        Number of rows of each label.
    arity
        Number of children, at least 2.

    Examples
    --------
    >>> huffman([8, 4, 2, 1, 1]).to_nested()
    [1, 0, [3, 4, 2]]
    >>> huffman([1, 1, 1, 997]).to_nested()
    [3, [0, 1, 2]]
    """
    weights = as_counts(counts)
    order = _core.ascending(weights)
    parent = _core.huffman(weights[order], as_arity(arity))
    return tree_of_leaves_first(parent, order)

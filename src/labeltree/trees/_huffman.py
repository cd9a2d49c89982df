"""Huffman trees of any arity."""

from __future__ import annotations

from numpy.typing import ArrayLike

from labeltree import _core
from labeltree.trees.counts import as_arity, as_counts
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree

DEFAULT_ARITY = 3


def huffman(counts: ArrayLike, arity: int = DEFAULT_ARITY) -> LabelTree:
    """Return the Huffman tree: the lightest nodes are merged, `arity` at a time.

    When the number of labels does not fit, one merge is short: the first (as Huffman has it) or the
    last, at the root, whichever makes Σ count·D_j smaller. For at most one label a row and arity 3
    the cost is at most 3n above the entropy bound n + A₃·n·H, so above the optimum too; arity 2 is
    optimal among binary trees. Labels without rows are merged first, at no cost. Two queues over
    counts sorted by radix: O(m) for counts below a constant power of 2048.

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

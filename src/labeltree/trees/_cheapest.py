"""The cheapest known tree for any number of labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from labeltree.arguments import checked
from labeltree.data import LabelRows, as_labels
from labeltree.trees._complete import complete
from labeltree.trees._huffman import huffman
from labeltree.trees._merge import merge
from labeltree.trees._multiclass import multiclass
from labeltree.trees._nested import nested
from labeltree.trees._refine import collapse, sweep
from labeltree.trees.cost_model import PAPER, CostModel
from labeltree.trees.tree import LabelTree


@checked
def cheapest(Y: object, *, sweeps: int = 0, cost_model: CostModel = PAPER) -> LabelTree:
    """Return the cheapest tree found by φ merging, optimal collapse and, optionally, sweeps.

    The trees with a guarantee in the paper are built as well, and the cheapest tree is returned. So
    the result never costs more than the complete ternary tree (at most 3·⌈log3 m⌉ times the
    optimum) or the ternary Huffman tree. If no row has two labels, it costs at most as much as
    `multiclass`. If the labels are nested, it is as cheap as the optimum of `nested`. Takes
    O(k·nnz·log m) time for at most k labels per row; a sweep takes several times as long.

    Parameters
    ----------
    Y
        Label rows.
    sweeps
        Number of reinsertion sweeps (see `sweep`). Two sweeps lower the cost by 2 to 15 %.
    cost_model
        Cost of a node.

    Examples
    --------
    >>> rows = [["cat", "pet"], ["dog", "pet"], ["cod", "fish"], ["pike", "fish"]]
    >>> cheapest(2 * rows, sweeps=1).to_newick()
    '((cod,pike,fish),(cat,dog,pet));'
    """
    rows = as_labels(Y)
    merged = collapse(merge(rows, cost_model=cost_model), rows, cost_model=cost_model)
    found = [sweep(merged, rows, sweeps=sweeps, cost_model=cost_model)]
    found += [tree.with_names(rows.names) for tree in _guaranteed(rows)]
    return min(found, key=lambda tree: cost_model.price(tree, rows))


def _guaranteed(rows: LabelRows) -> Iterator[LabelTree]:
    counts = rows.counts
    yield huffman(counts)
    yield complete(rows.n_labels, counts=counts)
    if np.diff(rows.indptr).max(initial=0) <= 1:
        yield multiclass(counts)
    elif is_nested(rows):
        yield nested(counts)


def is_nested(rows: LabelRows) -> bool:
    """Return whether, for any two labels, one has all rows of the other.

    Examples
    --------
    >>> is_nested(as_labels([[0], [0, 1], [0, 1, 2], []]))
    True
    >>> is_nested(as_labels([[0], [1]]))
    False
    """
    # If so, a row with k labels has exactly the k most frequent ones.
    rank = np.empty(rows.n_labels, np.int64)
    rank[np.argsort(-rows.counts, kind="stable")] = np.arange(rows.n_labels)
    lengths = np.diff(rows.indptr)
    if len(rows.indices) == 0:
        return True
    highest = np.maximum.reduceat(rank[rows.indices], rows.indptr[:-1][lengths > 0])
    return bool((highest == lengths[lengths > 0] - 1).all())

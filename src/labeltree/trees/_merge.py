"""φ merging: a cheap binary tree for labels that share rows."""

from __future__ import annotations

from labeltree import _core
from labeltree.data import as_labels
from labeltree.trees.cost_model import PAPER, CostModel
from labeltree.trees.tree import LabelTree


def merge(Y: object, *, cost_model: CostModel = PAPER) -> LabelTree:
    """Return the binary tree of φ merging.

    Joins the smallest cluster of labels with the one that makes the least of the price of their
    union and of what an entropy-type estimate φ says is still to be paid above it. On labels
    without common rows this is binary Huffman, on nested labels the sorted caterpillar.
    O(k·nnz·log m) time for at most k labels a row, O(nnz + m) memory.

    Examples
    --------
    >>> merge([[0, 1], [0, 1], [2], [3]]).to_nested()
    [[2, 3], [0, 1]]
    """
    rows = as_labels(Y)
    nodes = _core.merge(
        rows.indptr, rows.indices, rows.n_labels, cost_model.per_row, cost_model.per_pair
    )
    return LabelTree.from_parents(*nodes, names=rows.names)

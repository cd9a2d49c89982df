"""φ merging: a cheap binary tree for labels that share rows."""

from __future__ import annotations

from labeltree import _core
from labeltree.arguments import checked
from labeltree.data import as_labels
from labeltree.trees.cost_model import PAPER, CostModel
from labeltree.trees.tree import LabelTree


@checked
def merge(Y: object, *, cost_model: CostModel = PAPER) -> LabelTree:
    """Return the binary tree of φ merging.

    Each step joins the smallest cluster of labels with the cluster that minimizes the cost of their
    union plus φ, an entropy-based estimate of the remaining cost above it. For labels without
    common rows, the result is the binary Huffman tree; for nested labels, it is the sorted
    caterpillar tree. Takes O(k·nnz·log m) time for at most k labels per row, and O(nnz + m) memory.

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

"""Binary trees from trees of any degree."""

from __future__ import annotations

import numpy as np

from labeltree import _core
from labeltree.arguments import checked
from labeltree.trees.tree import LabelTree


@checked
def binarize(tree: LabelTree, Y: object | None = None) -> LabelTree:
    """Return the tree with a binary tree over the children of each node of degree 3 or more.

    The training cost is less than twice that of the given tree, on any labels. Children are joined
    by Huffman merging of their Hamming weights if Y is given, and of equal weights otherwise. Takes
    O(V log V) time for V nodes, in addition to computing the weights.

    Parameters
    ----------
    tree
        Any label tree.
    Y
        Labels of rows, used to join rare children first.

    Examples
    --------
    >>> tree = LabelTree.from_nested([0, 1, 2, 3])
    >>> binarize(tree).to_nested()
    [[0, 1], [2, 3]]
    >>> binarize(tree, [[0], [0], [0], [1], [1], [2], [3]]).to_nested()
    [0, [1, [2, 3]]]
    """
    if Y is None:
        weights = np.ones(tree.n_nodes, np.int64)
    else:
        rows = tree.label_rows(Y)
        weights = _core.node_weights(tree._native, rows.indptr, rows.indices)
    parent = _core.binarize(tree._native, weights)
    label = np.full(len(parent), -1, np.int32)
    label[: tree.n_nodes] = tree.label
    return LabelTree.from_parents(parent, label, names=tree.names)

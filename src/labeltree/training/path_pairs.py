"""The (row, node) pairs of Algorithm 1, in the order in which the native trainer numbers them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.trees import LabelTree


class PathPairs(NamedTuple):
    """Children of the positive nodes of each row; the root is not among them."""

    row: NDArray[np.int64]
    node: NDArray[np.int64]
    is_positive: NDArray[np.bool_]


def path_pairs(tree: LabelTree, rows: LabelRows) -> PathPairs:
    """Return the pairs row by row, the nodes of a row ascending.

    Examples
    --------
    >>> from labeltree.data import as_labels
    >>> tree = LabelTree.from_nested([[0, 1], 2, [3, 4]])
    >>> pairs = path_pairs(tree, as_labels([[2], [0]], n_labels=5))
    >>> pairs.row.tolist(), pairs.node.tolist()
    ([0, 0, 0, 1, 1, 1, 1, 1], [1, 2, 3, 1, 2, 3, 4, 5])
    >>> pairs.node[pairs.is_positive].tolist()
    [2, 1, 4]
    """
    positive = _positive_pairs(tree, rows)
    row, parent = np.divmod(positive, tree.n_nodes)
    degree = tree.degree[parent].astype(np.int64)
    first = tree.first_child[parent].astype(np.int64)
    ends = np.cumsum(degree)
    node = np.repeat(first - ends + degree, degree) + np.arange(degree.sum())
    row = np.repeat(row, degree)
    is_positive = np.isin(row * tree.n_nodes + node, positive, assume_unique=True)
    return PathPairs(row, node, is_positive)


def _positive_pairs(tree: LabelTree, rows: LabelRows) -> NDArray[np.int64]:
    """Return row * n_nodes + node of the nodes above the labels of each row, ascending."""
    row = np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr))
    node = tree.leaves[rows.indices].astype(np.int64)
    found = []
    while len(row):
        found.append(np.unique(row * tree.n_nodes + node))
        row, node = np.divmod(found[-1], tree.n_nodes)
        is_inner = node > 0
        row, node = row[is_inner], tree.parent[node[is_inner]].astype(np.int64)
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)

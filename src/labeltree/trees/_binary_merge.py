"""Binary trees by greedy merging, as in the literature on compaction."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from labeltree import _core
from labeltree.arguments import shown
from labeltree.data import as_labels
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree

Choice = Literal["smallest-input", "smallest-output", "largest-match"]


def binary_merge(Y: object, *, choose: Choice = "smallest-input") -> LabelTree:
    """Return the binary tree that results from merging two clusters of labels at a time.

    The size of a cluster is the number of rows that have one of its labels. Ghosh et al. (2015)
    prove an approximation factor of O(log m) on the merge cost for every choice except the largest
    match. Ties are broken in favor of the lower label number.

    Parameters
    ----------
    Y
        Labels of rows, in any form that `labeltree.data.as_labels` accepts.
    choose
        Which two clusters to merge. "smallest-input" merges the two smallest clusters in O(m·n)
        time in the worst case. "smallest-output" merges the two with the smallest union, and
        "largest-match" the two with the most common rows; both take O(m·nnz + m²) time on typical
        data and O(m²·nnz) in the worst case, which is feasible for a few thousand labels.

    Examples
    --------
    >>> Y = [[0, 1], [0, 1], [0, 1], [2], [3]]
    >>> binary_merge(Y).to_nested()
    [1, [0, [2, 3]]]
    >>> binary_merge(Y, choose="largest-match").to_nested()
    [[0, 1], [2, 3]]
    """
    if choose not in get_args(Choice):
        raise ValueError(
            f"choose must be one of {', '.join(get_args(Choice))}, but is {shown(choose)}"
        )
    rows = as_labels(Y)
    choice = _core.Choice[choose.replace("-", "_")]
    parent = _core.binary_merge(rows.indptr, rows.indices, rows.n_labels, choice)
    return tree_of_leaves_first(parent, np.arange(rows.n_labels, dtype=np.int32), names=rows.names)

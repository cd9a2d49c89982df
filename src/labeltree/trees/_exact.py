"""The optimal tree of any label matrix, for a small number of labels."""

from __future__ import annotations

import numpy as np

from labeltree import _core
from labeltree.data import as_labels
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree

MAX_LABELS: int = _core.max_subset_labels


def exact(Y: object) -> LabelTree:
    """Return a tree with the lowest possible training cost, for at most 18 labels.

    Uses dynamic programming over sets of labels, with O(m·3^m + nnz) time and O(m·2^m) memory. This
    takes a millisecond for 10 labels and two seconds for 18. The problem is NP-hard; `cheapest`
    supports any number of labels.

    Examples
    --------
    >>> Y = [["tea", "milk"], ["tea", "milk"], ["bread"], ["bread"], ["jam"], ["jam"]]
    >>> exact(Y).to_newick()
    '(bread,jam,(milk,tea));'
    """
    rows = as_labels(Y)
    if rows.n_labels > MAX_LABELS:
        raise ValueError(
            f"exact supports at most {MAX_LABELS} labels, but Y has {rows.n_labels}; use cheapest"
        )
    parent = _core.cheapest_of_all(rows.indptr, rows.indices, rows.n_labels)
    return tree_of_leaves_first(parent, np.arange(rows.n_labels, dtype=np.int32), names=rows.names)

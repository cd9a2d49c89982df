"""The star: every label is a child of the root."""

from __future__ import annotations

import numpy as np

from labeltree.arguments import checked
from labeltree.trees.counts import as_n_labels
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree


@checked
def star(n_labels: int) -> LabelTree:
    """Return the tree whose root has all labels as children: one classifier per label.

    A row with any label costs 1 + m. The star is optimal if all labels have the same rows. Takes
    O(m) time.

    Examples
    --------
    >>> star(4).to_nested()
    [0, 1, 2, 3]
    """
    m = as_n_labels(n_labels)
    parent = np.full(m + 1, m, np.int32)
    parent[m] = -1
    return tree_of_leaves_first(parent, np.arange(m, dtype=np.int32))

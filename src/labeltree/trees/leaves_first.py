"""Trees in the form that builder kernels return: parents of nodes, leaves first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

from labeltree.trees.tree import LabelTree


def tree_of_leaves_first(
    parent: NDArray[np.int32],
    labels: NDArray[np.int32],
    *,
    names: Iterable[Hashable] | None = None,
) -> LabelTree:
    """Return the tree whose node i is the leaf of labels[i]; later nodes are inner nodes.

    Examples
    --------
    >>> parent = np.array([3, 3, 4, 4, -1], np.int32)
    >>> tree_of_leaves_first(parent, np.array([2, 0, 1], np.int32)).to_nested()
    [1, [2, 0]]
    """
    label = np.full(len(parent), -1, np.int32)
    label[: len(labels)] = labels
    return LabelTree.from_parents(parent, label, names=names)

"""The complete tree: all leaves are on two adjacent levels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree import _core
from labeltree.arguments import checked
from labeltree.trees.counts import as_arity, as_counts, as_n_labels
from labeltree.trees.tree import LabelTree

DEFAULT_ARITY = 3


@checked
def complete(
    n_labels: int, arity: int = DEFAULT_ARITY, counts: ArrayLike | None = None
) -> LabelTree:
    """Return the complete tree: all levels are full except the last, which fills from the left.

    All inner nodes have `arity` children except the last one, which may have fewer. The depth is
    ⌈log m / log arity⌉. With arity 3, the training cost is at most 3⌈log₃ m⌉ times the optimum of
    any label matrix. Takes O(m) time in addition to sorting the counts.

    Parameters
    ----------
    n_labels
        Number of labels.
    arity
        Largest number of children, at least 2.
    counts
        Number of rows of each label. Frequent labels are assigned to the leaves whose ancestors
        have the smallest sum of degrees. If None, and among equal counts, labels keep their order.

    Examples
    --------
    >>> complete(5).to_nested()
    [[2, 3, 4], 0, 1]
    >>> complete(4, arity=2).to_nested()
    [[0, 1], [2, 3]]
    >>> complete(5, counts=[1, 1, 1, 9, 9]).to_nested()
    [[0, 1, 2], 3, 4]
    """
    m = as_n_labels(n_labels)
    arity = min(as_arity(arity), max(m, 2))
    n_inner = -(-(m - 1) // (arity - 1))
    parent = (np.arange(n_inner + m, dtype=np.int64) - 1) // arity
    label = np.full(n_inner + m, -1, np.int32)
    if counts is None:
        label[n_inner:] = np.arange(m)
    else:
        label[_cheap_leaves_first(n_inner, m, arity)] = _frequent_first(counts, m)
    return LabelTree.from_parents(parent, label)


def _cheap_leaves_first(n_inner: int, m: int, arity: int) -> NDArray[np.int64]:
    """Return leaves by ascending sum of degrees above: shallow, under the short node, the rest."""
    leaves = np.arange(n_inner, n_inner + m)
    if m == 1:
        return leaves
    last_inner = n_inner - 1
    under_last = leaves[leaves > arity * last_inner]
    others = leaves[leaves <= arity * last_inner]
    depth_starts = [0]  # the first node of each level
    while depth_starts[-1] < n_inner + m:
        depth_starts.append(arity * depth_starts[-1] + 1)
    shallow = others < depth_starts[-2]
    return np.concatenate([others[shallow], under_last, others[~shallow]])


def _frequent_first(counts: ArrayLike, m: int) -> NDArray[np.int32]:
    weights = as_counts(counts)
    if len(weights) != m:
        raise ValueError(
            f"counts must have one entry per label, {m} in all, but has {len(weights)}"
        )
    return _core.ascending(weights.max() - weights)

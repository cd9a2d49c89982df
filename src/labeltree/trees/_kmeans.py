"""Trees of labels that look alike: hierarchical k-means over label vectors."""

from __future__ import annotations

from typing import Any

from labeltree import _core
from labeltree.threads import n_threads
from labeltree.trees.tree import LabelTree
from labeltree.trees.vectors import native_rows

_MAX_INT32 = 2**31 - 1


def kmeans(
    X: Any,
    Y: Any,
    *,
    arity: int = 2,
    max_leaf_size: int = 100,
    balanced: bool = True,
    max_depth: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> LabelTree:
    """Return a tree that keeps labels together whose rows have the same features.

    Labels are points (see `label_vectors`, of which the largest 512 entries are used), and every
    cluster of more than `max_leaf_size` labels is split into `arity` smaller ones by bisecting
    k-means with the cosine. Such trees are easier to learn than cheap ones, and cost more;
    `collapse` makes them cheaper. Rows of X are used as they are: scale them to length 1 first, as
    the estimators do.

    Labels without rows or features keep together, where they cost least. O(depth · entries of the
    label vectors) time for a round of k-means, and O(those entries) memory.

    Parameters
    ----------
    X
        Features of the rows.
    Y
        Labels of the rows.
    arity
        Number of clusters a cluster is split into.
    max_leaf_size
        A cluster of at most this many labels becomes a node with a leaf for each of them; so does
        one of at most `arity` labels.
    balanced
        Whether the clusters of a node differ by at most one label. If not, labels go to the nearest
        centroid (but far below the depth of a balanced tree, splits are balanced all the same).
    max_depth
        Depth of the tree in edges at most; clusters there keep all their labels in one node.
    random_state
        Picks the first centroids.
    n_jobs
        Number of threads, all cores by default. The tree is the same for every number.

    Examples
    --------
    >>> X = [[1, 0], [0, 1], [1, 0.1], [0.1, 1]]
    >>> kmeans(X, [[0], [1], [2], [3]], max_leaf_size=2).to_nested()
    [[1, 3], [0, 2]]
    """
    for name, value, least in (("arity", arity, 2), ("max_leaf_size", max_leaf_size, 1)):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, but is {value}")
    if max_depth is not None and max_depth < 1:
        raise ValueError(f"max_depth must be at least 1 or None, but is {max_depth}")
    if random_state < 0:
        raise ValueError(f"random_state must be at least 0, but is {random_state}")
    rows, labels = native_rows(X, Y)
    nodes = _core.kmeans(
        *rows,
        arity=min(arity, _MAX_INT32),
        max_leaf_size=min(max_leaf_size, _MAX_INT32),
        balanced=balanced,
        max_depth=_MAX_INT32 if max_depth is None else min(max_depth, _MAX_INT32),
        seed=random_state % 2**64,
        n_threads=n_threads(n_jobs),
    )
    return LabelTree.from_parents(*nodes, names=labels.names)

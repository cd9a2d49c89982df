"""Trees that group similar labels: hierarchical k-means over label vectors."""

from __future__ import annotations

from typing import Any

from labeltree import _core
from labeltree.arguments import MAX_INT32, checked
from labeltree.threads import n_threads
from labeltree.trees.counts import as_seed
from labeltree.trees.tree import LabelTree
from labeltree.trees.vectors import native_rows


@checked
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
    """Return a tree that groups labels whose rows have similar features.

    Each label is represented by its label vector (see `label_vectors`), truncated to the 512
    largest entries. Every cluster of more than `max_leaf_size` labels is split into `arity` smaller
    clusters by bisecting k-means with cosine similarity. Such trees are easier to learn than cheap
    trees but cost more to train; `collapse` makes them cheaper. The rows of X are used unchanged.
    Scale them to unit length first, as the estimators do.

    Labels without rows or features are grouped together, where they cost least. For E entries
    in all label vectors, takes O(depth · E) time per iteration of k-means and O(E) memory.

    Parameters
    ----------
    X, Y
        Features and labels of the rows.
    arity
        Number of clusters that a cluster is split into.
    max_leaf_size
        A cluster with at most `max_leaf_size` labels is not split further; it becomes a node with
        one leaf per label. The same applies to a cluster with at most `arity` labels.
    balanced
        Whether the clusters of a node differ in size by at most one label. If False, labels are
        assigned to the nearest centroid, except in splits much deeper than a balanced tree.
    max_depth
        Maximum depth in edges. Clusters at this depth keep all their labels in one node.
    random_state
        Seed for the initial centroids.
    n_jobs
        Number of threads; all cores by default. The tree does not depend on it.

    Examples
    --------
    >>> X = [[1, 0], [0, 1], [1, 0.1], [0.1, 1]]
    >>> kmeans(X, [[0], [1], [2], [3]], max_leaf_size=2).to_nested()
    [[1, 3], [0, 2]]
    """
    _check_shape(arity, max_leaf_size, max_depth)
    seed = as_seed(random_state)
    rows, labels = native_rows(X, Y)
    nodes = _core.kmeans(
        *rows,
        arity=min(arity, MAX_INT32),
        max_leaf_size=min(max_leaf_size, MAX_INT32),
        balanced=balanced,
        max_depth=MAX_INT32 if max_depth is None else min(max_depth, MAX_INT32),
        seed=seed,
        n_threads=n_threads(n_jobs),
    )
    return LabelTree.from_parents(*nodes, names=labels.names)


def _check_shape(arity: int, max_leaf_size: int, max_depth: int | None) -> None:
    for name, value, minimum in (("arity", arity, 2), ("max_leaf_size", max_leaf_size, 1)):
        if value < minimum:
            raise ValueError(f"{name} must be at least {minimum}, but is {value}")
    if max_depth is not None and max_depth < 1:
        raise ValueError(f"max_depth must be at least 1 or None, but is {max_depth}")

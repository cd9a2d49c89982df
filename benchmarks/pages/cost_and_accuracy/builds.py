"""The trees that are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labeltree import LabelTree, trees
from labeltree.data import LabelRows
from labeltree.trees._auto import auto

Build = Callable[[Any, LabelRows], LabelTree]

#: Name of the tree with one classifier per label.
STAR = "star"

BUILDS: dict[str, Build] = {
    STAR: lambda X, Y: trees.star(Y.n_labels),
    "random": lambda X, Y: trees.random(Y.n_labels, arity=3),
    "complete": lambda X, Y: trees.complete(Y.n_labels, counts=Y.counts),
    "huffman": lambda X, Y: trees.huffman(Y.counts),
    "cheapest": lambda X, Y: trees.cheapest(Y),
    "cheapest, 2 sweeps": lambda X, Y: trees.cheapest(Y, sweeps=2),
    "blend": lambda X, Y: trees.blend(X, Y, n_jobs=1),
    "2-means": lambda X, Y: trees.kmeans(X, Y, arity=2, max_leaf_size=100, n_jobs=1),
    "16-means": lambda X, Y: trees.kmeans(X, Y, arity=16, max_leaf_size=16, n_jobs=1),
    "auto": lambda X, Y: auto(X, Y, n_jobs=1),
}

#: Maximum number of (row, label) pairs times features per row of a star that is trained.
MAX_STAR_WORK = 1.6e10


def affordable(X: Any, Y: LabelRows) -> list[str]:
    """Return the names of the trees that do not take too long to train."""
    work = X.nnz * float(Y.n_labels)
    return [name for name in BUILDS if name != STAR or work <= MAX_STAR_WORK]

"""Several trees over the same rows: which rows each sees, and the model they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.data.compressed import pointers
from labeltree.data.features import FeatureMatrix
from labeltree.trees import LabelTree
from labeltree.trees.by_name import find_builder

# Weight of a row that a tree does not see. The root is fitted over all rows that there are; with
# this weight a row moves no weight by more than float32 can tell.
_UNSEEN = np.float32(1e-20)


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of one tree; X is the same for all trees and never copied."""

    rows: LabelRows  # rows that the tree does not see have no labels, so they reach no node
    weight: NDArray[np.float32] | None  # None where all rows are seen and weigh 1
    seed: int

    @property
    def is_seen(self) -> NDArray[np.bool_]:
        """Whether the tree sees each row."""
        if self.weight is None:
            return np.ones(self.rows.n_rows, bool)
        return self.weight > _UNSEEN


@dataclass(frozen=True)
class ForestSettings:
    """How many trees there are and how they differ.

    Parameters
    ----------
    tree
        Name of a builder, a tree, or several trees.
    tree_params
        Options of the builder.
    n_trees
        Number of trees.
    max_samples
        Share of the rows that each tree sees; None for all.
    seed
        Tree t has the seed `seed` + t.
    """

    tree: str | LabelTree | Sequence[LabelTree]
    tree_params: Mapping[str, Any] | None
    n_trees: int
    max_samples: float | None
    seed: int

    def __post_init__(self) -> None:
        if not isinstance(self.tree, str):
            self._check_given()
        if isinstance(self.n_trees, bool) or not isinstance(self.n_trees, int | np.integer):
            raise TypeError(f"n_trees must be an integer, but is {type(self.n_trees).__name__}")
        if self.n_trees < 1:
            raise ValueError(f"n_trees must be at least 1, but is {self.n_trees}")
        if self.max_samples is not None and not 0 < self.max_samples <= 1:
            raise ValueError(f"max_samples must lie above 0 and up to 1, but is {self.max_samples}")

    def _check_given(self) -> None:
        wrong = [tree for tree in self.given if not isinstance(tree, LabelTree)]
        if wrong:
            raise TypeError(
                "tree must be a name, a LabelTree or a list of LabelTrees, but is or holds "
                f"{type(wrong[0]).__name__}"
            )
        if self.tree_params:
            raise ValueError("tree_params are for trees by name, but tree is a LabelTree")
        if not self.given:
            raise ValueError("tree must hold at least one LabelTree, but is empty")
        if self.n_trees not in (1, len(self.given)):
            raise ValueError(
                f"n_trees is {self.n_trees}, but {len(self.given)} trees are given; leave it 1"
            )

    @property
    def given(self) -> list[LabelTree]:
        """Trees that the user made."""
        if isinstance(self.tree, str):
            return []
        return list(self.tree) if isinstance(self.tree, list | tuple) else [cast(Any, self.tree)]

    def samples(self, rows: LabelRows, weight: NDArray[np.float32] | None) -> list[Sample]:
        """Return the rows of each tree."""
        n_trees = len(self.given) or self.n_trees
        return [_sample(rows, weight, self.max_samples, self.seed + t) for t in range(n_trees)]

    def grow(
        self, X: FeatureMatrix, samples: Sequence[Sample], *, n_jobs: int | None
    ) -> list[LabelTree]:
        """Return the tree of each sample."""
        if self.given:
            return self.given
        assert isinstance(self.tree, str)
        builder = find_builder(self.tree)
        if len(samples) > 1 and not builder.is_seeded and self.max_samples is None:
            raise ValueError(
                f"n_trees is {len(samples)}, but all {self.tree} trees are the same; "
                "set max_samples, or take kmeans or blend trees"
            )
        options = self.tree_params or {}
        return [builder(X, s.rows, seed=s.seed, n_jobs=n_jobs, options=options) for s in samples]


def has_root(rows: LabelRows, weight: NDArray[np.float32] | None) -> bool:
    """Return whether the root needs a classifier: some row with a weight has no label."""
    is_empty = np.diff(rows.indptr) == 0
    return bool(is_empty.any() if weight is None else (is_empty & (weight > 0)).any())


def _sample(
    rows: LabelRows, weight: NDArray[np.float32] | None, share: float | None, seed: int
) -> Sample:
    seen = np.ones(rows.n_rows, bool) if weight is None else weight > 0
    if share is not None and share < 1:
        random = np.random.default_rng([seed, rows.n_rows])
        n_seen = max(1, round(share * rows.n_rows))
        chosen = np.zeros(rows.n_rows, bool)
        chosen[random.choice(rows.n_rows, n_seen, replace=False)] = True
        seen &= chosen
    if seen.all():
        return Sample(rows, weight, seed)
    weights = np.ones(rows.n_rows, np.float32) if weight is None else weight
    return Sample(_without_others(rows, seen), np.where(seen, weights, _UNSEEN), seed)


def _without_others(rows: LabelRows, seen: NDArray[np.bool_]) -> LabelRows:
    lengths = np.diff(rows.indptr)
    indices = rows.indices[np.repeat(seen, lengths)]
    return replace(rows, indptr=pointers(np.where(seen, lengths, 0)), indices=indices)

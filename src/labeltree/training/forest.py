"""Several trees over the same rows: the rows drawn for each, and the trees built from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import check_integer
from labeltree.data import LabelRows
from labeltree.data.compressed import pointers
from labeltree.data.features import FeatureMatrix
from labeltree.execution import Executor, Threads
from labeltree.execution.mapped_arrays import page_bytes
from labeltree.trees import LabelTree
from labeltree.trees.by_name import find_builder

# Weight of a row that is not drawn for a tree. The root is fitted over all rows; a row with this
# weight changes no weight within the precision of float32.
_NOT_DRAWN = np.float32(1e-20)

#: Maximum number of trees of a model.
MAX_TREES = 1000
#: Maximum depth of a tree that is trained.
MAX_DEPTH = 10_000


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows drawn for one tree; X is shared by all trees and never copied."""

    rows: LabelRows  # rows that are not drawn have no labels, so they reach no node
    weight: NDArray[np.float32] | None  # None if all rows are drawn and have a weight of 1
    seed: int

    @property
    def is_drawn(self) -> NDArray[np.bool_]:
        """Whether each row is drawn for the tree."""
        if self.weight is None:
            return np.ones(self.rows.n_rows, bool)
        return self.weight > _NOT_DRAWN


@dataclass(frozen=True)
class ForestSettings:
    """Number of trees and how they differ.

    Parameters
    ----------
    tree
        Name of a builder, a tree, or a list of names and trees.
    tree_params
        Parameters of the builder; for a list, a list with those of each tree.
    n_trees
        Number of trees, unless there is a list.
    max_samples
        Share of the rows drawn for each tree; None for all.
    seed
        Seed of the first tree; tree t has `seed` + t.
    """

    tree: str | LabelTree | Sequence[str | LabelTree]
    tree_params: Mapping[str, Any] | Sequence[Mapping[str, Any] | None] | None
    n_trees: int
    max_samples: float | None
    seed: int

    def __post_init__(self) -> None:
        check_integer("n_trees", self.n_trees, minimum=1, maximum=MAX_TREES)
        if not isinstance(self.tree, str):
            self._check_listed()
        elif isinstance(self.tree_params, list | tuple):
            raise ValueError("tree_params must be a mapping, because tree is one name, not a list")
        if self.max_samples is not None and not 0 < self.max_samples <= 1:
            raise ValueError(f"max_samples must lie above 0 and up to 1, but is {self.max_samples}")

    def _check_listed(self) -> None:
        wrong = [tree for tree in self.listed if not isinstance(tree, str | LabelTree)]
        if wrong:
            raise TypeError(
                "tree must be a name, a LabelTree or a list of them, but is or contains "
                f"{type(wrong[0]).__name__}"
            )
        if not self.listed:
            raise ValueError("tree must contain at least one name or LabelTree, but is empty")
        if self.n_trees not in (1, len(self.listed)):
            raise ValueError(
                f"n_trees is {self.n_trees}, but {len(self.listed)} trees are given; leave it at 1"
            )
        for tree, options in zip(self.listed, self.options, strict=True):
            if options and not isinstance(tree, str):
                raise ValueError("tree_params require a tree by name, but tree is a LabelTree")

    @property
    def options(self) -> list[Mapping[str, Any]]:
        """Parameters of each builder."""
        given = self.tree_params
        if not isinstance(given, list | tuple):
            is_list = isinstance(self.tree, list | tuple)
            if given and is_list and any(isinstance(tree, str) for tree in self.listed):
                raise ValueError(
                    "tree_params must be a list with the parameters of each tree, because tree is "
                    "a list of names"
                )
            return [cast(Any, given) or {}] * len(self.listed)
        if len(given) != len(self.listed):
            raise ValueError(
                f"tree_params must have one entry for each of {len(self.listed)} trees, but has "
                f"{len(given)}"
            )
        return [options or {} for options in given]

    @property
    def listed(self) -> list[str | LabelTree]:
        """Name of the builder of each tree, or the tree itself."""
        if isinstance(self.tree, str):
            return [self.tree] * self.n_trees
        return list(self.tree) if isinstance(self.tree, list | tuple) else [cast(Any, self.tree)]

    @property
    def given(self) -> list[LabelTree]:
        """Trees passed by the user."""
        return [tree for tree in self.listed if isinstance(tree, LabelTree)]

    def first(self) -> ForestSettings:
        """Return the settings of the first tree alone, drawn from all rows."""
        tree, options = self.listed[0], self.options[0]
        return replace(self, tree=tree, tree_params=options, n_trees=1, max_samples=None)

    def cut(self, n_trees: int) -> ForestSettings:
        """Return the settings of the first trees."""
        trees, options = self.listed[:n_trees], self.options[:n_trees]
        return replace(self, tree=trees, tree_params=options, n_trees=n_trees)

    def samples(self, rows: LabelRows, weight: NDArray[np.float32] | None) -> list[Sample]:
        """Return the rows drawn for each tree."""
        seeds = range(self.seed, self.seed + len(self.listed))
        return [_sample(rows, weight, self.max_samples, seed) for seed in seeds]

    def grow(
        self,
        X: FeatureMatrix,
        samples: Sequence[Sample],
        *,
        numbers: range | None = None,
        n_jobs: int | None,
        executor: Executor | None = None,
        max_memory: float | None = None,
    ) -> list[LabelTree]:
        """Return the trees of samples with these numbers, or of all; the workers build several.

        If X is mapped from files and workers have a memory limit, they build parts of trees.
        """
        for name in {tree for tree in self.listed if isinstance(tree, str)}:
            n_same = self.listed.count(name)
            if n_same > 1 and not find_builder(name).is_seeded and self.max_samples is None:
                raise ValueError(
                    f"n_trees is {n_same}, but all {name} trees are the same; "
                    "set max_samples, or use kmeans or blend trees"
                )
        wanted = range(len(samples)) if numbers is None else numbers
        built = [t for t in wanted if isinstance(self.listed[t], str)]
        is_limited = page_bytes((X.indices, X.data), max_memory) > 0
        if executor is None or executor.n_workers == 1 or len(built) == 1 or is_limited:
            # Workers build parts of one tree.
            growth = _Growth(self, X, samples, n_jobs, executor, max_memory)
            grown = Threads().run(growth, built)
        else:
            grown = executor.run(_Growth(self, X, samples, executor.n_threads), built)
        trees = dict(enumerate(self.listed)) | {built[i]: tree for i, tree in grown}
        return [self._finished(trees[t], samples[t]) for t in wanted]

    @staticmethod
    def _finished(tree: str | LabelTree, sample: Sample) -> LabelTree:
        assert isinstance(tree, LabelTree)
        check_depth(tree)
        return tree if tree.names is not None else tree.with_names(sample.rows.names)


@dataclass(frozen=True, eq=False)
class _Growth:
    """Builds trees by their numbers."""

    forest: ForestSettings
    X: FeatureMatrix
    samples: Sequence[Sample]
    n_jobs: int | None
    executor: Executor | None = None
    max_memory: float | None = None

    def __call__(self, number: int) -> LabelTree:
        sample = self.samples[number]
        return find_builder(cast(str, self.forest.listed[number]))(
            self.X,
            sample.rows,
            seed=sample.seed,
            n_jobs=self.n_jobs,
            options=self.forest.options[number],
            executor=self.executor,
            max_memory=self.max_memory,
        )

    def __getstate__(self) -> dict[str, Any]:
        # Names of labels, and trees that are given, play no part.
        rows = [replace(sample.rows, names=None) for sample in self.samples]
        samples = [replace(s, rows=r) for s, r in zip(self.samples, rows, strict=True)]
        names = [tree if isinstance(tree, str) else "" for tree in self.forest.listed]
        forest = replace(self.forest, tree=names, tree_params=self.forest.options)
        return vars(self) | {"samples": samples, "forest": forest}


def check_depth(tree: LabelTree) -> None:
    """Raise ValueError if a tree is too deep to learn: each row is stored once per level."""
    if tree.depth > MAX_DEPTH:
        raise ValueError(
            f"a tree must have at most {MAX_DEPTH:,} levels below its root to be trained, but has "
            f"{tree.depth:,}; labeltree.trees.collapse makes it shallower"
        )


def has_root(rows: LabelRows, weight: NDArray[np.float32] | None) -> bool:
    """Return whether the root needs a classifier: some row with a weight above 0 has no label."""
    is_empty = np.diff(rows.indptr) == 0
    return bool(is_empty.any() if weight is None else (is_empty & (weight > 0)).any())


def all_rows(rows: LabelRows, weight: NDArray[np.float32] | None, seed: int) -> Sample:
    """Return the sample of all rows with a weight above 0."""
    return _sample(rows, weight, None, seed)


def _sample(
    rows: LabelRows, weight: NDArray[np.float32] | None, share: float | None, seed: int
) -> Sample:
    drawn = np.ones(rows.n_rows, bool) if weight is None else weight > 0
    if share is not None and share < 1:
        random = np.random.default_rng([seed, rows.n_rows])
        n_drawn = max(1, round(share * rows.n_rows))
        chosen = np.zeros(rows.n_rows, bool)
        chosen[random.choice(rows.n_rows, n_drawn, replace=False)] = True
        drawn &= chosen
    if drawn.all():
        return Sample(rows, weight, seed)
    weights = np.ones(rows.n_rows, np.float32) if weight is None else weight
    return Sample(_drawn_rows(rows, drawn), np.where(drawn, weights, _NOT_DRAWN), seed)


def _drawn_rows(rows: LabelRows, drawn: NDArray[np.bool_]) -> LabelRows:
    lengths = np.diff(rows.indptr)
    indices = rows.indices[np.repeat(drawn, lengths)]
    return replace(rows, indptr=pointers(np.where(drawn, lengths, 0)), indices=indices)

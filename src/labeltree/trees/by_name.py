"""Tree builders by name, as used by the estimators and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from labeltree.arguments import shown
from labeltree.data import LabelRows, as_labels
from labeltree.data.features import FeatureMatrix
from labeltree.execution import Executor
from labeltree.trees._auto import auto
from labeltree.trees._blend import blend
from labeltree.trees._cheapest import cheapest
from labeltree.trees._complete import complete
from labeltree.trees._exact import exact
from labeltree.trees._huffman import huffman
from labeltree.trees._kmeans import kmeans
from labeltree.trees._multiclass import multiclass
from labeltree.trees._nested import nested
from labeltree.trees._random import random
from labeltree.trees._shannon import shannon
from labeltree.trees._star import star
from labeltree.trees.tree import LabelTree
from labeltree.trees.vectors import CheckedRows

AUTO = "auto"


# Parameters of builders that are not options: what is counted or grouped.
_DATA = {"X", "Y", "counts", "executor", "max_memory", "n_labels", "options", "rows"}


@dataclass(frozen=True)
class Builder:
    """A function of `labeltree.trees`, callable with the data of an estimator."""

    build: Callable[..., LabelTree]
    needs: str  # "X" for features and labels, "Y" for labels, "counts", or "n_labels"
    is_seeded: bool = False  # whether the tree depends on the seed
    is_spread: bool = False  # whether workers of an executor can build parts of it

    def __call__(
        self,
        X: FeatureMatrix,
        rows: LabelRows,
        *,
        seed: int,
        n_jobs: int | None,
        options: Mapping[str, Any],
        executor: Executor | None = None,
        max_memory: float | None = None,
    ) -> LabelTree:
        arguments: dict[str, tuple[Any, ...]] = {
            "X": (CheckedRows(X, rows), rows),
            "Y": (rows,),
            "counts": (rows.counts,),
            "n_labels": (rows.n_labels,),
        }
        common: dict[str, Any] = {}
        if self.is_seeded:
            common["random_state"] = seed
        if self.needs == "X":
            common["n_jobs"] = n_jobs
        if self.is_spread:
            common |= {"executor": executor, "max_memory": max_memory}
        self._check_names(common, options)
        tree = self.build(*arguments[self.needs], **(common | dict(options)))
        return tree if tree.names is not None else tree.with_names(rows.names)

    def _check_names(self, common: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        """Raise an error if options are no mapping, or one is no parameter that users can set."""
        if not isinstance(options, Mapping):
            raise TypeError(f"tree_params must be a mapping, but is {shown(options)}")
        build = complete if self.build is _complete else self.build
        known = set(signature(build).parameters) - _DATA
        for name in options:
            if not isinstance(name, str) or name not in known | (common.keys() - _DATA):
                allowed = f"among {', '.join(sorted(known - common.keys()))}" if known else "empty"
                raise ValueError(
                    f"tree_params must be {allowed} for this tree, but one is {shown(name)}"
                )


def _complete(rows: LabelRows, **options: Any) -> LabelTree:
    return complete(rows.n_labels, counts=rows.counts, **options)


BUILDERS: dict[str, Builder] = {
    AUTO: Builder(auto, "X", is_seeded=True, is_spread=True),
    "star": Builder(star, "n_labels"),
    "complete": Builder(_complete, "Y"),
    "random": Builder(random, "n_labels", is_seeded=True),
    "huffman": Builder(huffman, "counts"),
    "shannon": Builder(shannon, "counts"),
    "nested": Builder(nested, "counts"),
    "multiclass": Builder(multiclass, "counts"),
    "exact": Builder(exact, "Y"),
    "cheapest": Builder(cheapest, "Y"),
    "kmeans": Builder(kmeans, "X", is_seeded=True),
    "blend": Builder(blend, "X", is_seeded=True, is_spread=True),
}


def find_builder(name: str) -> Builder:
    """Return the builder with the given name."""
    if name not in BUILDERS:
        known = ", ".join(BUILDERS)
        raise ValueError(f"tree must be one of {known}, or a LabelTree, but is {shown(name)}")
    return BUILDERS[name]


def rows_of_tree(tree: LabelTree, Y: Any) -> LabelRows:
    """Return Y with its labels numbered like those of a user-provided tree.

    If the tree has names, labels are matched by name. Otherwise they are matched by number: label j
    of the tree is column j of an indicator; the j-th of the sorted labels if their number equals
    the number of leaves; or else the integer j.

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2])
    >>> rows_of_tree(tree, [["b"], ["a", "c"]]).indices.tolist()
    [1, 0, 2]
    >>> rows_of_tree(tree, [[2], [0]]).indices.tolist()
    [2, 0]
    """
    if tree.names is not None:
        return as_labels(Y, names=tree.names)
    rows = as_labels(Y)
    return rows if rows.n_labels == tree.n_labels else as_labels(Y, n_labels=tree.n_labels)

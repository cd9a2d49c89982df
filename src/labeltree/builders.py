"""Trees by name, as the estimators and the command line ask for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from labeltree import trees
from labeltree.data import LabelRows, as_labels
from labeltree.data.features import FeatureMatrix
from labeltree.trees import LabelTree

AUTO = "auto"


@dataclass(frozen=True)
class Builder:
    """How a tree is built from rows, with the options of the function of `labeltree.trees`."""

    build: Callable[..., LabelTree]
    takes: str  # "X" for features and labels, "Y" for labels, "counts", or "n_labels"
    is_seeded: bool = False  # whether another seed makes another tree

    def __call__(
        self,
        X: FeatureMatrix,
        rows: LabelRows,
        *,
        seed: int,
        n_jobs: int | None,
        options: Mapping[str, Any],
    ) -> LabelTree:
        arguments: dict[str, tuple[Any, ...]] = {
            "X": (X, rows),
            "Y": (rows,),
            "counts": (rows.counts,),
            "n_labels": (rows.n_labels,),
        }
        common: dict[str, Any] = {}
        if self.is_seeded:
            common["seed"] = seed
        if self.takes == "X":
            common["n_jobs"] = n_jobs
        tree = self.build(*arguments[self.takes], **(common | dict(options)))
        return tree if tree.names is not None else tree.with_names(rows.names)


def _complete(rows: LabelRows, **options: Any) -> LabelTree:
    return trees.complete(rows.n_labels, counts=rows.counts, **options)


def _auto(
    X: FeatureMatrix,
    rows: LabelRows,
    *,
    width: float = 3.0,
    min_per_row: float = 10.0,
    **options: Any,
) -> LabelTree:
    """Return like labels under wide nodes, the wider the more features a row has.

    Of all single trees it is among the most accurate for its training time (docs/study.md): rows
    with hundreds of features gain from wider nodes than rows with ten.
    """
    features_per_row = X.nnz / max(X.shape[0], 1)
    prices = trees.CostModel(per_row=max(width * features_per_row, min_per_row))
    defaults: dict[str, Any] = {"likeness": 0.75, "cost_model": prices}
    return trees.blend(X, rows, **(defaults | options))


BUILDERS: dict[str, Builder] = {
    AUTO: Builder(_auto, "X", is_seeded=True),
    "star": Builder(trees.star, "n_labels"),
    "complete": Builder(_complete, "Y"),
    "random": Builder(trees.random, "n_labels", is_seeded=True),
    "huffman": Builder(trees.huffman, "counts"),
    "shannon": Builder(trees.shannon, "counts"),
    "nested": Builder(trees.nested, "counts"),
    "multiclass": Builder(trees.multiclass, "counts"),
    "exact": Builder(trees.exact, "Y"),
    "cheapest": Builder(trees.cheapest, "Y"),
    "kmeans": Builder(trees.kmeans, "X", is_seeded=True),
    "blend": Builder(trees.blend, "X", is_seeded=True),
}


def find_builder(name: str) -> Builder:
    """Return the builder of a name."""
    if name not in BUILDERS:
        known = ", ".join(BUILDERS)
        raise ValueError(f"tree must be one of {known}, or a LabelTree, but is {name!r}")
    return BUILDERS[name]


def rows_of_tree(tree: LabelTree, Y: Any) -> LabelRows:
    """Return Y with its labels numbered as those of a tree that the user gave.

    Labels go by name if the tree has names. If not, they go by number: label j of the tree is
    column j of an indicator, the j-th of the sorted labels if there are as many of them as the tree
    has leaves, or else the integer j.

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

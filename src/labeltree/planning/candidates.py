"""Candidate trees for a data set, and the guarantee that each provides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from labeltree import trees
from labeltree.data import LabelRows
from labeltree.planning.default_fit import default_scaling, default_settings
from labeltree.threads import n_threads
from labeltree.training.forest import MAX_DEPTH
from labeltree.trees import CostModel, LabelTree
from labeltree.trees._cheapest import is_nested
from labeltree.trees._multiclass import DEFAULT_EXACT_UP_TO
from labeltree.trees.by_name import AUTO, find_builder
from labeltree.trees.cost_model import PAPER
from labeltree.units import compact

_MAX_STAR = 1000  # labels; beyond that, a tree should avoid one classifier per label
_MAX_EXACT = 12  # labels; takes milliseconds
_WIDE = 16  # children of the wide k-means tree


@dataclass(frozen=True)
class Inputs:
    """Input of the builders."""

    X: Any  # csr_array or None
    rows: LabelRows
    sweeps: int
    random_state: int
    n_jobs: int | None
    cost_model: CostModel

    @cached_property
    def is_multiclass(self) -> bool:
        """Whether no row has two labels."""
        return bool((np.diff(self.rows.indptr) <= 1).all())

    @cached_property
    def is_nested(self) -> bool:
        """Whether the rows of each label are a subset of those of every more frequent label."""
        return is_nested(self.rows)

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.rows.n_labels


@dataclass(frozen=True)
class Guarantee:
    """What is proven about the cost of a tree."""

    short: str  #: for a table column
    text: str


OPTIMAL = Guarantee("optimal", "no tree costs less on these rows")
NEAR_ENTROPY = Guarantee("opt+3", "at most 3 per row above the optimum, as no row has two labels")


@dataclass(frozen=True)
class Candidate:
    """A builder, when it applies, and what it guarantees."""

    name: str
    build: Callable[[Inputs], LabelTree]
    # Why the builder does not apply to these inputs; "" if it applies.
    unfit: Callable[[Inputs], str] = lambda inputs: ""
    # What is proven beyond max D_j for these inputs; None if nothing is.
    guarantee: Callable[[Inputs], Guarantee | None] = lambda inputs: None


def own_candidate(name: str, tree: LabelTree, rows: LabelRows) -> Candidate:
    """Return a user-supplied tree with its labels numbered like those of the rows."""
    if tree.n_labels != rows.n_labels:
        raise ValueError(f"tree {name} has {tree.n_labels} labels, but Y has {rows.n_labels}")
    if tree.names is not None and rows.names is not None:
        number = {label: j for j, label in enumerate(rows.names.tolist())}
        for label in tree.names:
            if label not in number:
                raise ValueError(f"tree {name} has label {label!r}, but Y does not")
        numbers = np.array([number[label] for label in tree.names], np.int32)
        labels = np.where(tree.label < 0, np.int32(-1), numbers[tree.label])
        tree = LabelTree.from_parents(tree.parent, labels, names=rows.names)
    return Candidate(name, lambda _: tree)


def times_optimum(factor: int) -> Guarantee:
    """Return the guarantee that every tree provides, with factor max D_j."""
    return Guarantee(
        f"≤{compact(factor)}×", f"at most {factor} times the optimum, for any label rows"
    )


def ternary_factor(n_labels: int) -> int:
    """Return 3⌈log₃ m⌉, the factor of the complete ternary tree; 1 for one label.

    Examples
    --------
    >>> ternary_factor(27), ternary_factor(28)
    (9, 12)
    """
    depth = 0
    while 3**depth < n_labels:
        depth += 1
    return max(3 * depth, 1)


def _needs_features(inputs: Inputs) -> str:
    return "needs features" if inputs.X is None else ""


def _needs_sweeps(inputs: Inputs) -> str:
    return "" if inputs.sweeps > 0 else "sweeps is 0"


def _at_most(limit: int) -> Callable[[Inputs], str]:
    return lambda inputs: f"more than {limit} labels" if inputs.n_labels > limit else ""


def _not_nested(inputs: Inputs) -> str:
    if not inputs.is_nested:
        return "labels are not nested"
    is_deep = inputs.X is not None and inputs.n_labels > MAX_DEPTH
    return f"more than {MAX_DEPTH:,} levels" if is_deep else ""


def _near_entropy(inputs: Inputs) -> Guarantee | None:
    return NEAR_ENTROPY if inputs.is_multiclass else None


def _multiclass_guarantee(inputs: Inputs) -> Guarantee:
    n_positive = int(np.count_nonzero(inputs.rows.counts))
    return OPTIMAL if n_positive <= DEFAULT_EXACT_UP_TO else NEAR_ENTROPY


def _cheapest_guarantee(inputs: Inputs) -> Guarantee | None:
    """Return the best guarantee of the proven trees: cheapest never costs more than they do."""
    if inputs.cost_model != PAPER:
        return None
    if inputs.is_nested:
        return OPTIMAL
    if inputs.is_multiclass:
        return _multiclass_guarantee(inputs)
    return times_optimum(ternary_factor(inputs.n_labels))


def _cheapest(inputs: Inputs, sweeps: int) -> LabelTree:
    return trees.cheapest(inputs.rows, sweeps=sweeps, cost_model=inputs.cost_model)


def _auto(inputs: Inputs) -> LabelTree:
    """Return the tree that the estimators build by default, from features weighted as in `fit`."""
    n_jobs = inputs.n_jobs
    settings = default_settings(inputs.random_state, n_jobs)
    scaling = default_scaling(inputs.X, inputs.rows, settings)
    build = find_builder(AUTO)
    X = scaling(inputs.X, n_threads(n_jobs))
    return build(X, inputs.rows, seed=inputs.random_state, n_jobs=n_jobs, options={})


def _kmeans(inputs: Inputs, **options: Any) -> LabelTree:
    return trees.kmeans(
        inputs.X, inputs.rows, random_state=inputs.random_state, n_jobs=inputs.n_jobs, **options
    )


def _collapsed_kmeans(inputs: Inputs) -> LabelTree:
    """Split down to single labels, so that collapse decides which labels share a node."""
    tree = _kmeans(inputs, max_leaf_size=1)
    return trees.collapse(tree, inputs.rows, cost_model=inputs.cost_model)


def _blend(inputs: Inputs) -> LabelTree:
    return trees.blend(
        inputs.X,
        inputs.rows,
        cost_model=inputs.cost_model,
        random_state=inputs.random_state,
        n_jobs=inputs.n_jobs,
    )


CANDIDATES = (
    Candidate(AUTO, _auto, unfit=_needs_features),
    Candidate("star", lambda i: trees.star(i.n_labels), unfit=_at_most(_MAX_STAR)),
    Candidate("complete", lambda i: trees.complete(i.n_labels, counts=i.rows.counts)),
    Candidate("huffman", lambda i: trees.huffman(i.rows.counts), guarantee=_near_entropy),
    Candidate("shannon", lambda i: trees.shannon(i.rows.counts), guarantee=_near_entropy),
    Candidate(
        "multiclass",
        lambda i: trees.multiclass(i.rows.counts),
        unfit=lambda i: "" if i.is_multiclass else "some row has two labels",
        guarantee=_multiclass_guarantee,
    ),
    Candidate(
        "nested",
        lambda i: trees.nested(i.rows.counts),
        unfit=_not_nested,
        guarantee=lambda i: OPTIMAL,
    ),
    Candidate(
        "exact",
        lambda i: trees.exact(i.rows),
        unfit=_at_most(_MAX_EXACT),
        guarantee=lambda i: OPTIMAL,
    ),
    Candidate("cheapest", lambda i: _cheapest(i, 0), guarantee=_cheapest_guarantee),
    Candidate(
        "cheapest+sweeps",
        lambda i: _cheapest(i, i.sweeps),
        unfit=_needs_sweeps,
        guarantee=_cheapest_guarantee,
    ),
    Candidate("kmeans", lambda i: _kmeans(i), unfit=_needs_features),
    Candidate(
        "kmeans16",
        lambda i: _kmeans(i, arity=_WIDE, max_leaf_size=_WIDE),
        unfit=_needs_features,
    ),
    Candidate("kmeans+collapse", _collapsed_kmeans, unfit=_needs_features),
    Candidate("blend", _blend, unfit=_needs_features),
)

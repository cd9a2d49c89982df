"""Trees with a scikit-learn classifier in each node: slow, for small problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, NoReturn, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix, canonical_csr
from labeltree.data.row_scaling import AS_THEY_ARE, RowScaling
from labeltree.model.calibration import (
    AT_LEAST_ONE,
    INDEPENDENT,
    ONE,
    Calibration,
    sibling_sums,
)
from labeltree.model.curve import Curve
from labeltree.model.interface import check_query
from labeltree.model.label_limits import LabelLimits
from labeltree.progress import Progress
from labeltree.training.fit import FitReport, FitSettings, Fitted, training_cost
from labeltree.training.forest import Sample, has_root
from labeltree.training.memory import peak_memory
from labeltree.training.parts import SolverCounts
from labeltree.trees import LabelTree

_ROWS_AT_ONCE = 1024  # whose probabilities of all nodes are in memory together
Probabilities: TypeAlias = "sparse.csr_array[np.float32, tuple[int, int]]"
Found: TypeAlias = "tuple[Probabilities, NDArray[np.int64]]"
#: The classifier of a node, or its probability if its rows are all positive or all negative.
Node = Any


@dataclass(frozen=True, eq=False)
class NodeModel:
    """Trees with a fitted estimator in each node; implements `LabelModel`."""

    trees: Sequence[LabelTree]
    nodes: Sequence[Sequence[Node]]  # [tree][node]
    n_features: int
    calibration: Calibration = field(default_factory=Calibration)
    link: None = None
    implications: None = None

    def calibrated(self, calibration: Calibration) -> Self:
        """Return the same model with another calibration."""
        return replace(self, calibration=calibration)

    def native(self, use: str) -> NoReturn:
        """Raise ValueError, because the nodes are not native."""
        raise ValueError(
            f"{use} is for native nodes, but node_estimator was set; fit without node_estimator"
        )

    @property
    def curve(self) -> Curve | None:
        """Map from products along paths, averaged over trees, to probabilities of labels."""
        return self.calibration.curve

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.trees[0].n_labels

    def search(
        self,
        X: FeatureMatrix,
        *,
        k: int | None = None,
        threshold: float = 0.0,
        limits: LabelLimits | None = None,
        by_weight: bool = False,
        beam: int | None = None,
        nodes_per_step: int = 1,
        scaling: RowScaling = AS_THEY_ARE,
        n_threads: int = 1,
    ) -> Found:
        """Return probabilities, best first in each row, and classifiers evaluated per row.

        A node is evaluated for all rows that reach it in one call. With one tree and no k, a row
        reaches the nodes whose parent's probability is at least the threshold; otherwise all nodes.
        """
        check_query(k, threshold)
        if beam is not None:
            self.native("beam")
        curve = self.calibration.curve
        if by_weight and k is not None and limits is None:
            limits = self.calibration.limits(self.n_labels)
        minimum = threshold if curve is None else float(curve.before(threshold))
        is_pruned = len(self.trees) == 1 and k is None and limits is None
        means, calls = self._means(scaling(X), minimum if is_pruned else 0.0)
        if limits is not None:
            return _limited(means, curve, limits, k, threshold), calls
        found = _ranked(means, k, minimum)
        return found if curve is None else curve.apply(found, threshold), calls

    def _means(
        self, X: FeatureMatrix, threshold: float
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the mean product of each label over the trees, and nodes evaluated per row."""
        means = np.zeros((X.shape[0], self.n_labels), np.float32)
        calls = np.zeros(X.shape[0], np.int64)
        for first in range(0, X.shape[0], _ROWS_AT_ONCE):
            part = slice(first, first + _ROWS_AT_ONCE)
            mean = np.zeros(means[part].shape)
            for tree, nodes in zip(self.trees, self.nodes, strict=True):
                estimates, evaluated = _walk(
                    tree, nodes, X[part], threshold, self.calibration.siblings
                )
                mean += estimates[:, tree.leaves] / len(self.trees)
                calls[part] += evaluated
            means[part] = mean
        return means, calls

    def top_k_row(
        self,
        indices: NDArray[np.int32],
        values: NDArray[np.float32],
        k: int,
        *,
        limits: LabelLimits | None = None,
        beam: int | None = None,
        scaling: RowScaling = AS_THEY_ARE,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k best labels of one row, padded with -1 and 0."""
        order = np.argsort(indices, kind="stable")
        ends = np.array([0, len(indices)])
        row = canonical_csr(ends, indices[order], values[order], self.n_features)
        found, _ = self.search(row, k=k, limits=limits, by_weight=True, beam=beam, scaling=scaling)
        n_missing = k - found.nnz
        return (
            np.append(found.indices.astype(np.int64), np.full(n_missing, -1)),
            np.append(found.data, np.zeros(n_missing, np.float32)),
        )

    def probabilities_of(
        self,
        X: FeatureMatrix,
        labels: LabelRows,
        *,
        scaling: RowScaling = AS_THEY_ARE,
        n_threads: int = 1,
    ) -> NDArray[np.float32]:
        """Return the probabilities of given labels of each row, in the order of labels.indices."""
        row = np.repeat(np.arange(labels.n_rows), np.diff(labels.indptr))
        found = self._means(scaling(X), 0.0)[0][row, labels.indices]
        return found if self.curve is None else self.curve(found)

    def classifier(self, tree: int, node: int, features: NDArray[np.int32]) -> None:
        """Return None, because the weights of an arbitrary estimator are not known."""

    def ranker(self, label: int, features: NDArray[np.int32]) -> None:
        """Return None, because rankers require native nodes."""

    def child_estimates(self, tree: int, node: int, row: FeatureMatrix) -> NDArray[np.float64]:
        """Return P(z_c = 1 | z_v = 1, x) for each child c of node v; of the root if v is -1."""
        children = [0] if node < 0 else self.trees[tree].children(node)
        estimates = _scores(self.nodes[tree], children, row)
        siblings = INDEPENDENT if node < 0 else self.calibration.siblings
        return np.asarray(normalized(estimates, siblings)[0])

    def covered(self, X: FeatureMatrix) -> NDArray[np.float64]:
        """Return the probabilities of all labels of the first tree, normalized as by Theorem 6."""
        tree = self.trees[0]
        siblings = ONE if self.calibration.siblings == ONE else AT_LEAST_ONE
        return _walk(tree, self.nodes[0], X, 0.0, siblings)[0][:, tree.leaves]


def fit_node_estimators(
    X: FeatureMatrix,
    rows: LabelRows,
    settings: FitSettings,
    estimator: Any,
    *,
    weight: NDArray[np.float32] | None = None,
    progress: Progress | None = None,
) -> Fitted:
    """Return trees with a clone of the estimator in each node, fitted to the rows that reach it.

    A node whose rows are all positive has the probability 1; if all are negative, 0.
    """
    _check(estimator, settings, weight)
    report = progress or (lambda done, total, name: None)
    report(0.0, 0.0, "building trees")
    began = perf_counter()
    samples = settings.forest.samples(rows, weight)
    trees = settings.forest.grow(X, samples, n_jobs=settings.n_jobs)
    report(1.0, 1.0, "building trees")
    grown = perf_counter()
    with_root = has_root(rows, weight)
    total = float(sum(tree.n_nodes for tree in trees))
    nodes: list[list[Node]] = []
    done = 0.0
    for tree, sample in zip(trees, samples, strict=True):
        nodes.append([])
        fitter = _Fitter(X, tree, sample, estimator, with_root=with_root)
        for v in range(tree.n_nodes):
            nodes[-1].append(fitter.fit(v))
            done += 1
            report(done, total, "training")
    siblings = sibling_sums(settings.normalize_proba, rows.kind)
    model = NodeModel(trees, nodes, X.shape[1], Calibration(siblings=siblings))
    times = FitReport(grown - began, perf_counter() - grown, peak_memory())
    return Fitted(model, training_cost(trees, samples), SolverCounts(n_iter=1), times)


def _check(estimator: Any, settings: FitSettings, weight: NDArray[np.float32] | None) -> None:
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"node_estimator must have predict_proba, but {type(estimator).__name__} does not"
        )
    for name in ("checkpoint_dir", "max_memory"):
        if getattr(settings, name) is not None:
            raise ValueError(
                f"{name} requires the native solver; leave it None if node_estimator is set"
            )
    if isinstance(settings.validation_fraction, float):
        raise ValueError(
            "validation_fraction requires the native solver; leave it at 'auto' if node_estimator "
            "is set"
        )
    if weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"rows have weights, but {type(estimator).__name__} does not support sample_weight"
        )


class _Fitter:
    """Fits the nodes of one tree, parents first."""

    def __init__(
        self, X: FeatureMatrix, tree: LabelTree, sample: Sample, estimator: Any, *, with_root: bool
    ) -> None:
        self._X, self._tree, self._estimator = X, tree, estimator
        self._weight, self._with_root = sample.weight, with_root
        self._drawn = sample.is_drawn
        self._positive = _positive_rows(tree, sample.rows)

    def fit(self, v: int) -> Node:
        if v == 0 and not self._with_root:
            return 1.0
        reaches = self._positive[self._tree.parent[v]] if v else np.flatnonzero(self._drawn)
        target = np.isin(reaches, self._positive[v])
        if not target.any() or target.all():
            return float(target.any())
        arguments = {} if self._weight is None else {"sample_weight": self._weight[reaches]}
        return clone(self._estimator).fit(self._X[reaches], target.astype(np.int8), **arguments)


def _positive_rows(tree: LabelTree, rows: LabelRows) -> list[NDArray[np.int64]]:
    """Return for each node the rows that have one of its labels, sorted."""
    row = np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr))
    order = np.argsort(rows.indices, kind="stable")
    by_label = np.split(row[order], np.cumsum(rows.counts)[:-1])
    positive: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * tree.n_nodes
    for v in reversed(range(tree.n_nodes)):  # children have larger numbers
        if tree.label[v] >= 0:
            positive[v] = by_label[tree.label[v]]
        else:
            positive[v] = np.unique(np.concatenate([positive[c] for c in tree.children(v)]))
    return positive


def _walk(
    tree: LabelTree, nodes: Sequence[Node], X: FeatureMatrix, threshold: float, siblings: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the probability of each node, 0 if not evaluated, and nodes evaluated per row."""
    estimates = np.zeros((X.shape[0], tree.n_nodes))
    estimates[:, :1] = _scores(nodes, [0], X)
    calls = np.full(X.shape[0], 0 if isinstance(nodes[0], float) else 1, np.int64)
    for v in np.flatnonzero(tree.degree).tolist():
        children = tree.children(v)
        reaches = np.flatnonzero(estimates[:, v] >= threshold)
        if len(reaches):
            of_children = normalized(_scores(nodes, children, X[reaches]), siblings)
            estimates[reaches[:, None], children] = estimates[reaches, v, None] * of_children
        calls[reaches] += len(children)
    return estimates, calls


def _scores(
    nodes: Sequence[Node], children: Sequence[int], X: FeatureMatrix
) -> NDArray[np.float64]:
    """Return the estimates of siblings, [row, child]."""
    scores = np.empty((X.shape[0], len(children)))
    for c, child in enumerate(children):
        node = nodes[child]
        scores[:, c] = node if isinstance(node, float) else node.predict_proba(X)[:, 1]
    return scores


def normalized(estimates: NDArray[np.float64], siblings: str) -> NDArray[np.float64]:
    """Return the estimates of siblings, [row, child], normalized as in core/model/siblings.hpp.

    Examples
    --------
    >>> normalized(np.array([[0.5, 1.0], [0.0, 0.0]]), ONE).round(2).tolist()
    [[0.33, 0.67], [0.5, 0.5]]
    """
    if siblings == INDEPENDENT:
        return estimates
    sums = estimates.sum(axis=1, keepdims=True)
    even = np.full_like(estimates, 1 / estimates.shape[1])
    shares = np.divide(estimates, sums, out=even, where=sums > 0)
    return shares if siblings == ONE else np.where(sums < 1, shares, estimates)


def _ranked(means: NDArray[np.float32], k: int | None, threshold: float) -> Probabilities:
    """Return the k best labels of each row with at least the threshold, best first."""
    order = np.argsort(-means, axis=1, kind="stable")[:, :k]
    values = np.take_along_axis(means, order, axis=1)
    return _compressed(order, values, values >= np.float32(threshold), means.shape)


def _limited(
    means: NDArray[np.float32],
    curve: Curve | None,
    limits: LabelLimits,
    k: int | None,
    threshold: float,
) -> Probabilities:
    """Return the k best labels of each row by weight times probability, within the limits."""
    known = means if curve is None else curve(means)
    weights = np.ones(means.shape[1], np.float32) if limits.weights is None else limits.weights
    thresholds = 0.0 if limits.thresholds is None else limits.thresholds
    allowed = (weights > 0) & (known >= np.float32(threshold)) & (known >= thresholds)
    order = np.argsort(np.where(allowed, -weights * known, np.inf), axis=1, kind="stable")[:, :k]
    values = np.take_along_axis(known, order, axis=1)
    return _compressed(order, values, np.take_along_axis(allowed, order, axis=1), means.shape)


def _compressed(
    labels: NDArray[np.int64],
    values: NDArray[np.float32],
    kept: NDArray[np.bool_],
    shape: Any,
) -> Probabilities:
    indptr = np.append(0, np.cumsum(kept.sum(axis=1)))
    return sparse.csr_array((values[kept], labels[kept].astype(np.int32), indptr), shape=shape)

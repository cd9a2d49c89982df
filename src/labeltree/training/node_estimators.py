"""Trees whose nodes are any scikit-learn classifiers: slow, for small problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from labeltree import bounds
from labeltree.data import LabelRows, as_features
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import AS_THEY_ARE, RowScaling
from labeltree.model.calibration import Calibration
from labeltree.model.curve import Curve
from labeltree.model.model import check_query
from labeltree.progress import Progress
from labeltree.training.fit import FitSettings, Fitted, training_cost
from labeltree.training.forest import Sample, has_root
from labeltree.trees import LabelTree

_ROWS_AT_ONCE = 1024  # so many rows have the probabilities of all nodes in memory
#: A node's classifier, or its probability where all its rows are of one kind.
Node = Any


@dataclass(frozen=True, eq=False)
class NodeModel:
    """Trees with a fitted classifier in each node; answers like `labeltree.model.Model`."""

    trees: Sequence[LabelTree]
    nodes: Sequence[Sequence[Node]]  # [tree][node]
    n_features: int
    calibration: Calibration = field(default_factory=Calibration)

    def calibrated(self, calibration: Calibration) -> Self:
        """Return the same model with another calibration."""
        return replace(self, calibration=calibration)

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
        X: Any,
        *,
        top_k: int | None = None,
        threshold: float = 0.0,
        at_once: int | None = None,
        scaling: RowScaling = AS_THEY_ARE,
        n_threads: int = 1,
    ) -> tuple[sparse.csr_array[np.float32, tuple[int, int]], NDArray[np.int64]]:
        """Return probabilities, best first in each row, and how many classifiers each row called.

        A node is asked about all rows that reach it at once. With one tree and no top_k those are
        the rows whose parent is at least as probable as the threshold; else all rows. So at_once,
        which `Model.search` knows, changes nothing here.
        """
        check_query(top_k, threshold)
        curve = self.calibration.curve
        least = threshold if curve is None else float(curve.before(threshold))
        rows = scaling(as_features(X, n_features=self.n_features))
        is_pruned = len(self.trees) == 1 and top_k is None
        found: list[NDArray[Any]] = []
        calls = np.zeros(rows.shape[0], np.int64)
        for first in range(0, rows.shape[0], _ROWS_AT_ONCE):
            part = rows[first : first + _ROWS_AT_ONCE]
            mean = np.zeros((part.shape[0], self.n_labels))
            for tree, nodes in zip(self.trees, self.nodes, strict=True):
                estimates, asked = _walk(tree, nodes, part, least if is_pruned else 0.0)
                mean += estimates[:, tree.leaves] / len(self.trees)
                calls[first : first + _ROWS_AT_ONCE] += asked
            found.append(mean.astype(np.float32))
        answers = _ranked(found, self.n_labels, top_k, least)
        return answers if curve is None else curve.of(answers, threshold), calls

    def classifier(self, tree: int, node: int) -> None:
        """Return None: what a node is made of is known to its own estimator alone."""

    def child_estimates(self, tree: int, node: int, row: FeatureMatrix) -> NDArray[np.float64]:
        """Return P(z_c = 1 | z_v = 1, x) of the children c of a node v; of the root for v = -1."""
        children = [0] if node < 0 else self.trees[tree].children(node)
        answers = [_ask(self.nodes[tree][c], row) for c in children]
        return np.array([np.ravel(answer)[0] for answer in answers], np.float64)

    def covered(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of all labels of the first tree, normalised as by Theorem 6."""
        rows = as_features(X, n_features=self.n_features)
        tree = self.trees[0]
        estimates = np.empty((rows.shape[0], tree.n_nodes))
        for v, node in enumerate(self.nodes[0]):
            estimates[:, v] = _ask(node, rows)
        return bounds.normalized_products(tree, estimates)[:, tree.leaves]


def fit_node_estimators(
    X: FeatureMatrix,
    rows: LabelRows,
    settings: FitSettings,
    estimator: Any,
    *,
    weight: NDArray[np.float32] | None = None,
    progress: Progress | None = None,
) -> Fitted:
    """Return trees with a clone of the estimator in each node, fitted over the rows that reach it.

    A node whose rows are all positive or all negative has the probability 1 or 0.
    """
    _check(estimator, settings, weight)
    samples = settings.forest.samples(rows, weight)
    trees = settings.forest.grow(X, samples, n_jobs=settings.n_jobs)
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
            if progress is not None:
                progress(done, total, "training")
    model = NodeModel(trees, nodes, X.shape[1])
    return Fitted(model, training_cost(trees, samples), 0)


def _check(estimator: Any, settings: FitSettings, weight: NDArray[np.float32] | None) -> None:
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"node_estimator must have predict_proba, but {type(estimator).__name__} has not"
        )
    for name in ("checkpoint", "max_memory"):
        if getattr(settings, name) is not None:
            raise ValueError(f"{name} is for the native solver; leave it None with node_estimator")
    if weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"{type(estimator).__name__} takes no sample_weight, but rows have weights"
        )


class _Fitter:
    """Fits the nodes of one tree, parents first."""

    def __init__(
        self, X: FeatureMatrix, tree: LabelTree, sample: Sample, estimator: Any, *, with_root: bool
    ) -> None:
        self._X, self._tree, self._estimator = X, tree, estimator
        self._weight, self._with_root = sample.weight, with_root
        self._seen = sample.is_seen
        self._positive = _positive_rows(tree, sample.rows)

    def fit(self, v: int) -> Node:
        if v == 0 and not self._with_root:
            return 1.0
        reaches = self._positive[self._tree.parent[v]] if v else np.flatnonzero(self._seen)
        target = np.isin(reaches, self._positive[v])
        if not target.any() or target.all():
            return float(target.any())
        arguments = {} if self._weight is None else {"sample_weight": self._weight[reaches]}
        return clone(self._estimator).fit(self._X[reaches], target.astype(np.int8), **arguments)


def _positive_rows(tree: LabelTree, rows: LabelRows) -> list[NDArray[np.int64]]:
    """Return the rows of each node that have one of its labels, ascending."""
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
    tree: LabelTree, nodes: Sequence[Node], X: FeatureMatrix, threshold: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the probability of each node, 0 where it was not asked, and how many were asked."""
    estimates = np.zeros((X.shape[0], tree.n_nodes))
    calls = np.zeros(X.shape[0], np.int64)
    for v in range(tree.n_nodes):
        above = estimates[:, tree.parent[v]] if v else np.ones(X.shape[0])
        reaches = np.flatnonzero(above >= threshold)
        if len(reaches):
            estimates[reaches, v] = above[reaches] * _ask(nodes[v], X[reaches])
        calls[reaches] += 0 if v == 0 and isinstance(nodes[0], float) else 1
    return estimates, calls


def _ask(node: Node, X: FeatureMatrix) -> NDArray[np.float64] | float:
    return node if isinstance(node, float) else np.asarray(node.predict_proba(X)[:, 1])


def _ranked(
    parts: list[NDArray[np.float32]], n_labels: int, top_k: int | None, threshold: float
) -> sparse.csr_array[np.float32, tuple[int, int]]:
    labels: list[NDArray[np.int32]] = []
    values: list[NDArray[np.float32]] = []
    for row in (row for part in parts for row in part):
        order = np.argsort(-row, kind="stable")[:top_k]
        order = order[row[order] >= np.float32(threshold)].astype(np.int32)
        labels.append(order)
        values.append(row[order])
    indptr = np.cumsum([0, *map(len, labels)])
    arrays = (np.concatenate([*values, []]), np.concatenate([*labels, []]), indptr)
    shape = (len(labels), n_labels)
    return sparse.csr_array(
        (arrays[0].astype(np.float32), arrays[1].astype(np.int32), indptr), shape=shape
    )

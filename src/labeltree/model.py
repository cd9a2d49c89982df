"""A forest of label trees with their node classifiers: what training makes and queries read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from labeltree import _core
from labeltree.data import as_features
from labeltree.data.features import FeatureMatrix
from labeltree.training import NodeWeights
from labeltree.trees import LabelTree

#: Slope and intercept of the sigmoid that makes a probability of a score, by loss. The squared
#: hinge gives no probabilities of its own; these rank best (benchmarks/study.py, "links").
LINKS = {"logistic": (1.0, 0.0), "squared_hinge": (4.0, 1.0)}


class NodeClassifier(NamedTuple):
    """One node: its probability is the sigmoid of slope * (weights @ x + bias) + intercept."""

    features: NDArray[np.int32]  # columns of X, ascending; the weights of all others are 0
    weights: NDArray[np.float32]
    bias: float
    slope: float
    intercept: float


class Model:
    """Trees over the same labels; a label's probability is the mean over the trees.

    Parameters
    ----------
    trees
        One or more trees.
    weights
        The node classifiers of each tree. They are laid out anew for queries and not kept as they
        are.
    link
        How scores become probabilities: the loss that the weights were fitted with.
    n_features
        Columns of X.
    has_root
        Whether the root has a classifier of its own, because some training rows had no label.
    """

    def __init__(
        self,
        trees: Sequence[LabelTree],
        weights: Iterable[NodeWeights],
        link: str,
        n_features: int,
        has_root: bool,
    ) -> None:
        self.trees, self.link, self.n_features, self.has_root = trees, link, n_features, has_root
        self._native = [
            _core.TreeModel(tree._native, *w, n_features, *LINKS[link], has_root)
            for tree, w in zip(trees, weights, strict=True)
        ]

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.trees[0].n_labels

    @property
    def weights(self) -> list[NodeWeights]:
        """The weights of each tree by node, as a copy."""
        return [NodeWeights(*native.by_node()) for native in self._native]

    @property
    def n_weights(self) -> int:
        """Number of weights kept, over all nodes and trees."""
        return sum(native.n_weights for native in self._native)

    def search(
        self, X: Any, *, top_k: int | None, threshold: float, n_threads: int
    ) -> tuple[sparse.csr_array[np.float32, tuple[int, int]], NDArray[np.int64]]:
        """Return probabilities, best first in each row, and how many classifiers each row called.

        The indices of the matrix are not sorted: a row's entries are in the order of probability.
        """
        check_query(top_k, threshold)
        rows = as_features(X, n_features=self.n_features)
        indptr, labels, probabilities, calls = _core.search(
            self._native,
            rows.indptr.astype(np.int64, copy=False),
            rows.indices,
            rows.data,
            min(top_k or 0, self.n_labels),
            threshold,
            n_threads,
        )
        found = sparse.csr_array(
            (probabilities, labels, indptr), shape=(rows.shape[0], self.n_labels)
        )
        return found, calls

    def classifier(self, tree: int, node: int) -> NodeClassifier | None:
        """Return the classifier of a node, or None for a root that has none."""
        if node == 0 and not self.has_root:
            return None
        features, weights, bias = self._native[tree].node_weights(node)
        return NodeClassifier(features, weights, bias, *LINKS[self.link])

    def child_estimates(self, tree: int, node: int, row: FeatureMatrix) -> NDArray[np.float64]:
        """Return P(z_c = 1 | z_v = 1, x) of the children c of a node v; of the root for v = -1."""
        if node < 0 and not self.has_root:
            return np.ones(1)
        indptr = row.indptr.astype(np.int64, copy=False)
        scores = self._native[tree].child_scores(node, indptr, row.indices, row.data)
        return self._probabilities(scores)

    def node_estimates(self, X: Any, tree: int = 0) -> NDArray[np.float64]:
        """Return P(z_v = 1 | z_pa(v) = 1, x) of all nodes: (n_rows, n_nodes), so not for many rows.

        `labeltree.bounds.path_products` makes P(z_v = 1 | x) of them.
        """
        rows = as_features(X, n_features=self.n_features)
        weights = NodeWeights(*self._native[tree].by_node())
        shape = (self.trees[tree].n_nodes, self.n_features)
        by_node = sparse.csr_array((weights.values, weights.features, weights.indptr), shape=shape)
        estimates = self._probabilities((rows @ by_node.T).toarray() + weights.bias)
        if not self.has_root:
            estimates[:, 0] = 1.0
        return estimates

    def _probabilities(self, scores: NDArray[np.float32]) -> NDArray[np.float64]:
        slope, intercept = LINKS[self.link]
        return np.asarray(expit(slope * scores.astype(np.float64) + intercept))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.trees, self.weights, self.link, self.n_features, self.has_root)
        return type(self), parts


def check_query(top_k: int | None, threshold: float) -> None:
    """Refuse a number of labels or a threshold that makes no sense."""
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k must be at least 1, but is {top_k}")
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must lie in 0..1, but is {threshold}")

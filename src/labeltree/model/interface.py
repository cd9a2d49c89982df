"""The interface of a model that estimators rely on, for any kind of node classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.arguments import check_integer
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import AS_THEY_ARE, RowScaling
from labeltree.model.calibration import Calibration
from labeltree.model.curve import Curve
from labeltree.model.implications import Implications
from labeltree.model.label_limits import LabelLimits
from labeltree.trees import LabelTree

if TYPE_CHECKING:
    from labeltree.model.model import Model


class NodeClassifier(NamedTuple):
    """One node: its probability is the sigmoid of slope * (weights @ x + bias) + intercept."""

    weights: NDArray[np.float32]  # of the features that were asked for; 0 where there is none
    bias: float
    slope: float
    intercept: float


class PathScores(NamedTuple):
    """The (row, node) pairs of Algorithm 1, row by row: children of positive nodes, and the root.

    The root is included only if it has a classifier of its own.
    """

    nodes: NDArray[np.int32]
    scores: NDArray[np.float32]  # scores of the node's classifier, before any link
    is_positive: NDArray[np.bool_]  # whether the row has a label under the node


class LabelModel(Protocol):
    """Trees over the same labels with a classifier in each node.

    `Model` has native linear classifiers, `NodeModel` has scikit-learn estimators. Rows of X must
    have been checked by `labeltree.data.as_features`.
    """

    @property
    def trees(self) -> Sequence[LabelTree]:
        """The trees."""

    @property
    def n_features(self) -> int:
        """Number of columns of X."""

    @property
    def n_labels(self) -> int:
        """Number of labels."""

    @property
    def calibration(self) -> Calibration:
        """How scores become probabilities, and probabilities become label sets."""

    @property
    def curve(self) -> Curve | None:
        """Map from products along paths, averaged over trees, to probabilities of labels."""

    @property
    def link(self) -> str | None:
        """The loss that node scores come from; None if nodes return probabilities."""

    @property
    def implications(self) -> Implications | None:
        """Labels that imply others; None if there are none."""

    def calibrated(self, calibration: Calibration) -> Self:
        """Return the same model with another calibration."""

    def native(self, use: str) -> Model:
        """Return the model if its nodes are native; else raise a ValueError that names `use`."""

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
    ) -> tuple[sparse.csr_array[np.float32, tuple[int, int]], NDArray[np.int64]]:
        """Return probabilities, best first in each row, and classifiers evaluated per row."""

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

    def probabilities_of(
        self,
        X: FeatureMatrix,
        labels: LabelRows,
        *,
        scaling: RowScaling = AS_THEY_ARE,
        n_threads: int = 1,
    ) -> NDArray[np.float32]:
        """Return the probabilities of given labels of each row, in the order of labels.indices."""

    def classifier(
        self, tree: int, node: int, features: NDArray[np.int32]
    ) -> NodeClassifier | None:
        """Return the linear classifier of a node for these features, or None if it has none."""

    def ranker(self, label: int, features: NDArray[np.int32]) -> NodeClassifier | None:
        """Return the ranker of a label for these features, or None if it has none."""

    def child_estimates(self, tree: int, node: int, row: FeatureMatrix) -> NDArray[np.float64]:
        """Return P(z_c = 1 | z_v = 1, x) for each child c of node v; of the root if v is -1."""

    def covered(self, X: FeatureMatrix) -> NDArray[Any]:
        """Return products along paths to all labels, normalized for Theorem 6; for a few rows."""


def check_query(k: int | None, threshold: float) -> None:
    """Raise ValueError if k or the threshold is out of range."""
    if k is not None:
        check_integer("k", k, minimum=1)
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must lie in 0..1, but is {threshold}")

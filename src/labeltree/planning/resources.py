"""Estimates for a tree: training time, training memory and model size.

Nothing is timed: operations are counted and multiplied by `RATES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import _core, cost
from labeltree.data import LabelRows
from labeltree.trees import LabelTree

#: Maximum number of entries of X read to count the features of all nodes; takes a few seconds.
MAX_ENTRIES = 4e9


@dataclass(frozen=True)
class Rates:
    """Time and memory of each operation on one core.

    The rates are fitted to the training times of thirteen trees on eurlex-4k
    (benchmarks/pages/cost_model.py), and rounded up for weights that do not stay in cache. Absolute
    times are rough; the ratio between two trees is more accurate. `planning.measure_cost_model`
    fits a cost model to your own rows and machine.
    """

    train_row_ns: float = 8.0  #: per feature of a row, for each node whose children it trains
    train_pair_ns: float = 2.0  #: per feature of a row, for each node it trains
    bytes_per_weight: int = 8  #: feature number and value of each weight
    n_lanes: int = 16  #: nodes trained at once, with a float32 for every feature


RATES = Rates()


@dataclass(frozen=True)
class Resources:
    """Estimates for one tree, on one core."""

    training_seconds: float
    training_bytes: float  #: upper bound: data, model and the buffers of nodes in training
    model_bytes: float  #: upper bound: all weights before thresholding


@dataclass(frozen=True)
class FeatureCounts:
    """The sparsity pattern of X, shared by the estimates of all trees."""

    indptr: NDArray[np.int64]
    features: NDArray[np.int32]
    n_features: int
    n_rows: int
    n_used: int  #: features that occur in at least one row

    @classmethod
    def of(cls, X: Any) -> FeatureCounts:
        """Return the sparsity pattern of X, a CSR array made by `as_features`."""
        used = np.zeros(X.shape[1], bool)
        used[X.indices] = True
        indptr = X.indptr.astype(np.int64, copy=False)
        features = X.indices.astype(np.int32, copy=False)
        return cls(indptr, features, X.shape[1], X.shape[0], int(np.count_nonzero(used)))

    @property
    def per_row(self) -> float:
        """Mean number of features per row."""
        return len(self.features) / max(self.n_rows, 1)

    def sample(self, share: float, seed: int) -> FeatureCounts:
        """Return the pattern with about the given share of the features, drawn at random."""
        kept = np.random.default_rng(seed).random(self.n_features) < share
        entries = kept[self.features]
        filled = np.diff(self.indptr) > 0
        lengths = np.zeros(self.n_rows, np.int64)
        lengths[filled] = np.add.reduceat(entries, self.indptr[:-1][filled], dtype=np.int64)
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        features, n_used = self.features[entries], int(np.count_nonzero(kept))
        return FeatureCounts(indptr, features, self.n_features, self.n_rows, n_used)


def active_features(
    tree: LabelTree,
    rows: LabelRows,
    X: FeatureCounts,
    *,
    max_entries: float = MAX_ENTRIES,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Return the number of distinct features in the rows of each inner node; 0 for leaves.

    The counts are exact if the rows of all inner nodes together have at most `max_entries` entries
    of X. Beyond that, features are sampled and their counts scaled up, which is unbiased.
    """
    inner = tree.degree > 0
    entries = float(cost.node_weights(tree, rows)[inner].sum()) * X.per_row
    share = min(1.0, max_entries / max(entries, 1.0))
    if share < 1.0:
        X = X.sample(share, seed)
    counts = _core.active_features(
        tree._native, rows.indptr, rows.indices, X.indptr, X.features, X.n_features
    )
    return counts / share


def estimate(
    tree: LabelTree,
    rows: LabelRows,
    X: FeatureCounts,
    *,
    rates: Rates = RATES,
) -> Resources:
    """Return the estimates for training a tree on these rows.

    A node has at most one weight for each feature that occurs in a row of its parent. The time of a
    query is not estimated, because the number of nodes does not determine it: the children of a
    node lie side by side, so a few wide nodes take less time than many narrow ones.
    """
    active = active_features(tree, rows, X)
    weights = X.n_used + float(active @ tree.degree)
    model_bytes = weights * rates.bytes_per_weight
    data_bytes = 8 * len(X.features) + 4 * len(rows.indices) + 16 * X.n_rows
    buffers = 4 * rates.n_lanes * float(active.max())
    weight = cost.node_weights(tree, rows)
    nanoseconds = rates.train_row_ns * float(weight[tree.degree > 0].sum())
    nanoseconds += rates.train_pair_ns * (rows.n_rows + float(weight @ tree.degree))
    return Resources(
        training_seconds=nanoseconds * X.per_row * 1e-9,
        training_bytes=data_bytes + model_bytes + buffers,
        model_bytes=model_bytes,
    )

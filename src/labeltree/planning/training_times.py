"""Measured training times on this machine, and the cost model fitted to them."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from labeltree import _core, trees
from labeltree.arguments import checked
from labeltree.data import LabelRows, as_features, as_labels
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import UNIT
from labeltree.training.nodes import make_trainer, train_tree
from labeltree.training.solver_settings import SolverSettings
from labeltree.trees import CostModel, LabelTree

#: From the paper's cost model, which favors narrow nodes, to ones that favor ever wider nodes.
PER_ROW = (0.0, 3.0, 10.0, 30.0, 100.0, 300.0)
_MIN_SHARE = 1e-3  # of the per-row cost, since a cost model needs both


class Times(NamedTuple):
    """Operation counts of several trees, and the CPU seconds that training them took."""

    rows: NDArray[np.float64]  # rows of all inner nodes of a tree, summed
    pairs: NDArray[np.float64]  # rows times children, summed
    cost: NDArray[np.float64]  # the estimate of the trainer, summed over packs
    seconds: NDArray[np.float64]

    def prices(self) -> tuple[float, float]:
        """Return microseconds per row of a node and per pair, by relative least squares."""
        counts = np.column_stack([self.rows, self.pairs]) / self.seconds[:, None]
        per_row, per_pair = nnls(counts, np.full(len(counts), 1e6))[0]
        return float(per_row), float(max(per_pair, _MIN_SHARE * per_row, 1e-9))

    def predicted(self) -> NDArray[np.float64]:
        """Return the seconds that the fitted cost model predicts."""
        per_row, per_pair = self.prices()
        return (per_row * self.rows + per_pair * self.pairs) / 1e6

    def by_cost(self) -> NDArray[np.float64]:
        """Return the seconds predicted by the trainer's estimates, scaled by the best factor.

        A trainer fits up to 16 classifiers at once, so its time does not follow from pairs alone.
        """
        return np.asarray(self.cost * np.exp(np.mean(np.log(self.seconds / self.cost))))


def operation_counts(tree: LabelTree, rows: LabelRows) -> tuple[float, float]:
    """Return the total number of rows of the inner nodes, and of (row, child) pairs."""
    weights = _core.node_weights(tree._native, rows.indptr, rows.indices)
    inner = tree.degree > 0
    return float(weights[inner].sum()), float(weights @ tree.degree)


def time_trees(grown: list[LabelTree], X: FeatureMatrix, rows: LabelRows) -> Times:
    """Return how long each tree takes to train on one thread."""
    counts = np.array([operation_counts(tree, rows) for tree in grown])
    cost = [make_trainer(tree, X, rows, SolverSettings()).costs().sum() for tree in grown]
    seconds = []
    for tree in grown:
        start = time.process_time()
        train_tree(tree, X, rows, SolverSettings())
        seconds.append(max(time.process_time() - start, 1e-6))
    return Times(counts[:, 0], counts[:, 1], np.array(cost), np.array(seconds))


def measure_times(X: Any, Y: object, *, max_rows: int, seed: int) -> Times:
    """Return how long trees of different widths take on a sample of the rows."""
    features, rows = as_features(X), as_labels(Y)
    if features.shape[0] != rows.n_rows:
        raise ValueError(
            "X and Y must have the same number of rows, but have "
            f"{features.shape[0]} and {rows.n_rows}"
        )
    if rows.n_rows > max_rows:
        chosen = np.sort(np.random.default_rng(seed).choice(rows.n_rows, max_rows, replace=False))
        features, rows = as_features(features[chosen]), rows.select(chosen)
    features = UNIT(features)
    grown = [trees.cheapest(rows, cost_model=CostModel(per_row)) for per_row in PER_ROW]
    return time_trees(grown, features, rows)


@checked
def measure_cost_model(
    X: Any, Y: object, *, max_rows: int = 20_000, random_state: int = 0
) -> CostModel:
    """Return a cost model in microseconds, fitted to training times on this machine.

    Trees of different widths are trained on a sample of the rows, on one thread. The two prices
    of the model are fitted to the measured times.

    Parameters
    ----------
    X, Y
        Rows similar to those you want to train on.
    max_rows
        Maximum number of rows to train on.
    random_state
        Seed for drawing the sample.

    Examples
    --------
    >>> prices = measure_cost_model(np.eye(200), np.arange(200))
    >>> prices.per_pair > 0
    True
    """
    times = measure_times(X, Y, max_rows=max_rows, seed=random_state)
    return CostModel(*times.prices())

"""How long trees take to train on this machine, and the price list that explains it."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from labeltree import _core, trees
from labeltree.data import LabelRows, as_features, as_labels
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import UNIT
from labeltree.training.nodes import SolverSettings, make_trainer, train_tree
from labeltree.trees import CostModel, LabelTree

#: From the paper's price list, which makes narrow nodes, to ever wider ones.
PER_ROW = (0.0, 3.0, 10.0, 30.0, 100.0, 300.0)
_LEAST_SHARE = 1e-3  # of the other price, since a price list needs both


class Times(NamedTuple):
    """What some trees ask for, and the CPU seconds that their training took."""

    rows: NDArray[np.float64]  # rows of all inner nodes of a tree, summed
    pairs: NDArray[np.float64]  # rows times children, summed
    cost: NDArray[np.float64]  # as the trainer estimates it, for all packs
    seconds: NDArray[np.float64]

    def prices(self) -> tuple[float, float]:
        """Return microseconds for a row of a node and for a pair, by relative least squares."""
        asked = np.column_stack([self.rows, self.pairs]) / self.seconds[:, None]
        per_row, per_pair = nnls(asked, np.full(len(asked), 1e6))[0]
        return float(per_row), float(max(per_pair, _LEAST_SHARE * per_row, 1e-9))

    def predicted(self) -> NDArray[np.float64]:
        """Return the seconds that the prices say."""
        per_row, per_pair = self.prices()
        return (per_row * self.rows + per_pair * self.pairs) / 1e6

    def by_cost(self) -> NDArray[np.float64]:
        """Return the seconds that the trainer's estimates say, with the one price that fits best.

        A trainer fits up to 16 classifiers side by side, so pairs alone do not tell its time.
        """
        return np.asarray(self.cost * np.exp(np.mean(np.log(self.seconds / self.cost))))


def demand(tree: LabelTree, rows: LabelRows) -> tuple[float, float]:
    """Return the rows of all inner nodes, summed, and the (row, child) pairs."""
    weights = _core.node_weights(tree._native, rows.indptr, rows.indices)
    inner = tree.degree > 0
    return float(weights[inner].sum()), float(weights @ tree.degree)


def time_trees(grown: list[LabelTree], X: FeatureMatrix, rows: LabelRows) -> Times:
    """Return how long each tree takes to train on one thread."""
    asked = np.array([demand(tree, rows) for tree in grown])
    cost = [make_trainer(tree, X, rows, SolverSettings()).costs().sum() for tree in grown]
    seconds = []
    for tree in grown:
        start = time.process_time()
        train_tree(tree, X, rows, SolverSettings())
        seconds.append(max(time.process_time() - start, 1e-6))
    return Times(asked[:, 0], asked[:, 1], np.array(cost), np.array(seconds))


def measure_times(X: Any, Y: object, *, max_rows: int, seed: int) -> Times:
    """Return how long trees of different widths take on a sample of the rows."""
    features, rows = as_features(X), as_labels(Y)
    if features.shape[0] != rows.n_rows:
        raise ValueError(
            f"X and Y must have equally many rows, but have {features.shape[0]} and {rows.n_rows}"
        )
    if rows.n_rows > max_rows:
        chosen = np.sort(np.random.default_rng(seed).choice(rows.n_rows, max_rows, replace=False))
        features, rows = as_features(features[chosen]), rows.select(chosen)
    features = UNIT(features)
    grown = [trees.cheapest(rows, cost_model=CostModel(per_row)) for per_row in PER_ROW]
    return time_trees(grown, features, rows)


def measure_cost_model(
    X: Any, Y: object, *, max_rows: int = 20_000, random_state: int = 0
) -> CostModel:
    """Return a cost model in microseconds, fitted to training times on this machine.

    Trees of different widths are trained on a sample of the rows, on one thread. The two prices
    are those that explain the times best.

    Parameters
    ----------
    X, Y
        Rows similar to those that you want to train on.
    max_rows
        Maximum number of rows to train on.
    random_state
        Seed of the sample.

    Examples
    --------
    >>> prices = measure_cost_model(np.eye(200), np.arange(200))
    >>> prices.per_pair > 0
    True
    """
    times = measure_times(X, Y, max_rows=max_rows, seed=random_state)
    return CostModel(*times.prices())

"""Feature weights and node classifiers."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from labeltree.training.solver_settings import SolverSettings


def label_affinity(X: Sequence[Sequence[float]], rows: Sequence[set[int]]) -> list[float]:
    """Return the mean number of labels shared by two rows that have a feature.

    A label of n rows counts 1 / sqrt(n). Ten pairs with the mean over all features are added.
    """
    sizes = Counter(label for labels in rows for label in labels)
    pairs, shared = [], []
    for column in zip(*X, strict=True):
        having = [labels for x, labels in zip(column, rows, strict=True) if x != 0]
        both = list(itertools.permutations(having, 2))
        pairs.append(len(both))
        shared.append(sum(sizes[label] ** -0.5 for a, b in both for label in a & b))
    known = [s / n for s, n in zip(shared, pairs, strict=True) if n]
    mean = sum(known) / len(known) if known else 0.0
    return [(s + 10 * mean) / (n + 10) for s, n in zip(shared, pairs, strict=True)]


def scaled_row(x: Sequence[float], power: float, weights: Sequence[float]) -> list[float]:
    """Return values raised to a power, times the weights, scaled to unit length."""
    raised = [
        math.copysign(abs(v) ** power, v) * w if v else 0.0 for v, w in zip(x, weights, strict=True)
    ]
    length = math.sqrt(sum(v * v for v in raised))
    return [v / length if length else 0.0 for v in raised]


def fit_node(
    X: np.ndarray,
    y: np.ndarray,
    c: np.ndarray,
    loss: str,
    bias: float,
    start: np.ndarray | float = 0.0,
) -> tuple[np.ndarray, float]:
    """Return weights and bias that minimize |w - start|²/2 + Σ c_i loss(y_i (w·x_i + bias w_b))."""
    from scipy.optimize import minimize

    wide = np.hstack([X, np.full((len(X), 1), bias)]).astype(np.float64)

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        margin = y * (wide @ w)
        if loss == "squared_hinge":
            miss = np.maximum(0.0, 1.0 - margin)
            value, slope = c @ miss**2, -2.0 * c * miss
        else:
            value = c @ np.logaddexp(0.0, -margin)
            slope = -c / (1.0 + np.exp(margin))
        away = w - start
        return away @ away / 2 + value, away + wide.T @ (slope * y)

    result = minimize(
        objective,
        np.zeros(wide.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 10000, "gtol": 1e-10, "ftol": 1e-15},
    )
    return result.x[:-1], float(result.x[-1] * bias)


def fit_sliced(
    X: np.ndarray, y: np.ndarray, c: np.ndarray, rows: np.ndarray, n_slices: int, **options: Any
) -> tuple[np.ndarray, float]:
    """Return the means of the weights and biases of slices: row number i is in slice i mod n."""
    fits = [
        fit_node(X[own], y[own], c[own] * np.sqrt(n_slices), **options)
        for own in (rows % n_slices == s for s in range(n_slices))
    ]
    return np.mean([w for w, _ in fits], axis=0), float(np.mean([b for _, b in fits]))


def n_slices(n_entries: int, n_labeled: int, n_features: int, settings: SolverSettings) -> int:
    """Return the slices of the rows of the root."""
    for n in range(8, 1, -1):
        is_large = n_entries >= n * settings.slice_entries
        if is_large and n_labeled >= n * settings.slice_rows * n_features:
            return n
    return 1

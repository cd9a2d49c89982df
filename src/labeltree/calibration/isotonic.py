"""The rising curve nearest to what validation rows say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from labeltree.model.curve import Curve

PAIRS_PER_KNOT = 50  # fewer say little about their share of true labels
_TILT = 1e-3  # share of the straight line in the curve: it rises everywhere, so it keeps all orders


def fit_isotonic(probabilities: NDArray[np.floating], is_true: NDArray[np.bool_]) -> Curve:
    """Return the rising curve with the least squared error over pairs of row and label.

    Pairs are put into groups of PAIRS_PER_KNOT with neighbouring probabilities; neighbouring groups
    whose shares of true labels fall are pooled. The knots are the groups' means.

    Examples
    --------
    >>> p = np.repeat([0.2, 0.6, 0.8], 50)
    >>> hits = np.concatenate([np.arange(50) < 5, np.arange(50) < 30, np.arange(50) < 20])
    >>> curve = fit_isotonic(p, hits)
    >>> curve.x.round(3).tolist(), curve.y.round(3).tolist()
    ([0.0, 0.2, 0.7, 1.0], [0.0, 0.1, 0.5, 0.8])
    """
    if not len(probabilities):
        return Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    x, y, n = _groups(probabilities, is_true)
    level = isotonic_regression(y, sample_weight=n)
    first = np.flatnonzero(np.append(True, np.diff(level) > 0))
    centre = np.add.reduceat(x * n, first) / np.add.reduceat(n, first)
    inside = (centre > 0) & (centre < 1)
    centre, level = centre[inside], level[first][inside]
    # Beyond the last group the curve keeps its distance to the diagonal.
    end = min(1.0, level[-1] + 1 - centre[-1]) if len(level) else 1.0
    knots = np.concatenate([[0.0], centre, [1.0]])
    return Curve(knots, (1 - _TILT) * np.concatenate([[0.0], level, [end]]) + _TILT * knots)


def _groups(
    probabilities: NDArray[np.floating], is_true: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return mean probability, share of true labels and size of each group, ascending."""
    order = np.argsort(probabilities, kind="stable")
    p, hits = probabilities[order].astype(np.float64), is_true[order].astype(np.float64)
    n_groups = max(1, len(p) // PAIRS_PER_KNOT)
    cuts = np.linspace(0, len(p), n_groups + 1).astype(np.int64)[:-1]
    begin = np.unique(np.searchsorted(p, p[cuts], side="left"))  # equals stay together
    size = np.diff(np.append(begin, len(p))).astype(np.float64)
    return np.add.reduceat(p, begin) / size, np.add.reduceat(hits, begin) / size, size

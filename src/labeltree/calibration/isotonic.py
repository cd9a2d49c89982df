"""Isotonic calibration: the increasing curve with the best fit to validation rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from labeltree.model.curve import Curve

PAIRS_PER_KNOT = 50  # the share of true labels among fewer pairs is too noisy
_TILT = 1e-3  # weight of the identity in the curve, which makes it strictly increasing


def fit_isotonic(probabilities: NDArray[np.floating], is_true: NDArray[np.bool_]) -> Curve:
    """Return the increasing curve with the minimum squared error over (row, label) pairs.

    Pairs are sorted by probability and grouped by PAIRS_PER_KNOT. Neighboring groups whose shares
    of true labels decrease are pooled. The knots are the means of the groups.

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
    center = np.add.reduceat(x * n, first) / np.add.reduceat(n, first)
    inside = (center > 0) & (center < 1)
    center, level = center[inside], level[first][inside]
    # Beyond the last group, the curve keeps its distance to the diagonal.
    end = min(1.0, level[-1] + 1 - center[-1]) if len(level) else 1.0
    knots = np.concatenate([[0.0], center, [1.0]])
    return Curve(knots, (1 - _TILT) * np.concatenate([[0.0], level, [end]]) + _TILT * knots)


def _groups(
    probabilities: NDArray[np.floating], is_true: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return mean probability, share of true labels and size of each group, by probability."""
    order = np.argsort(probabilities, kind="stable")
    p, hits = probabilities[order].astype(np.float64), is_true[order].astype(np.float64)
    n_groups = max(1, len(p) // PAIRS_PER_KNOT)
    cuts = np.linspace(0, len(p), n_groups + 1).astype(np.int64)[:-1]
    begin = np.unique(np.searchsorted(p, p[cuts], side="left"))  # ties stay together
    size = np.diff(np.append(begin, len(p))).astype(np.float64)
    return np.add.reduceat(p, begin) / size, np.add.reduceat(hits, begin) / size, size

"""How many of a row's labels to predict, so that its F1 is the best to be expected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: So many of the most probable labels of a row are looked at, if they are at least so probable.
MAX_LABELS = 64
MIN_PROBABILITY = 0.001
_ROWS_AT_ONCE = 256  # have (labels x labels) numbers each in memory


def best_sizes(probabilities: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return how many labels of each row to predict, the most probable first.

    Labels are taken to be independent of each other, and those that are not given to be absent. A
    row is predicted at least one label, if it has one.

    Parameters
    ----------
    probabilities
        (n_rows, n) in descending order, 0 where a row has fewer.

    Examples
    --------
    >>> best_sizes(np.array([[0.9, 0.1], [0.4, 0.4], [0.0, 0.0]])).tolist()
    [1, 2, 0]
    """
    if not probabilities.shape[1]:
        return np.zeros(len(probabilities), np.int64)
    sizes = np.zeros(len(probabilities), np.int64)
    for first in range(0, len(probabilities), _ROWS_AT_ONCE):
        p = probabilities[first : first + _ROWS_AT_ONCE]
        f1 = np.where(p > 0, expected_f1(p), -1.0)
        sizes[first : first + len(p)] = np.where(p[:, 0] > 0, np.argmax(f1, axis=1) + 1, 0)
    return sizes


def expected_f1(probabilities: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the expected F1 of predicting the first 1, 2, ... labels of each row.

    With N_i true labels besides label i, the first s labels have the expected F1
    Σ_{i<=s} p_i E[2 / (s + 1 + N_i)]. As 1 / a is the integral of t^(a-1) over 0..1 and labels are
    independent, this is, with q_i = 1 - p_i + p_i t, the integral of
    2 t^s Σ_{i<=s} (p_i / q_i) Π_j q_j: a polynomial of degree below 2n in t, which n points of
    Gauss and Legendre integrate exactly.

    Examples
    --------
    >>> expected_f1(np.array([[0.5, 0.5]])).round(3).tolist()
    [[0.417, 0.583]]
    """
    n = probabilities.shape[1]
    points, weights = np.polynomial.legendre.leggauss(n)
    points, weights = (points + 1) / 2, weights / 2
    p = probabilities.astype(np.float64)[:, :, None]
    one = 1 - p + p * points  # (row, label, point)
    sums = np.cumsum(p / one, axis=1)
    powers = 2 * points ** np.arange(1, n + 1)[:, None] * weights  # (size, point)
    f1 = np.einsum("rsq,sq,rq->rs", sums, powers, one.prod(axis=1), optimize=True)
    return np.asarray(f1)

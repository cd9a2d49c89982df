"""The number of labels to predict per row that maximizes the expected F1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Maximum number and minimum probability of the labels that are considered for a row.
MAX_LABELS = 64
MIN_PROBABILITY = 0.001
_ROWS_AT_ONCE = 256  # each row needs (labels x labels) numbers in memory


def best_sizes(probabilities: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the number of labels to predict for each row, the most probable first.

    Labels are assumed to be independent, and labels that are not listed are assumed to be absent.
    The number is at least 1, unless a row has no label of positive probability.

    Parameters
    ----------
    probabilities
        (n_rows, n), in descending order within each row, padded with 0.

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

    Let N_i be the number of true labels other than label i. The expected F1 of the first s labels
    is Σ_{i<=s} p_i E[2 / (s + 1 + N_i)]. Because 1 / a is the integral of t^(a-1) over 0..1 and
    labels are independent, this equals, with q_i = 1 - p_i + p_i t, the integral of
    2 t^s Σ_{i<=s} (p_i / q_i) Π_j q_j. The integrand is a polynomial in t of degree below 2n, so
    Gauss-Legendre quadrature with n points is exact.

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

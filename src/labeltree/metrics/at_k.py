"""How many of the best k labels of a row are right, and where they stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree.metrics.ranked_hits import Judged, Ranked, judge


def precision_at_k(Y_true: object, ranked: Ranked, k: int) -> float:
    """Return the mean share of true labels among the best k of each row.

    The divisor is k even for rows with fewer predictions. A row without true labels counts as 0,
    as in the evaluation scripts of the extreme classification repository.

    Parameters
    ----------
    Y_true
        True labels, in any form that `labeltree.data.as_labels` takes.
    ranked
        Label numbers (n_rows, at least k), best first and padded with -1; or CSR scores
        (n_rows, n_labels), of which the k highest stored ones of each row count, the lower label
        first among equals.
    k
        How many labels of each row are judged.

    Examples
    --------
    >>> truth = [[0, 2], [1]]
    >>> precision_at_k(truth, [[2, 1], [3, 0]], 1)
    0.5
    >>> precision_at_k(truth, [[2, 0], [3, 1]], 2)
    0.75
    """
    return precision(judge(Y_true, ranked, k), k)


def recall_at_k(Y_true: object, ranked: Ranked, k: int) -> float:
    """Return the mean share of a row's true labels that are among its best k.

    A row without true labels counts as 0. Parameters as in `precision_at_k`.

    Examples
    --------
    >>> recall_at_k([[0, 2], [1]], [[2, 1], [1, 0]], 1)
    0.75
    """
    return recall(judge(Y_true, ranked, k), k)


def ndcg_at_k(Y_true: object, ranked: Ranked, k: int) -> float:
    """Return the mean normalised discounted cumulative gain of the best k labels.

    A true label at place r = 1..k gains 1/log2(r+1); the sum is divided by the best that a row
    with that many true labels can gain in k places. A row without true labels counts as 0.
    Parameters as in `precision_at_k`.

    Examples
    --------
    >>> round(ndcg_at_k([[1]], [[0, 1]], 2), 4)
    0.6309
    """
    return ndcg(judge(Y_true, ranked, k), k)


def coverage_at_k(Y_true: object, ranked: Ranked, k: int) -> float:
    """Return the share of all labels that are rightly among the best k of at least one row.

    Labels that no row of Y_true has stay in the divisor. Parameters as in `precision_at_k`.

    Examples
    --------
    >>> coverage_at_k([[0], [0], [3]], [[0], [0], [2]], 1)
    0.25
    """
    return coverage(judge(Y_true, ranked, k), k)


def precision(judged: Judged, k: int) -> float:
    """Return P@k of judged predictions."""
    return float(judged.hits[:, :k].sum() / (k * judged.truth.n_rows))


def recall(judged: Judged, k: int) -> float:
    """Return R@k of judged predictions."""
    found = judged.hits[:, :k].sum(axis=1)
    return float(np.mean(found / np.maximum(judged.sizes, 1)))


def discounts(k: int) -> NDArray[np.float64]:
    """Return the gain of a true label at each of k places."""
    return 1.0 / np.log2(np.arange(2, k + 2))


def ideal_gains(judged: Judged, k: int) -> NDArray[np.float64]:
    """Return the most that each row can gain in k places; 1 for rows without labels."""
    attainable = np.cumsum(discounts(k))
    return attainable[np.clip(judged.sizes, 1, k) - 1]


def ndcg(judged: Judged, k: int) -> float:
    """Return nDCG@k of judged predictions."""
    gains = judged.hits[:, :k] @ discounts(k)
    return float(np.mean(gains / ideal_gains(judged, k)))


def coverage(judged: Judged, k: int) -> float:
    """Return coverage@k of judged predictions."""
    right = judged.labels[:, :k][judged.hits[:, :k]]
    return len(np.unique(right)) / judged.truth.n_labels

"""Metrics of the k highest-ranked labels of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import checked
from labeltree.metrics.ranked_hits import Ranked, RankedHits, ranked_hits


@checked
def precision_at_k(Y_true: object, ranked: Ranked, k: int) -> float:
    """Return the mean fraction of true labels among the k highest-ranked labels of each row.

    The divisor is k even for rows with fewer predictions. A row without true labels counts as 0,
    as in the evaluation scripts of the extreme classification repository.

    Parameters
    ----------
    Y_true
        True labels, in any form that `labeltree.data.as_labels` accepts.
    ranked
        Either label numbers of shape (n_rows, at least k), best first and padded with -1, or scores
        of shape (n_rows, n_labels): CSR, or an array of floats. Of scores, the k highest nonzero
        entries of each row are used; ties are broken in favor of the lower label.
    k
        Number of labels of each row to evaluate.

    Examples
    --------
    >>> truth = [[0, 2], [1]]
    >>> precision_at_k(truth, [[2, 1], [3, 0]], 1)
    0.5
    >>> precision_at_k(truth, [[2, 0], [3, 1]], 2)
    0.75
    """
    return precision(ranked_hits(Y_true, ranked, k), k)


@checked
def recall_at_k(Y_true: object, ranked: Ranked, k: int) -> float:
    """Return the mean fraction of a row's true labels that are among its k highest-ranked labels.

    A row without true labels counts as 0. The parameters are those of `precision_at_k`.

    Examples
    --------
    >>> recall_at_k([[0, 2], [1]], [[2, 1], [1, 0]], 1)
    0.75
    """
    return recall(ranked_hits(Y_true, ranked, k), k)


@checked
def ndcg_at_k(Y_true: object, ranked: Ranked, k: int) -> float:
    """Return the mean normalized discounted cumulative gain of the k highest-ranked labels.

    A true label at rank r = 1..k gains 1/log2(r+1). The sum is divided by the maximum gain at k
    ranks for the row's number of true labels. A row without true labels counts as 0. The parameters
    are those of `precision_at_k`.

    Examples
    --------
    >>> round(ndcg_at_k([[1]], [[0, 1]], 2), 4)
    0.6309
    """
    return ndcg(ranked_hits(Y_true, ranked, k), k)


@checked
def coverage_at_k(Y_true: object, ranked: Ranked, k: int) -> float:
    """Return the fraction of all labels correctly predicted in the top k of at least one row.

    Labels that no row of Y_true has are included in the divisor. The parameters are those of
    `precision_at_k`.

    Examples
    --------
    >>> coverage_at_k([[0], [0], [3]], [[0], [0], [2]], 1)
    0.25
    """
    return coverage(ranked_hits(Y_true, ranked, k), k)


def precision(predictions: RankedHits, k: int) -> float:
    """Return P@k of ranked predictions."""
    return float(predictions.hits[:, :k].sum() / (k * predictions.truth.n_rows))


def recall(predictions: RankedHits, k: int) -> float:
    """Return R@k of ranked predictions."""
    found = predictions.hits[:, :k].sum(axis=1)
    return float(np.mean(found / np.maximum(predictions.sizes, 1)))


def discounts(k: int) -> NDArray[np.float64]:
    """Return the gain of a true label at each of k ranks."""
    return 1.0 / np.log2(np.arange(2, k + 2))


def ideal_gains(predictions: RankedHits, k: int) -> NDArray[np.float64]:
    """Return the maximum gain of each row at k ranks; 1 for rows without labels."""
    attainable = np.cumsum(discounts(k))
    return attainable[np.clip(predictions.sizes, 1, k) - 1]


def ndcg(predictions: RankedHits, k: int) -> float:
    """Return nDCG@k of ranked predictions."""
    gains = predictions.hits[:, :k] @ discounts(k)
    return float(np.mean(gains / ideal_gains(predictions, k)))


def coverage(predictions: RankedHits, k: int) -> float:
    """Return coverage@k of ranked predictions."""
    right = predictions.labels[:, :k][predictions.hits[:, :k]]
    return len(np.unique(right)) / predictions.truth.n_labels

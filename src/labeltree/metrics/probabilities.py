"""Metrics of predicted probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.arguments import check_integer, checked
from labeltree.data import as_labels
from labeltree.metrics.ranked_hits import (
    Ranked,
    RankedHits,
    Scores,
    canonical,
    is_scores,
    is_true,
    ranked_hits,
)

#: Maximum number of bins of probabilities.
MAX_BINS = 1_000_000


@checked
def log_loss(Y_true: object, probabilities: Scores, *, eps: float = 1e-15) -> float:
    """Return the mean binary cross-entropy over all n_rows × n_labels cells.

    The loss of a cell (i, j) is -ln p if label j is true in row i, and -ln(1-p) otherwise, with p
    clipped to [eps, 1-eps]. A cell that is not stored has p = 0. Only stored entries and true
    labels are visited. Multiply by n_labels to obtain the loss per row.

    Parameters
    ----------
    Y_true
        True labels, in any form that `labeltree.data.as_labels` accepts.
    probabilities
        Probabilities of shape (n_rows, n_labels): CSR, or an array of floats.
    eps
        Probabilities are clipped to [eps, 1-eps].

    Examples
    --------
    >>> truth = [[0], [1]]
    >>> round(log_loss(truth, np.array([[0.5, 0.0], [0.0, 0.5]])), 4)
    0.3466
    """
    if not is_scores(probabilities):
        raise TypeError(
            "probabilities must be CSR or an array of floats with one column per label, but are "
            f"{type(probabilities).__name__}"
        )
    check_eps(eps)
    n_rows, n_labels = probabilities.shape
    truth = as_labels(Y_true, n_labels=n_labels)
    if truth.n_rows != n_rows or not n_rows:
        raise ValueError(
            "Y_true and probabilities must have the same number of rows, at least one, but have "
            f"{truth.n_rows} and {n_rows}"
        )
    given = canonical(probabilities)
    _check_probabilities(given.data)
    true = is_true(truth, given.indptr, given.indices)
    p = np.clip(given.data.astype(np.float64), eps, 1 - eps)
    n_missed = len(truth.indices) - int(true.sum())
    n_empty = n_rows * n_labels - len(p) - n_missed  # neither stored nor true
    loss = -np.log(p[true]).sum() - np.log1p(-p[~true]).sum()
    loss += -n_missed * np.log(eps) - n_empty * np.log1p(-eps)
    return float(loss / (n_rows * n_labels))


@checked
def ece_at_k(
    Y_true: object,
    ranked: Ranked,
    k: int,
    probabilities: ArrayLike | None = None,
    *,
    n_bins: int = 10,
) -> float:
    """Return the expected calibration error of the k highest-ranked labels.

    Predictions are assigned to bins of equal width by their probability. The error is the mean over
    predictions of the gap between the mean probability and the fraction of true labels in their
    bin. Padding is ignored. The error is 0 if nothing is predicted.

    Parameters
    ----------
    Y_true, ranked, k
        As in `precision_at_k`.
    probabilities
        Probability of each ranked label, in the shape of ranked. None if ranked holds scores,
        which are then the probabilities.
    n_bins
        Number of bins. Bin b holds probabilities from b/n_bins to below (b+1)/n_bins; the last bin
        includes 1.

    Examples
    --------
    >>> truth = [[0], [1]]
    >>> round(ece_at_k(truth, [[0], [0]], 1, [[0.7], [0.7]]), 4)
    0.2
    """
    return ece(ranked_hits(Y_true, ranked, k, probabilities=probabilities), k, n_bins=n_bins)


def ece(predictions: RankedHits, k: int, *, n_bins: int = 10) -> float:
    """Return ECE@k of ranked predictions."""
    check_integer("n_bins", n_bins, minimum=1, maximum=MAX_BINS)
    p, hits = _predicted(predictions, k)
    if not len(p):
        return 0.0
    bins = np.minimum((p * n_bins).astype(np.int64), n_bins - 1)
    gaps = np.bincount(bins, weights=p - hits, minlength=n_bins)
    return float(np.abs(gaps).sum() / len(p))


@checked
def brier_at_k(
    Y_true: object, ranked: Ranked, k: int, probabilities: ArrayLike | None = None
) -> float:
    """Return the Brier score of the k highest-ranked labels: the mean of (p - true)².

    It is lower if probabilities are closer to what is true, and 0 at best. Padding is ignored. The
    parameters are those of `ece_at_k`.

    Examples
    --------
    >>> round(brier_at_k([[0], [1]], [[0], [0]], 1, [[0.7], [0.7]]), 4)
    0.29
    """
    return brier(ranked_hits(Y_true, ranked, k, probabilities=probabilities), k)


def brier(predictions: RankedHits, k: int) -> float:
    """Return the Brier score at k of ranked predictions."""
    p, hits = _predicted(predictions, k)
    return float(np.mean((p - hits) ** 2)) if len(p) else 0.0


@checked
def log_loss_at_k(
    Y_true: object,
    ranked: Ranked,
    k: int,
    probabilities: ArrayLike | None = None,
    *,
    eps: float = 1e-15,
) -> float:
    """Return the mean binary cross-entropy of the k highest-ranked labels.

    The loss of a ranked label is -ln p if it is true, and -ln(1-p) otherwise, with p clipped to
    [eps, 1-eps]. Padding is ignored. The other parameters are those of `ece_at_k`.

    Examples
    --------
    >>> round(log_loss_at_k([[0], [1]], [[0], [0]], 1, [[0.5], [0.5]]), 4)
    0.6931
    """
    check_eps(eps)
    predictions = ranked_hits(Y_true, ranked, k, probabilities=probabilities)
    return ranked_log_loss(predictions, k, eps=eps)


def ranked_log_loss(predictions: RankedHits, k: int, *, eps: float = 1e-15) -> float:
    """Return the log loss at k of ranked predictions."""
    p, hits = _predicted(predictions, k)
    p = np.clip(p, eps, 1 - eps)
    return float(-np.log(np.where(hits, p, 1 - p)).mean()) if len(p) else 0.0


def _predicted(predictions: RankedHits, k: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the probabilities of all ranked labels, without padding, and whether each is true."""
    if predictions.scores is None:
        raise ValueError("calibration needs the probabilities of ranked; pass probabilities")
    is_label = predictions.labels[:, :k] >= 0
    p, hits = predictions.scores[:, :k][is_label], predictions.hits[:, :k][is_label]
    _check_probabilities(p)
    return p, hits


def check_eps(eps: float) -> None:
    """Raise ValueError unless probabilities can be clipped to [eps, 1-eps]."""
    if not 0 < eps < 0.5:
        raise ValueError(f"eps must be between 0 and 0.5, but is {eps}")


def _check_probabilities(p: NDArray[np.floating]) -> None:
    if len(p) and not (p.min() >= 0 and p.max() <= 1):
        raise ValueError(
            f"probabilities must be between 0 and 1, but range from {p.min():g} to {p.max():g}"
        )

"""Propensity-scored metrics, which give more weight to rare labels (Jain et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from labeltree.arguments import checked
from labeltree.data import LabelRows, as_labels
from labeltree.metrics.at_k import discounts, ideal_gains
from labeltree.metrics.ranked_hits import Ranked, RankedHits, ranked_hits, sort_scores


@checked
def propensities(
    Y_train: object = None,
    *,
    counts: ArrayLike | None = None,
    n_rows: int | None = None,
    a: float = 0.55,
    b: float = 1.5,
) -> NDArray[np.float64]:
    """Return the propensity of each label: the probability that a true label is observed.

    p_l = 1 / (1 + C·(N_l + b)^(-a)) with C = (ln n_rows - 1)·(b + 1)^a and N_l the number of
    training rows with label l (Jain, Prabhu & Varma 2016). The repository uses a=0.5, b=0.4 for
    Wikipedia and a=0.6, b=2.6 for Amazon data.

    Parameters
    ----------
    Y_train
        Training labels. Alternatively, pass counts and n_rows.
    counts
        Number of training rows of each label.
    n_rows
        Number of training rows, at least 3. With fewer rows the formula does not give
        probabilities.
    a, b
        Constants of the model.

    Examples
    --------
    >>> propensities(counts=[0, 10, 1000], n_rows=10000).round(3)
    array([0.084, 0.22 , 0.767])
    """
    if (Y_train is None) == (counts is None):
        raise ValueError("pass either Y_train, or counts and n_rows")
    if counts is None:
        rows = as_labels(Y_train)
        counts, n_rows = rows.counts, rows.n_rows
    if n_rows is None:
        raise ValueError("counts need n_rows, the number of training rows")
    if n_rows < 3:
        raise ValueError(f"propensities need at least 3 training rows, but n_rows is {n_rows}")
    frequencies = np.asarray(counts, dtype=np.float64)
    if frequencies.ndim != 1 or not ((frequencies >= 0) & (frequencies <= n_rows)).all():
        raise ValueError(f"counts must hold one number in 0..{n_rows} per label")
    a, b = float(a), float(b)  # single precision is not enough
    if not (0 <= a <= 10 and 0 < b <= 1e6):
        raise ValueError(
            f"a must be in 0..10, b at most 1e6 and b above 0, but a is {a} and b is {b}"
        )
    scale = (np.log(n_rows) - 1) * (b + 1) ** a
    return np.asarray(1.0 / (1.0 + scale * (frequencies + b) ** -a))


@checked
def psp_at_k(Y_true: object, ranked: Ranked, k: int, propensity: ArrayLike) -> float:
    """Return the propensity-scored precision at k, relative to the maximum attainable.

    A true label among the k highest-ranked labels counts 1/p_l. The sum over all rows is divided by
    the largest sum that any ranking attains, as in the extreme classification repository.

    Parameters
    ----------
    Y_true, ranked, k
        As in `precision_at_k`.
    propensity
        Propensity of each label, from `propensities` of the training labels.

    Examples
    --------
    >>> psp_at_k([[0, 1], [0]], [[0], [0]], 1, [1.0, 0.25])
    0.4
    """
    return psp(gains(ranked_hits(Y_true, ranked, k), propensity), k)


@checked
def psndcg_at_k(Y_true: object, ranked: Ranked, k: int, propensity: ArrayLike) -> float:
    """Return the propensity-scored nDCG at k, relative to the maximum attainable.

    Like `ndcg_at_k`, but the gain of a true label is multiplied by 1/p_l. The mean over the rows is
    divided by the mean of the best ranking. The parameters are those of `psp_at_k`.

    Examples
    --------
    >>> psndcg_at_k([[0, 1], [0]], [[0], [0]], 1, [1.0, 0.25])
    0.4
    """
    return psndcg(gains(ranked_hits(Y_true, ranked, k), propensity), k)


@dataclass(frozen=True)
class Gains:
    """The gains of the ranked labels of each row, and the maximum gains of any ranking."""

    predictions: RankedHits
    gained: NDArray[np.float64]  # (n_rows, k)
    best: NDArray[np.float64]  # (n_rows, k), descending


def gains(predictions: RankedHits, propensity: ArrayLike) -> Gains:
    """Return 1/p_l of each hit, and the largest 1/p_l of the true labels of each row."""
    truth = predictions.truth
    weights = _weights(propensity, truth)
    weighted = sparse.csr_array(
        (weights[truth.indices], truth.indices, truth.indptr), shape=(truth.n_rows, truth.n_labels)
    )
    _, best = sort_scores(weighted, predictions.labels.shape[1])
    gained = np.where(predictions.hits, weights[predictions.labels], 0.0)
    return Gains(predictions, gained, best)


def psp(scored: Gains, k: int) -> float:
    """Return PSP@k of scored predictions."""
    return _ratio(scored.gained[:, :k].sum(), scored.best[:, :k].sum())


def psndcg(scored: Gains, k: int) -> float:
    """Return PSnDCG@k of scored predictions."""
    ideal = ideal_gains(scored.predictions, k)
    gained, best = (
        (gain[:, :k] @ discounts(k) / ideal).sum() for gain in (scored.gained, scored.best)
    )
    return _ratio(gained, best)


def _weights(propensity: ArrayLike, truth: LabelRows) -> NDArray[np.float64]:
    values = np.asarray(propensity, dtype=np.float64)
    if values.shape != (truth.n_labels,):
        raise ValueError(
            f"every label must have a propensity, but there are {truth.n_labels} labels and the "
            f"shape of propensity is {values.shape}"
        )
    if not ((values > 0) & (values <= 1)).all():
        raise ValueError(
            f"a propensity must be above 0 and at most 1, but the smallest is {values.min():g} "
            f"and the largest {values.max():g}"
        )
    return np.asarray(1.0 / values)


def _ratio(gained: float, best: float) -> float:
    return float(gained / best) if best > 0 else 0.0

"""The thresholds of the best F1 over validation rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Labels that are less probable are not looked at, and so never predicted by a tuned threshold.
MIN_THRESHOLD = 0.01


class Candidates(NamedTuple):
    """Pairs of row and label that are probable enough, in any order."""

    labels: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    is_true: NDArray[np.bool_]
    n_true: NDArray[np.int64]  # [label] rows that have it, among the candidates or not


def micro_threshold(pairs: Candidates, default: float) -> float:
    """Return the threshold of the best F1 over all pairs together; the default if none is true.

    Examples
    --------
    >>> labels, hits = np.array([0, 1, 0]), np.array([True, True, False])
    >>> p = np.array([0.9, 0.5, 0.3], np.float32)
    >>> f"{micro_threshold(Candidates(labels, p, hits, np.array([1, 1])), 0.5):.3f}"
    '0.400'
    """
    together = np.zeros(len(pairs.labels), np.int32)
    pooled = Candidates(
        together, pairs.probabilities, pairs.is_true, np.array([pairs.n_true.sum()])
    )
    return float(label_thresholds(pooled, default, 0.0)[0])


def label_thresholds(pairs: Candidates, default: float, smoothing: float) -> NDArray[np.float32]:
    """Return the threshold of the best F1 of each label.

    It lies half way between the least probable pair that it takes and the next one. A label of few
    rows says little, so each is judged as if it had `smoothing` more true pairs that follow the
    average over all labels. With smoothing 0 the F1 of every label over these pairs is the best
    that there is; of equals the higher threshold is taken. Labels without a true pair keep the
    default.

    Examples
    --------
    >>> labels = np.array([0, 0, 1, 1])
    >>> p = np.array([0.9, 0.5, 0.8, 0.1], np.float32)
    >>> pairs = Candidates(labels, p, np.array([True, False, True, True]), np.array([1, 2, 0]))
    >>> [f"{threshold:.3f}" for threshold in label_thresholds(pairs, 0.5, 0.0)]
    ['0.700', '0.055', '0.500']
    """
    order = np.lexsort((-pairs.probabilities, pairs.labels))
    labels, p = pairs.labels[order], pairs.probabilities[order]
    hits = pairs.is_true[order].astype(np.int64)
    begin = np.searchsorted(labels, np.arange(len(pairs.n_true) + 1))
    place = np.arange(len(p)) - begin[labels] + 1  # predicted pairs if this is the last
    right = np.cumsum(hits)
    right -= np.append(0, right)[begin[labels]]
    score = 2 * right / (place + pairs.n_true[labels])
    if smoothing:
        more_right, more_taken = _average(pairs, p)
        score = (2 * (right + smoothing * more_right)) / (
            place + pairs.n_true[labels] + smoothing * (more_taken + 1)
        )
    is_last = np.append((labels[1:] != labels[:-1]) | (p[1:] != p[:-1]), True)[: len(p)]
    score[~is_last] = -1.0
    thresholds = np.full(len(pairs.n_true), default, np.float32)
    for j in np.flatnonzero(np.bincount(labels[hits > 0], minlength=len(thresholds))):
        last = int(begin[j] + np.argmax(score[begin[j] : begin[j + 1]]))
        below = p[last + 1] if last + 1 < begin[j + 1] else np.float32(MIN_THRESHOLD)
        middle = np.float32((p[last] + below) / 2)
        thresholds[j] = middle if middle > below else p[last]
    return thresholds


def _average(
    pairs: Candidates, at: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return right and taken pairs of all labels at some thresholds, per true pair."""
    order = np.argsort(pairs.probabilities, kind="stable")
    ascending = pairs.probabilities[order]
    right = np.append(0, np.cumsum(pairs.is_true[order][::-1]))
    n_above = len(ascending) - np.searchsorted(ascending, at, side="left")
    total = max(int(pairs.n_true.sum()), 1)
    return right[n_above] / total, n_above / total

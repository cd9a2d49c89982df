"""The thresholds of the best F1 over validation rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Labels that are less probable are not looked at, and so never predicted by a tuned threshold.
MIN_THRESHOLD = 0.01


class Candidates:
    """Pairs of row and label that are probable enough, by label and then the most probable first.

    Parameters
    ----------
    labels, probabilities, is_true
        Of each pair, in any order.
    n_true
        Rows that have each label, be they among the pairs or not.
    """

    def __init__(
        self,
        labels: NDArray[np.int32],
        probabilities: NDArray[np.float32],
        is_true: NDArray[np.bool_],
        n_true: NDArray[np.int64],
    ) -> None:
        order = np.lexsort((-probabilities, labels))
        self.labels, self.probabilities = labels[order], probabilities[order]
        self.is_true, self.n_true = is_true[order], n_true
        self.begin = np.searchsorted(self.labels, np.arange(len(n_true) + 1))

    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return right and taken pairs of the label if it is predicted down to each pair."""
        first = self.begin[self.labels]
        right = np.append(0, np.cumsum(self.is_true))
        return right[1:] - right[first], np.arange(1, len(self.labels) + 1) - first

    def macro_f1(self, thresholds: NDArray[np.float32]) -> float:
        """Return the mean over labels of their F1, 0 for labels that no row has."""
        taken = self.probabilities >= thresholds[self.labels]
        size = len(self.n_true)
        right = np.bincount(self.labels[taken & self.is_true], minlength=size)
        n_taken = np.bincount(self.labels[taken], minlength=size)
        return float(np.mean(2 * right / np.maximum(n_taken + self.n_true, 1)))


def micro_threshold(pairs: Candidates, default: float) -> float:
    """Return the threshold of the best F1 over all pairs together; the default if none is true.

    Examples
    --------
    >>> labels, hits = np.array([0, 1, 0]), np.array([True, True, False])
    >>> p = np.array([0.9, 0.5, 0.3], np.float32)
    >>> f"{micro_threshold(Candidates(labels, p, hits, np.array([1, 1])), 0.5):.3f}"
    '0.400'
    """
    order = np.argsort(-pairs.probabilities, kind="stable")
    right = np.cumsum(pairs.is_true[order])
    score = 2 * right / (np.arange(1, len(order) + 1) + pairs.n_true.sum())
    return _best_cut(pairs.probabilities[order], score, default)


def macro_threshold(pairs: Candidates, default: float) -> float:
    """Return the threshold, the same for all labels, of the best mean F1 of labels.

    Examples
    --------
    >>> labels, hits = np.array([0, 0, 1]), np.array([True, False, True])
    >>> p = np.array([0.9, 0.5, 0.3], np.float32)
    >>> f"{macro_threshold(Candidates(labels, p, hits, np.array([1, 1])), 0.5):.3f}"
    '0.155'
    """
    right, taken = pairs.counts()
    f1 = 2 * right / (taken + pairs.n_true[pairs.labels])
    gain = np.where(taken == 1, f1, f1 - np.append(0, f1[:-1]))
    order = np.argsort(-pairs.probabilities, kind="stable")
    return _best_cut(pairs.probabilities[order], np.cumsum(gain[order]), default)


def label_thresholds(pairs: Candidates, default: float, smoothing: float) -> NDArray[np.float32]:
    """Return the threshold of the best F1 of each label.

    A label of few rows says little, so each is judged as if it had `smoothing` more true pairs that
    follow the average over all pairs. With smoothing 0 the F1 of every label over these pairs is
    the best that there is. Labels without a true pair have the default; all have it if that makes a
    better mean F1 over these pairs.

    Examples
    --------
    >>> labels = np.array([0, 0, 1, 1])
    >>> p = np.array([0.9, 0.5, 0.8, 0.1], np.float32)
    >>> pairs = Candidates(labels, p, np.array([True, False, True, True]), np.array([1, 2, 0]))
    >>> [f"{threshold:.3f}" for threshold in label_thresholds(pairs, 0.5, 0.0)]
    ['0.700', '0.055', '0.500']
    """
    right, taken = pairs.counts()
    more_right, more_taken = _average(pairs)
    n_true = pairs.n_true[pairs.labels]
    score = 2 * (right + smoothing * more_right) / (taken + n_true + smoothing * (more_taken + 1))
    thresholds = np.full(len(pairs.n_true), default, np.float32)
    for j in np.unique(pairs.labels[pairs.is_true]):
        own = slice(pairs.begin[j], pairs.begin[j + 1])
        thresholds[j] = _best_cut(pairs.probabilities[own], score[own], default)
    same = np.full(len(pairs.n_true), default, np.float32)
    return thresholds if pairs.macro_f1(thresholds) >= pairs.macro_f1(same) else same


def _best_cut(p: NDArray[np.float32], score: NDArray[np.float64], default: float) -> float:
    """Return a threshold half way below the pair that is best as the last one; the first of equals.

    p descends, and score is what predicting down to each pair is worth.
    """
    if not len(p):
        return default
    is_last = np.append(p[1:] != p[:-1], True)  # a threshold cannot part equals
    last = int(np.argmax(np.where(is_last, score, -1.0)))
    if score[last] <= 0:
        return default
    below = p[last + 1] if last + 1 < len(p) else np.float32(MIN_THRESHOLD)
    middle = (p[last] + below) / np.float32(2)
    return float(middle if middle > below else p[last])


def _average(pairs: Candidates) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return right and taken pairs of all labels, per true pair, with each pair as threshold."""
    order = np.argsort(-pairs.probabilities, kind="stable")
    right = np.append(0, np.cumsum(pairs.is_true[order]))
    n_taken = np.searchsorted(-pairs.probabilities[order], -pairs.probabilities, side="right")
    total = max(int(pairs.n_true.sum()), 1)
    return right[n_taken] / total, n_taken / total

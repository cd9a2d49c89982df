"""Thresholds that maximize F1 over validation rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Minimum tuned threshold; less probable labels are not considered.
MIN_THRESHOLD = 0.01


class Candidates:
    """(row, label) pairs with at least the minimum probability, by label, most probable first.

    Parameters
    ----------
    labels, probabilities, is_true
        Label, probability and true value of each pair, in any order.
    n_true
        Number of rows with each label, whether or not they are among the pairs.
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
        """Return correct and predicted pairs of a label, with each of its pairs as the cutoff."""
        first = self.begin[self.labels]
        n_correct = np.append(0, np.cumsum(self.is_true))
        n_predicted = np.arange(1, len(self.labels) + 1) - first
        return n_correct[1:] - n_correct[first], n_predicted

    def macro_f1(self, thresholds: NDArray[np.float32]) -> float:
        """Return the mean F1 over labels; labels without rows count as 0."""
        predicted = self.probabilities >= thresholds[self.labels]
        size = len(self.n_true)
        n_correct = np.bincount(self.labels[predicted & self.is_true], minlength=size)
        n_predicted = np.bincount(self.labels[predicted], minlength=size)
        return float(np.mean(2 * n_correct / np.maximum(n_predicted + self.n_true, 1)))


def micro_threshold(pairs: Candidates, default: float) -> float:
    """Return the threshold with the best F1 over all pairs; the default if no pair is true.

    Examples
    --------
    >>> labels, hits = np.array([0, 1, 0]), np.array([True, True, False])
    >>> p = np.array([0.9, 0.5, 0.3], np.float32)
    >>> f"{micro_threshold(Candidates(labels, p, hits, np.array([1, 1])), 0.5):.3f}"
    '0.400'
    """
    order = np.argsort(-pairs.probabilities, kind="stable")
    n_correct = np.cumsum(pairs.is_true[order])
    score = 2 * n_correct / (np.arange(1, len(order) + 1) + pairs.n_true.sum())
    return _best_cut(pairs.probabilities[order], score, default)


def macro_threshold(pairs: Candidates, default: float) -> float:
    """Return the threshold, the same for all labels, with the best mean F1 over labels.

    Examples
    --------
    >>> labels, hits = np.array([0, 0, 1]), np.array([True, False, True])
    >>> p = np.array([0.9, 0.5, 0.3], np.float32)
    >>> f"{macro_threshold(Candidates(labels, p, hits, np.array([1, 1])), 0.5):.3f}"
    '0.155'
    """
    n_correct, n_predicted = pairs.counts()
    f1 = 2 * n_correct / (n_predicted + pairs.n_true[pairs.labels])
    gain = np.where(n_predicted == 1, f1, f1 - np.append(0, f1[:-1]))
    order = np.argsort(-pairs.probabilities, kind="stable")
    return _best_cut(pairs.probabilities[order], np.cumsum(gain[order]), default)


def label_thresholds(pairs: Candidates, default: float, smoothing: float) -> NDArray[np.float32]:
    """Return the threshold of each label with the best F1.

    The F1 of a label with few rows is noisy. So each label is scored as if it had `smoothing`
    additional true pairs that follow the average over all pairs. With a smoothing of 0, every label
    has the maximum F1 over these pairs. Labels without a true pair get the default. All labels get
    the default if that gives a better mean F1 over these pairs.

    Examples
    --------
    >>> labels = np.array([0, 0, 1, 1])
    >>> p = np.array([0.9, 0.5, 0.8, 0.1], np.float32)
    >>> pairs = Candidates(labels, p, np.array([True, False, True, True]), np.array([1, 2, 0]))
    >>> [f"{threshold:.3f}" for threshold in label_thresholds(pairs, 0.5, 0.0)]
    ['0.700', '0.055', '0.500']
    """
    n_correct, n_predicted = pairs.counts()
    mean_correct, mean_predicted = _average_counts(pairs)
    n_true = pairs.n_true[pairs.labels]
    n_both = n_predicted + n_true + smoothing * (mean_predicted + 1)
    score = 2 * (n_correct + smoothing * mean_correct) / n_both
    thresholds = np.full(len(pairs.n_true), default, np.float32)
    for j in np.unique(pairs.labels[pairs.is_true]):
        own = slice(pairs.begin[j], pairs.begin[j + 1])
        thresholds[j] = _best_cut(pairs.probabilities[own], score[own], default)
    same = np.full(len(pairs.n_true), default, np.float32)
    return thresholds if pairs.macro_f1(thresholds) >= pairs.macro_f1(same) else same


def _best_cut(p: NDArray[np.float32], score: NDArray[np.float64], default: float) -> float:
    """Return the midpoint between the best last pair to predict, the first of ties, and the next.

    p is in descending order; score[i] is the score if pairs 0 to i are predicted.
    """
    if not len(p):
        return default
    is_last = np.append(p[1:] != p[:-1], True)  # a threshold cannot separate ties
    last = int(np.argmax(np.where(is_last, score, -1.0)))
    if score[last] <= 0:
        return default
    below = p[last + 1] if last + 1 < len(p) else np.float32(MIN_THRESHOLD)
    middle = (p[last] + below) / np.float32(2)
    return float(middle if middle > below else p[last])


def _average_counts(pairs: Candidates) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return correct and predicted pairs per true pair, over all labels, with each as threshold."""
    order = np.argsort(-pairs.probabilities, kind="stable")
    n_correct = np.append(0, np.cumsum(pairs.is_true[order]))
    n_predicted = np.searchsorted(-pairs.probabilities[order], -pairs.probabilities, side="right")
    total = max(int(pairs.n_true.sum()), 1)
    return n_correct[n_predicted] / total, n_predicted / total

"""From probabilities to label sets, as thresholds were tuned."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.calibration.expected_f1 import MAX_LABELS, MIN_PROBABILITY, best_sizes
from labeltree.calibration.methods import slices
from labeltree.data.features import FeatureMatrix
from labeltree.model.calibration import Calibration
from labeltree.model.curve import only

#: Probabilities, best first in each row, and the number of classifiers asked for each row.
Answers: TypeAlias = "tuple[sparse.csr_array[np.float32, tuple[int, int]], NDArray[np.int64]]"
#: Answers a search for rows, top_k and threshold.
Search: TypeAlias = Callable[[FeatureMatrix, int | None, float | None], Answers]


def decide(calibration: Calibration, search: Search, X: FeatureMatrix) -> Answers:
    """Return the labels of each row that a tuned model predicts, best first.

    A search finds more than is wanted, so rows go through it in parts.
    """
    choose = _by_thresholds if calibration.thresholds is not None else _by_expected_f1
    parts = [choose(calibration, search, X[part]) for part in slices(X.shape[0])]
    if len(parts) == 1:
        return parts[0]
    indptr = np.concatenate([[0], *(np.diff(found.indptr) for found, _ in parts)]).cumsum()
    data = np.concatenate([found.data for found, _ in parts])
    labels = np.concatenate([found.indices for found, _ in parts])
    shape = (X.shape[0], parts[0][0].shape[1])
    calls = np.concatenate([calls for _, calls in parts])
    return sparse.csr_array((data, labels, indptr), shape=shape), calls


def _by_thresholds(calibration: Calibration, search: Search, X: FeatureMatrix) -> Answers:
    """Labels with at least their own threshold."""
    assert calibration.thresholds is not None
    found, calls = search(X, None, float(calibration.thresholds.min()))
    return only(found, found.data >= calibration.thresholds[found.indices]), calls


def _by_expected_f1(calibration: Calibration, search: Search, X: FeatureMatrix) -> Answers:
    """So many of the best labels as promise the best F1."""
    found, calls = search(X, MAX_LABELS, MIN_PROBABILITY)
    lengths = np.diff(found.indptr)
    place = np.arange(found.nnz) - np.repeat(found.indptr[:-1], lengths)
    row = np.repeat(np.arange(found.shape[0]), lengths)
    sizes = np.zeros(found.shape[0], np.int64)
    # Rows of like length together: the work grows with the square of the longest.
    for width in 2 ** np.arange(int(MAX_LABELS).bit_length()):
        mine = (lengths <= width) & (lengths > width // 2)
        if mine.any():
            table = np.zeros((int(mine.sum()), width), np.float32)
            entry = mine[row]
            table[(np.cumsum(mine) - 1)[row[entry]], place[entry]] = found.data[entry]
            sizes[mine] = best_sizes(table)
    return only(found, place < sizes[row]), calls

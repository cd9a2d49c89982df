"""Label sets from probabilities, by tuned thresholds or by expected F1."""

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
from labeltree.model.curve import keep_entries

#: Probabilities, best first in each row, and the number of classifiers evaluated per row.
Found: TypeAlias = "tuple[sparse.csr_array[np.float32, tuple[int, int]], NDArray[np.int64]]"
#: Searches rows, given k and a threshold.
Search: TypeAlias = Callable[[FeatureMatrix, int | None, float | None], Found]


def decide(calibration: Calibration, search: Search, X: FeatureMatrix) -> Found:
    """Return the labels that a tuned model predicts for each row, best first.

    A search returns more labels than needed, so rows are processed in parts to limit memory.
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


def _by_thresholds(calibration: Calibration, search: Search, X: FeatureMatrix) -> Found:
    """Return the labels whose probability is at least their own threshold."""
    assert calibration.thresholds is not None
    found, calls = search(X, None, float(calibration.thresholds.min()))
    return keep_entries(found, found.data >= calibration.thresholds[found.indices]), calls


def _by_expected_f1(calibration: Calibration, search: Search, X: FeatureMatrix) -> Found:
    """Return the number of best labels per row that maximizes the expected F1."""
    found, calls = search(X, MAX_LABELS, MIN_PROBABILITY)
    lengths = np.diff(found.indptr)
    place = np.arange(found.nnz) - np.repeat(found.indptr[:-1], lengths)
    row = np.repeat(np.arange(found.shape[0]), lengths)
    sizes = np.zeros(found.shape[0], np.int64)
    # Rows of similar length together, because the work grows with the square of the longest.
    for width in 2 ** np.arange(int(MAX_LABELS).bit_length()):
        chosen = (lengths <= width) & (lengths > width // 2)
        if chosen.any():
            table = np.zeros((int(chosen.sum()), width), np.float32)
            entry = chosen[row]
            table[(np.cumsum(chosen) - 1)[row[entry]], place[entry]] = found.data[entry]
            sizes[chosen] = best_sizes(table)
    return keep_entries(found, place < sizes[row]), calls

"""Labels as points among the features, for builders that look at features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree import _core
from labeltree.data import LabelRows, as_features, as_labels
from labeltree.threads import n_threads

NativeRows = tuple[
    NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], int, NDArray[np.int64],
    NDArray[np.int32], int,
]  # fmt: skip


def native_rows(X: Any, Y: Any) -> tuple[NativeRows, LabelRows]:
    """Return X and Y checked, as kernels take them, and the labels of Y once more."""
    features, labels = as_features(X), as_labels(Y)
    if features.shape[0] != labels.n_rows:
        raise ValueError(f"X has {features.shape[0]} rows, but Y has {labels.n_rows}")
    indptr = features.indptr.astype(np.int64, copy=False)
    arrays = (indptr, features.indices, features.data, features.shape[1])
    return (*arrays, labels.indptr, labels.indices, labels.n_labels), labels


def label_vectors(
    X: Any, Y: Any, *, n_jobs: int | None = None
) -> sparse.csr_array[np.float32, tuple[int, int]]:
    """Return one row for each label: the sum of its rows of X, scaled to length 1.

    Known as PIFA, positive instance feature aggregation. Rows of X are taken as they are; scale
    them to length 1 first if long ones must not count more. A label without rows has an empty row.
    The time is that of the sums, the memory that of the result.

    Examples
    --------
    >>> label_vectors([[3, 0], [0, 4], [0, 1]], [[0, 1], [0], [2]]).toarray().round(1)
    array([[0.6, 0.8],
           [1. , 0. ],
           [0. , 1. ]], dtype=float32)
    """
    rows, labels = native_rows(X, Y)
    indptr, indices, values = _core.label_vectors(*rows, n_threads(n_jobs))
    shape = (labels.n_labels, rows[3])
    vectors = sparse.csr_array((values, indices, indptr), shape=shape)
    vectors.sort_indices()
    return vectors

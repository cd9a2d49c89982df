"""Labels as vectors in feature space, for builders that use features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree import _core
from labeltree.arguments import checked
from labeltree.data import LabelRows, as_features, as_labels
from labeltree.data.features import FeatureMatrix
from labeltree.data.targets import check_same_rows
from labeltree.threads import n_threads

NativeRows = tuple[
    NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], int, NDArray[np.int64],
    NDArray[np.int32], int,
]  # fmt: skip


class CheckedRows(NamedTuple):
    """X and Y that an estimator has checked, so that its builder does not check them again."""

    X: FeatureMatrix
    labels: LabelRows


def native_rows(X: Any, Y: Any) -> tuple[NativeRows, LabelRows]:
    """Return X and Y as kernels accept them, checked once, and the labels of Y again."""
    if isinstance(X, CheckedRows):
        features, labels = X
    else:
        features, labels = as_features(X), as_labels(Y)
    check_same_rows(features, labels)
    indptr = features.indptr.astype(np.int64, copy=False)
    arrays = (indptr, features.indices, features.data, features.shape[1])
    return (*arrays, labels.indptr, labels.indices, labels.n_labels), labels


@checked
def label_vectors(
    X: Any, Y: Any, *, n_jobs: int | None = None
) -> sparse.csr_array[np.float32, tuple[int, int]]:
    """Return one vector per label: the sum of its rows of X, scaled to unit length.

    This is known as PIFA, positive instance feature aggregation. The rows of X are used unchanged;
    scale them to unit length first if longer rows should not have more weight. A label without rows
    has an empty vector. The time is proportional to the number of terms of the sums, and the memory
    to the size of the result.

    Examples
    --------
    >>> label_vectors([[3, 0], [0, 4], [0, 1]], [[0, 1], [0], [2]]).toarray().round(1)
    array([[0.6, 0.8],
           [1. , 0. ],
           [0. , 1. ]], dtype=float32)
    """
    rows, labels = native_rows(X, Y)
    sums = _core.LabelSums(*rows)
    indptr, indices, values = sums.vectors(
        0, labels.n_labels, is_short=False, n_threads=n_threads(n_jobs)
    )
    shape = (labels.n_labels, rows[3])
    vectors = sparse.csr_array((values, indices, indptr), shape=shape)
    vectors.sort_indices()
    return vectors

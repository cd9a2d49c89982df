"""The form of predictions: dense arrays, sparse matrices and padded tables."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.arguments import MAX_TABLE_BYTES, shown
from labeltree.estimators.state import FittedState
from labeltree.units import format_bytes

Probabilities: TypeAlias = "sparse.csr_array[np.float32, tuple[int, int]]"
Indicator: TypeAlias = "sparse.csr_array[np.uint8, tuple[int, int]]"


def check_sparse_output(sparse_output: Any) -> None:
    """Raise ValueError unless sparse_output is "auto", True or False."""
    _check_auto_or_bool("sparse_output", sparse_output)


def check_normalize_proba(normalize_proba: Any) -> None:
    """Raise ValueError unless normalize_proba is "auto", True or False."""
    _check_auto_or_bool("normalize_proba", normalize_proba)


def _check_auto_or_bool(name: str, value: Any) -> None:
    is_auto = isinstance(value, str) and value == "auto"
    if not (is_auto or isinstance(value, bool | np.bool_)):
        raise ValueError(f'{name} must be "auto", True or False, but is {shown(value)}')


def is_dense(state: FittedState, sparse_output: Any) -> bool:
    """Return whether full results are dense: if asked for, or if Y was dense or classes."""
    check_sparse_output(sparse_output)
    if sparse_output == "auto":
        return state.label_kind == "classes" or state.dense_labels
    return not sparse_output


def check_size(method: str, n_rows: int, n_labels: int, dtype: type, remedy: str) -> None:
    """Raise ValueError if a dense result would be too large for the memory of most machines."""
    n_bytes = n_rows * n_labels * np.dtype(dtype).itemsize
    if n_bytes > MAX_TABLE_BYTES:
        raise ValueError(
            f"a dense result of {method} must have at most {format_bytes(MAX_TABLE_BYTES)}, but "
            f"{n_rows:,} rows x {n_labels:,} labels have {format_bytes(n_bytes)}; {remedy}"
        )


def dense_probabilities(found: Probabilities) -> NDArray[np.float32]:
    """Return the probabilities of all labels as an array; a full result is not copied."""
    n_rows, n_labels = found.shape
    if found.nnz == n_rows * n_labels:  # indices are sorted, so each row is complete
        return np.asarray(found.data).reshape(n_rows, n_labels)
    return np.asarray(found.toarray())


def indicator(found: Probabilities) -> Indicator:
    """Return 1 for each label that was found."""
    found.sort_indices()
    ones = np.ones(found.nnz, np.uint8)
    return sparse.csr_array((ones, found.indices, found.indptr), shape=found.shape)


def padded_table(found: Probabilities, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return labels and probabilities of shape (n_rows, k), padded with -1 and 0."""
    lengths = np.diff(found.indptr)
    labels = np.full((found.shape[0], k), -1, np.int64)
    probabilities = np.zeros((found.shape[0], k), np.float32)
    places = np.arange(k) < lengths[:, None]
    labels[places] = found.indices
    probabilities[places] = found.data
    return labels, probabilities


def divide_by_sums(found: Probabilities) -> None:
    """Make each row sum to 1, in place; a row of zeros becomes uniform."""
    lengths = np.diff(found.indptr)
    sums = np.asarray(found.sum(axis=1, dtype=np.float64))
    flat = sums <= 0
    found.data[np.repeat(flat, lengths)] = 1.0
    sums[flat] = lengths[flat]
    found.data /= np.repeat(sums, lengths).astype(np.float32)

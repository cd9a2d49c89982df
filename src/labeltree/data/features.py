"""Conversion of any feature matrix to float32 CSR."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from labeltree.arguments import checked
from labeltree.data.compressed import (
    MAX_COLUMNS,
    CompressedRows,
    compressed_rows,
    dense_rows,
    is_strictly_ascending,
)

# A string, because scipy's arrays are not subscriptable at run time before 1.14.
FeatureMatrix: TypeAlias = "sparse.csr_array[np.float32, tuple[int, int]]"


@checked
def as_features(X: Any, *, n_features: int | None = None) -> FeatureMatrix:
    """Return features as float32 CSR with sorted, unique int32 column indices.

    Parameters
    ----------
    X
        A scipy.sparse matrix or array in any format, a two-dimensional array of numbers, or a
        DataFrame. Duplicate entries are summed.
    n_features
        Number of columns that X must have, for example that of a trained model.

    Returns
    -------
    csr_array
        Shares the memory of X if X is already float32 CSR in canonical form, so memory-mapped files
        stay mapped. X is never modified.

    Raises
    ------
    ValueError
        If X has NaN, infinity, values outside the range of float32, indices out of bounds or the
        wrong shape.
    TypeError
        If X is not a matrix of numbers.

    Examples
    --------
    >>> as_features([[0, 2.5], [0, 0]])[[0], [1]]
    array([2.5], dtype=float32)
    """
    rows = _rows(X)
    if n_features is not None and rows.n_columns != n_features:
        raise ValueError(
            f"X has {rows.n_columns} columns, but the model was trained with {n_features}"
        )
    _check_kind(rows.data.dtype)
    values = _float32(rows)
    if is_strictly_ascending(rows):
        return canonical_csr(rows.indptr, rows.indices, values, rows.n_columns)
    return _sorted_and_summed(rows, values)


def _rows(X: Any) -> CompressedRows:
    if sparse.issparse(X):
        return compressed_rows(X, "X")
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        # hasattr(X, "sparse") is True only if all columns of the DataFrame are sparse or none.
        if len(X.columns) and hasattr(X, "sparse"):
            return compressed_rows(X.sparse.to_coo(), "X")
        X = X.to_numpy()
    elif not (isinstance(X, list | tuple) or hasattr(X, "__array__")):
        raise TypeError(f"X must be a matrix of numbers, but is {type(X).__name__}")
    array = _numbers(X)
    _check_kind(array.dtype)
    if array.ndim != 2:
        raise ValueError(
            f"X must have 2 dimensions, but has {array.ndim}. "
            "Reshape your data: X.reshape(1, -1) is one row"
        )
    return dense_rows(array, "X")


def _numbers(X: Any) -> npt.NDArray[Any]:
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError("X must be a matrix, but its rows have different lengths") from None
    try:
        return array.astype(np.float64) if array.dtype.kind == "O" else array
    except (TypeError, ValueError) as error:
        raise type(error)(f"X must be a matrix of numbers: {error}") from None


def _check_kind(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X has dtype {dtype}. Pass X.real or X.imag")
    if dtype.kind not in "biuf":
        raise TypeError(f"X must be a matrix of numbers, but has dtype {dtype}")


def _float32(rows: CompressedRows) -> npt.NDArray[np.float32]:
    with np.errstate(over="ignore", invalid="ignore"):
        values = rows.data.astype(np.float32, copy=False)
        # The sum needs no temporary array, and float32 values cannot overflow a float64 sum.
        finite = bool(np.isfinite(values.sum(dtype=np.float64)))
    if not finite:
        entry = int(np.argmin(np.isfinite(values)))
        row, column = rows.where(entry)
        value = rows.data[entry]
        rule = "X must fit into float32" if np.isfinite(value) else "X must not contain NaN or inf"
        value_word = "NaN" if np.isnan(value) else str(value)
        raise ValueError(f"{rule}, but row {row}, column {column} is {value_word}")
    return np.asarray(values)


def canonical_csr(
    indptr: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    values: npt.NDArray[np.float32],
    n_columns: int,
) -> FeatureMatrix:
    """Return CSR over these arrays, whose indices are known to be sorted and unique."""
    n_rows = len(indptr) - 1
    nothing = (values[:0], indices[:0], np.zeros(n_rows + 1, np.int32))
    csr = sparse.csr_array(nothing, shape=(n_rows, n_columns))
    # Set one by one, because scipy's constructor makes all indices int64 above 2**31 entries.
    csr.data = values
    csr.indices = np.asarray(indices).astype(np.int32, copy=False)
    pointer = np.int32 if len(values) <= MAX_COLUMNS else np.int64
    csr.indptr = np.asarray(indptr).astype(pointer, copy=False)
    csr.has_sorted_indices = csr.has_canonical_format = True
    return csr


def csr_arrays(
    X: FeatureMatrix,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return offsets, indices and values as native code takes them, without a copy if possible."""
    return X.indptr.astype(np.int64, copy=False), X.indices, X.data


def _sorted_and_summed(rows: CompressedRows, values: npt.NDArray[np.float32]) -> FeatureMatrix:
    csr = sparse.csr_array(
        (values, rows.indices, rows.indptr), shape=(rows.n_rows, rows.n_columns), copy=True
    )
    csr.has_sorted_indices = csr.has_canonical_format = False
    csr.sum_duplicates()
    summed = CompressedRows(csr.indptr, csr.indices, csr.data, rows.n_columns)
    return canonical_csr(csr.indptr, csr.indices, _float32(summed), rows.n_columns)

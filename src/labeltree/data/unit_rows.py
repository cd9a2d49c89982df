"""Rows scaled to length 1, without a copy where they are already."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree.data.features import FeatureMatrix, canonical_csr

# A row whose squared length is this close to 1 stays as it is. Values that were rounded to half
# precision on their way here come this close, and no answer hinges on it.
_CLOSE = 1e-3
_ROWS_AT_ONCE = 1 << 11  # so that temporary arrays stay small


def unit_rows(X: FeatureMatrix) -> FeatureMatrix:
    """Rows of Euclidean length 1; rows without entries stay empty.

    Indices are those of X itself. Values too where all rows have length 1 already; else they are
    one new array. What becomes of a row does not depend on the other rows.

    Examples
    --------
    >>> from scipy import sparse
    >>> unit_rows(sparse.csr_array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).toarray()
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    factors = _factors(X)
    if (factors == 1).all():
        return X
    values = np.empty_like(X.data, subok=False)
    lengths = np.diff(X.indptr)
    for first in range(0, X.shape[0], _ROWS_AT_ONCE):
        last = min(first + _ROWS_AT_ONCE, X.shape[0])
        part = slice(X.indptr[first], X.indptr[last])
        values[part] = X.data[part] * np.repeat(factors[first:last], lengths[first:last])
    return canonical_csr(X.indptr, X.indices, values, X.shape[1])


def _factors(X: FeatureMatrix) -> NDArray[np.float64]:
    """1 over the length of each row; just 1 for rows without length and of length 1."""
    factors = np.ones(X.shape[0])
    lengths = np.diff(X.indptr)
    for first in range(0, X.shape[0], _ROWS_AT_ONCE):
        last = min(first + _ROWS_AT_ONCE, X.shape[0])
        values = X.data[X.indptr[first] : X.indptr[last]].astype(np.float64)
        row = np.repeat(np.arange(last - first), lengths[first:last])
        squares = np.bincount(row, weights=values * values, minlength=last - first)
        scaled = (np.abs(squares - 1) > _CLOSE) & (squares > 0)
        factors[first:last][scaled] = 1 / np.sqrt(squares[scaled])
    return factors

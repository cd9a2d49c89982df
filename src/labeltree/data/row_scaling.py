"""What becomes of a row of X before a model sees it."""

from __future__ import annotations

import mmap
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data.features import FeatureMatrix, canonical_csr

# A row whose squared length is this close to 1 stays as it is. Values that were rounded to half
# precision on their way here come this close, and no answer hinges on it.
_CLOSE = 1e-3
_ROWS_AT_ONCE = 1 << 11  # so that temporary arrays stay small


@dataclass(frozen=True, eq=False)
class RowScaling:
    """Values raised to a power and times the weights of their features, in rows of length 1.

    Parameters
    ----------
    unit
        Whether rows are scaled at all; they stay as they are without.
    power
        Power of the values; their signs stay.
    weights
        Weight of each feature, above 0; empty for 1.

    Examples
    --------
    >>> from labeltree.data import as_features
    >>> scaling = RowScaling(power=0.5, weights=np.array([3.0, 2.0], np.float32))
    >>> scaling(as_features([[1.0, 4.0]])).toarray()
    array([[0.6, 0.8]], dtype=float32)
    """

    unit: bool = True
    power: float = 1.0
    weights: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))

    def __call__(
        self, X: FeatureMatrix, n_threads: int = 1, *, in_place: bool = False
    ) -> FeatureMatrix:
        """Return the scaled rows; indices, and values that do not change, are those of X.

        With `in_place`, values that do change may be written where those of X were.
        """
        if not self.unit:
            return X
        if self.keeps_unit_rows:
            return unit_rows(X)
        values = X.data if in_place and X.data.flags.writeable else _room_for(X.data)
        indptr = X.indptr.astype(np.int64, copy=False)
        self._native.scale(indptr, X.indices, X.data, X.shape[1], values, n_threads)
        return canonical_csr(X.indptr, X.indices, values, X.shape[1])

    @property
    def keeps_unit_rows(self) -> bool:
        """Whether rows of length 1 stay as they are."""
        return self.power == 1 and not len(self.weights)

    def of_row(
        self, features: NDArray[np.int32], values: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the values of one row."""
        if not self.unit:
            return values
        n_features = len(self.weights) or 1 + int(features.max(initial=0))
        ends, scaled = np.array([0, len(features)]), np.empty(len(features), np.float32)
        self._native.scale(ends, features, values, n_features, scaled, 1)
        return scaled

    @cached_property
    def _native(self) -> _core.RowScaling:
        return _core.RowScaling(self.unit, self.power, self.weights)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_native"}


#: Rows of length 1, with values as they are.
UNIT = RowScaling()
#: Rows as they are.
AS_THEY_ARE = RowScaling(unit=False)


def plain_scaling(*, normalize: bool) -> RowScaling:
    """Return what becomes of rows where nothing is known of their features."""
    return UNIT if normalize else AS_THEY_ARE


def _room_for(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return an array as large: in memory, or in a file without a name where values are in one."""
    base: Any = values
    while isinstance(base, np.ndarray | memoryview) and not isinstance(base, np.memmap):
        base = base.obj if isinstance(base, memoryview) else base.base
    if not isinstance(base, np.memmap | mmap.mmap) or not len(values):
        return np.empty(len(values), np.float32)
    with tempfile.TemporaryFile(prefix="labeltree-") as file:
        return np.memmap(file, np.float32, "w+", shape=values.shape)


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

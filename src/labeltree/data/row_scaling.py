"""How rows of X are scaled before a model sees them: the only place where lengths are 1."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data.features import FeatureMatrix, canonical_csr
from labeltree.execution.mapped_arrays import map_of


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

        With `in_place`, values that change may overwrite those of X.
        """
        if self.keeps(X):
            return X
        values = X.data if in_place and X.data.flags.writeable else _room_for(X.data)
        self.write(X, values, n_threads)
        return canonical_csr(X.indptr, X.indices, values, X.shape[1])

    def keeps(self, X: FeatureMatrix) -> bool:
        """Return whether the scaled rows are those of X."""
        indptr = X.indptr.astype(np.int64, copy=False)
        return not self.unit or self._native.keeps(indptr, X.indices, X.data, X.shape[1])

    def write(self, X: FeatureMatrix, values: NDArray[np.float32], n_threads: int = 1) -> None:
        """Write the values of the scaled rows to an array."""
        indptr = X.indptr.astype(np.int64, copy=False)
        self._native.scale(indptr, X.indices, X.data, X.shape[1], values, n_threads)

    @property
    def is_plain(self) -> bool:
        """Whether rows are only scaled to length 1, or not at all."""
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
    if map_of(values) is None or not len(values):
        return np.empty(len(values), np.float32)
    with tempfile.TemporaryFile(prefix="labeltree-") as file:
        return np.memmap(file, np.float32, "w+", shape=values.shape)

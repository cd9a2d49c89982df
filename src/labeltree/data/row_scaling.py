"""How rows of X are scaled before a model sees them: the only place where lengths are 1.

Rows may get pairs of their features as additional features first.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data.feature_pairs import NO_PAIRS, FeaturePairs
from labeltree.data.features import FeatureMatrix, canonical_csr, csr_arrays
from labeltree.execution.mapped_arrays import map_of

Number = TypeVar("Number", np.float32, np.int32)


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
        Weight of each feature and pair, above 0; empty for 1.
    pairs
        Pairs of features that rows get as additional features before they are scaled.

    Examples
    --------
    >>> from labeltree.data import as_features
    >>> scaling = RowScaling(power=0.5, weights=np.array([3.0, 2.0], np.float32))
    >>> scaling(as_features([[1.0, 4.0]])).toarray()
    array([[0.6, 0.8]], dtype=float32)
    >>> pairs = FeaturePairs.of(2, np.array([[0, 1]]), factor=2.0)
    >>> RowScaling(pairs=pairs)(as_features([[1.0, 4.0], [2.0, 0.0]])).toarray().round(3)
    array([[0.174, 0.696, 0.696],
           [1.   , 0.   , 0.   ]], dtype=float32)
    """

    unit: bool = True
    power: float = 1.0
    weights: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    pairs: FeaturePairs = NO_PAIRS

    def __call__(
        self, X: FeatureMatrix, n_threads: int = 1, *, in_place: bool = False
    ) -> FeatureMatrix:
        """Return the scaled rows; indices, and values that do not change, are those of X.

        With `in_place`, values that change may overwrite those of X.
        """
        if self.keeps(X):
            return X
        if len(self.pairs):
            X, in_place = self._with_pairs(X, n_threads), True
        if not self.unit:
            return X
        values = X.data if in_place and X.data.flags.writeable else room_for(X.data, len(X.data))
        self._scale(X, values, n_threads)
        return canonical_csr(X.indptr, X.indices, values, X.shape[1])

    def keeps(self, X: FeatureMatrix) -> bool:
        """Return whether the scaled rows are those of X."""
        if len(self.pairs):
            return False
        return not self.unit or self._native.keeps(*csr_arrays(X), X.shape[1])

    def _scale(self, X: FeatureMatrix, values: NDArray[np.float32], n_threads: int) -> None:
        """Write the values of rows that have their pairs to an array."""
        self._native.scale(*csr_arrays(X), X.shape[1], values, n_threads)

    def begin_with_pairs(self, X: FeatureMatrix, n_threads: int = 1) -> NDArray[np.int64]:
        """Return where each row begins when it has its pairs."""
        return self._native.begin_with_pairs(*csr_arrays(X), n_threads)

    def _with_pairs(self, X: FeatureMatrix, n_threads: int) -> FeatureMatrix:
        begin = self.begin_with_pairs(X, n_threads)
        indices, values = room_for(X.indices, int(begin[-1])), room_for(X.data, int(begin[-1]))
        self._native.write_with_pairs(*csr_arrays(X), begin, indices, values, n_threads)
        return canonical_csr(begin, indices, values, X.shape[1] + len(self.pairs))

    @property
    def is_weighted(self) -> bool:
        """Whether values change in other ways than by the length of their row."""
        return self.power != 1 or len(self.weights) > 0

    @property
    def is_plain(self) -> bool:
        """Whether rows are only scaled to length 1, or not at all."""
        return not self.is_weighted and not len(self.pairs)

    @property
    def unweighted(self) -> RowScaling:
        """The same pairs, with values as they are."""
        return replace(self, power=1.0, weights=np.empty(0, np.float32))

    def of_row(
        self, features: NDArray[np.int32], values: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return features and values of one row."""
        ends = np.array([0, len(features)])
        if len(self.pairs):
            order = np.argsort(features, kind="stable")
            n_given = len(self.pairs.begin) - 1
            scaled = self(canonical_csr(ends, features[order], values[order], n_given))
            return scaled.indices, scaled.data
        if not self.unit:
            return features, values
        n_features = len(self.weights) or 1 + int(features.max(initial=0))
        written = np.empty(len(features), np.float32)
        self._native.scale(ends, features, values, n_features, written, 1)
        return features, written

    @cached_property
    def _native(self) -> _core.RowScaling:
        pairs = self.pairs
        arrays = self.weights, pairs.begin, pairs.partners
        return _core.RowScaling(self.unit, self.power, *arrays, pairs.factor)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_native"}


#: Rows of length 1, with values as they are.
UNIT = RowScaling()
#: Rows as they are.
AS_THEY_ARE = RowScaling(unit=False)


def plain_scaling(*, normalize: bool) -> RowScaling:
    """Return what becomes of rows where nothing is known of their features."""
    return UNIT if normalize else AS_THEY_ARE


def room_for(array: NDArray[Number], size: int) -> NDArray[Number]:
    """Return a new array of the same type: in memory, or in a file if the given one is in one."""
    if map_of(array) is None or not size:
        return np.empty(size, array.dtype)
    with tempfile.TemporaryFile(prefix="labeltree-") as file:
        return np.memmap(file, array.dtype, "w+", shape=(size,))

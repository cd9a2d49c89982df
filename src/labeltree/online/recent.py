"""The most recent rows, kept to rebuild the tree from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.data import LabelRows
from labeltree.data.arrays import take
from labeltree.data.compressed import CompressedRows, is_strictly_ascending, pointers
from labeltree.data.features import FeatureMatrix, canonical_csr

_ARRAYS = {"indptr": "i8", "indices": "i4", "values": "f4", "label_indptr": "i8", "labels": "i4"}


class RecentRows:
    """The n_kept most recent rows, with the learner's label numbers.

    Examples
    --------
    >>> from labeltree.data import as_features, as_labels
    >>> recent = RecentRows(2, n_features=1)
    >>> recent.add(as_features([[1], [2], [3]]), as_labels([[0], [1], [0]]))
    >>> recent.features.toarray().tolist(), recent.rows(2).indices.tolist()
    ([[2.0], [3.0]], [1, 0])
    """

    def __init__(self, n_kept: int, n_features: int) -> None:
        self.n_kept, self.n_features = n_kept, n_features
        self._pieces: list[tuple[FeatureMatrix, NDArray[np.int64], NDArray[np.int32]]] = []
        self._n_rows = 0

    def add(self, X: FeatureMatrix, rows: LabelRows) -> None:
        """Add rows, and drop the oldest rows beyond the limit."""
        if self.n_kept == 0:
            return
        first = max(0, X.shape[0] - self.n_kept)
        kept = rows.select(slice(first, None))
        self._pieces.append((X[first:].copy(), kept.indptr, kept.indices))
        self._n_rows += kept.n_rows
        # Joined when the size has doubled, so that each row is copied only a few times.
        if self._n_rows > 2 * self.n_kept or len(self._pieces) > 1000:
            self._join()

    def _join(self) -> None:
        if not self._pieces:
            return
        X = sparse.vstack([piece[0] for piece in self._pieces], format="csr")
        lengths = np.concatenate([np.diff(piece[1]) for piece in self._pieces])
        indices = np.concatenate([piece[2] for piece in self._pieces])
        first = max(0, X.shape[0] - self.n_kept)
        X = X[first:]
        made = canonical_csr(X.indptr, X.indices, X.data, self.n_features)
        labels = indices[int(lengths[:first].sum()) :]
        self._pieces = [(made, pointers(lengths[first:]), labels.astype(np.int32, copy=False))]
        self._n_rows = made.shape[0]

    @property
    def features(self) -> FeatureMatrix:
        """Features of the kept rows."""
        if len(self._pieces) != 1 or self._n_rows > self.n_kept:
            self._join()
        if not self._pieces:
            empty = np.empty(0, np.float32)
            return canonical_csr(
                np.zeros(1, np.int64), empty.astype(np.int32), empty, self.n_features
            )
        return self._pieces[0][0]

    def rows(self, n_labels: int) -> LabelRows:
        """Labels of the kept rows."""
        if self.features.shape[0] == 0:
            return LabelRows(np.zeros(1, np.int64), np.empty(0, np.int32), n_labels)
        _, indptr, indices = self._pieces[0]
        return LabelRows(indptr, indices, n_labels)

    def renumber(self, number: NDArray[np.int64]) -> None:
        """Give labels new numbers; those with -1 are dropped."""
        if self.features.shape[0] == 0:
            return
        X, indptr, indices = self._pieces[0]
        new = number[indices]
        row = np.repeat(np.arange(X.shape[0]), np.diff(indptr))[new >= 0]
        lengths = np.bincount(row, minlength=X.shape[0])
        kept = new[new >= 0].astype(np.int32)
        kept = kept[np.lexsort((kept, row))]
        self._pieces = [(X, pointers(lengths), kept)]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the kept rows as arrays by name."""
        X, rows = self.features, self.rows(0)
        indptr = X.indptr.astype(np.int64)
        arrays = (indptr, X.indices, X.data, rows.indptr, rows.indices)
        return dict(zip(_ARRAYS, arrays, strict=True))

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], n_kept: int, n_features: int, n_labels: int
    ) -> Self:
        """Restore the rows from `to_arrays`."""
        made = cls(n_kept, n_features)
        indptr, indices, values, label_indptr, labels = (
            take(arrays, name, dtype) for name, dtype in _ARRAYS.items()
        )
        _check(indptr, indices, n_features)
        _check(label_indptr, labels, n_labels)
        if len(values) != len(indices) or len(indptr) != len(label_indptr):
            raise ValueError("kept rows must have the same number of features and labels")
        if not is_strictly_ascending(CompressedRows(indptr, indices, values, n_features)):
            raise ValueError("features of a kept row must ascend")
        if len(indptr) > 1:
            X = canonical_csr(indptr, indices, values, n_features)
            made._pieces = [(X, label_indptr, labels)]
            made._n_rows = X.shape[0]
        return made


def _check(indptr: NDArray[Any], indices: NDArray[Any], n_columns: int) -> None:
    is_valid = len(indptr) > 0 and indptr[0] == 0 and indptr[-1] == len(indices)
    if not is_valid or (np.diff(indptr) < 0).any():
        raise ValueError("the ends of kept rows must increase to the number of entries")
    if len(indices) and not (indices.min() >= 0 and indices.max() < n_columns):
        raise ValueError(f"entries of kept rows must lie in 0..{n_columns - 1}")

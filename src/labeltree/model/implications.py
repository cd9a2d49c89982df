"""Labels that imply others: a label is at least as probable as each label that implies it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.arrays import take
from labeltree.data.features import FeatureMatrix

_PREFIX = "implications"
_ARRAYS = {"indptr": "i8", "indices": "i4"}


@dataclass(frozen=True, eq=False)
class Implications:
    """The labels that each label implies: all of its training rows have them, and other rows too.

    Parameters
    ----------
    indptr, indices
        Label j implies the labels indices[indptr[j]:indptr[j + 1]], the most frequent one first.
        What these imply is among them.

    Examples
    --------
    >>> made = Implications(np.array([0, 0, 1, 3]), np.array([0, 0, 1], np.int32))
    >>> len(made), made.of(2).tolist(), made.implying(0).tolist()
    (3, [0, 1], [1, 2])
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.indices)

    def of(self, label: int) -> NDArray[np.int32]:
        """Return the labels that a label implies."""
        return self.indices[self.indptr[label] : self.indptr[label + 1]]

    def implying(self, label: int) -> NDArray[np.int32]:
        """Return the labels that imply a label, in ascending order."""
        pairs = np.flatnonzero(self.indices == label)
        return (np.searchsorted(self.indptr, pairs, side="right") - 1).astype(np.int32)

    def native(self, n_labels: int) -> _core.ImpliedLabels:
        """Return them for searches over this many labels."""
        if len(self.indptr) != n_labels + 1:
            raise ValueError(
                f"{_PREFIX}.indptr must have {n_labels + 1} entries, but has {len(self.indptr)}"
            )
        try:
            return _core.ImpliedLabels(self.indptr, self.indices)
        except ValueError as error:
            raise ValueError(f"{_PREFIX}: {error}") from None

    # The model file -----------------------------------------------------------------------------

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a part that JSON can represent, and arrays by name."""
        return {}, {f"{_PREFIX}.{name}": getattr(self, name) for name in _ARRAYS}

    @classmethod
    def from_arrays(
        cls, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Implications:
        """Return what `to_arrays` was called on.

        Raises
        ------
        ValueError
            If any part is missing or unknown. `native` checks the arrays.
        """
        if meta or len(arrays) != len(_ARRAYS):
            raise ValueError(f"{_PREFIX} must have {len(_ARRAYS)} arrays, and nothing else")
        return cls(*(take(arrays, f"{_PREFIX}.{name}", dtype) for name, dtype in _ARRAYS.items()))


def probable_source(model: Any, row: FeatureMatrix, label: int) -> int:
    """Return the label whose probability a label has: itself, or a label that implies it.

    Parameters
    ----------
    model
        The model.
    row
        One row of features, weighted and scaled.
    label
        Number of the label.
    """
    if model.implications is None:
        return label
    labels = np.append(np.int32(label), model.implications.implying(label))
    ends = np.array([0, len(labels)], np.int64)
    named = LabelRows(ends, labels, model.n_labels)
    found = model.with_implications(None).probabilities_of(row, named)
    return int(labels[np.argmax(found)])

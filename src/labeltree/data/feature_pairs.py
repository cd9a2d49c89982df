"""Pairs of features that occur together, as additional features of a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from labeltree import _core


def _none() -> NDArray[np.int32]:
    return np.empty(0, np.int32)


@dataclass(frozen=True, eq=False)
class FeaturePairs:
    """Pairs of features. A row that has both features gets the pair as a feature of its own.

    Pair number p is feature `n_features` + p. Its value is `factor` times the geometric mean of the
    two values.

    Parameters
    ----------
    begin
        Number of the first pair of each feature, and the number of pairs; empty for no pairs.
    partners
        The other feature of each pair. It is the larger one, and ascends for each feature.
    factor
        Factor of the values of pairs.

    Examples
    --------
    >>> pairs = FeaturePairs.of(3, np.array([[0, 2], [1, 2]]), factor=0.5)
    >>> len(pairs), pairs.features(1)
    (2, (1, 2))
    """

    begin: NDArray[np.int32] = field(default_factory=_none)
    partners: NDArray[np.int32] = field(default_factory=_none)
    factor: float = 1.0

    @classmethod
    def of(cls, n_features: int, pairs: NDArray[Any], factor: float) -> Self:
        """Return pairs given as rows of two features, the smaller first, in ascending order."""
        if not len(pairs):
            return cls()
        begin = np.searchsorted(pairs[:, 0], np.arange(n_features + 1))
        return cls(begin.astype(np.int32), pairs[:, 1].astype(np.int32), factor)

    def __len__(self) -> int:
        return len(self.partners)

    def check(self) -> None:
        """Raise ValueError if the arrays are not as described."""
        _core.check_pairs(self.begin, self.partners, self.factor)

    def features(self, pair: int) -> tuple[int, int]:
        """Return the two features of a pair."""
        first = int(np.searchsorted(self.begin, pair, side="right")) - 1
        return first, int(self.partners[pair])

    def to_array(self) -> NDArray[np.int32]:
        """Return all pairs as rows of two features."""
        if not len(self):
            return np.empty((0, 2), np.int32)
        firsts = np.repeat(np.arange(len(self.begin) - 1, dtype=np.int32), np.diff(self.begin))
        return np.column_stack([firsts, self.partners])


#: Rows without pairs.
NO_PAIRS = FeaturePairs()


def shown_pairs(n_pairs: int, separator: str = ", ") -> str:
    """Return what follows a number of features in a report: nothing if there are no pairs.

    Examples
    --------
    >>> shown_pairs(1200), shown_pairs(1), shown_pairs(0)
    (', 1,200 pairs of them', ', 1 pair of them', '')
    """
    return f"{separator}{n_pairs:,} pair{'s' * (n_pairs > 1)} of them" if n_pairs else ""

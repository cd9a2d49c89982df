"""How features are scaled for a model: found from the training rows and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import UNIT, RowScaling

#: From so many rows on, powers are found.
ENOUGH_ROWS = 1000
# docs/study.md says where these come from.
_PAIRS = 10.0  # pairs of rows that the mean of all features counts for in the weight of each
_SPREAD = 0.4  # of values, in logarithms, beside what telling explains; above it their power is < 1
_LEAST_POWER = 0.55
_AFFINITY = 0.4  # power of telling that values should have, with what they have of it already
_AFFINITY_SPREAD = 0.6  # or less of it, that they spread no more than so much by it
_STEPS = 20  # of powers from 0 to 1
_LOOKED_AT = 2048  # rows


class Powers(NamedTuple):
    """Powers of the values, and of how telling their features are."""

    value: float
    affinity: float

    @classmethod
    def checked(cls, powers: Sequence[float]) -> Powers:
        """Return two powers from 0 to 2.

        Examples
        --------
        >>> Powers.checked((0.5, 0))
        Powers(value=0.5, affinity=0)
        """
        if len(powers) != 2 or not all(0 <= power <= 2 for power in powers):
            raise ValueError(f"feature_weighting must be two numbers from 0 to 2, but is {powers}")
        return cls(*powers)


#: Values as they are, in rows of length 1.
NO_WEIGHTING = Powers(1.0, 0.0)


def label_affinity(X: FeatureMatrix, rows: LabelRows, n_threads: int = 1) -> NDArray[np.float64]:
    """Return for each feature how many labels two rows that have it share on average.

    A label of n rows counts 1 / sqrt(n). Features of few rows are taken to be more or less like the
    average feature: as if they had ten more pairs of rows, as telling as that.

    Examples
    --------
    >>> from labeltree.data import as_features, as_labels
    >>> X = as_features([[1, 1], [1, 0], [0, 1], [1, 1]])
    >>> Y = as_labels([["tea"], ["tea"], ["bread"], ["tea"]])
    >>> label_affinity(X, Y).round(3)
    array([0.457, 0.313])
    """
    n, shared = _core.label_affinity(
        X.indptr.astype(np.int64, copy=False),
        X.indices,
        X.shape[1],
        rows.indptr,
        rows.indices,
        rows.n_labels,
        n_threads,
    )
    pairs = n * (n - 1.0)
    labels = shared / _core.AFFINITY_UNIT
    mean = float((labels[pairs > 0] / pairs[pairs > 0]).mean()) if (pairs > 0).any() else 0.0
    return np.asarray((labels + _PAIRS * mean) / (pairs + _PAIRS))


def find_powers(X: FeatureMatrix, affinity: NDArray[np.float64]) -> Powers:
    """Return the powers that suit some rows.

    Within a row, the logarithms of values are explained as a multiple of those of `tells`, which
    says how telling each feature is, and a rest. Counts of words vary more in the rest than they
    mean, so a large one is made smaller; of telling, as much is added as values lack.
    """
    some = X[:: max(X.shape[0] // _LOOKED_AT, 1)]
    is_there = some.data != 0
    lengths = np.add.reduceat(np.append(is_there, 0), some.indptr[:-1]) * (np.diff(some.indptr) > 0)
    told = _within_rows(np.log(affinity[some.indices[is_there]]), lengths)
    values = _within_rows(np.log(np.abs(some.data[is_there], dtype=np.float64)), lengths)
    # Sums, and no products of matrices: those would start threads that go on spinning.
    variance = float((told * told).sum())
    had = float((told * values).sum()) / variance if variance > 0 else 0.0
    n = max(len(told), 1)
    spread = float(np.sqrt(((values - had * told) ** 2).sum() / n))
    power = 1.0
    if spread > _SPREAD and not (some.data < 0).any():
        power = max(_LEAST_POWER, _SPREAD / spread)
    wanted = min(_AFFINITY, _AFFINITY_SPREAD / max(np.sqrt(variance / n), 1e-9))
    lacking = max(wanted - power * had, 0.0) if variance > 0 else 0.0
    return Powers(_stepped(power), _stepped(lacking))


def _within_rows(x: NDArray[np.float64], lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how far each number is from the mean of its row."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    means = np.bincount(row, x, minlength=len(lengths)) / np.maximum(lengths, 1)
    return x - means[row]


def _stepped(power: float) -> float:
    """Round, so that a few rows more or less do not matter."""
    return round(power * _STEPS) / _STEPS


def learn_scaling(
    X: FeatureMatrix, rows: LabelRows, powers: Powers | None = None, n_threads: int = 1
) -> RowScaling:
    """Return how rows are scaled for a model of these labels, with given powers or found ones."""
    if powers is None and X.shape[0] < ENOUGH_ROWS:
        return UNIT
    if powers is not None and powers.affinity == 0:
        return RowScaling(power=powers.value)
    affinity = label_affinity(X, rows, n_threads)
    if not affinity.max() > 0:  # no two rows share a label
        return UNIT if powers is None else RowScaling(power=powers.value)
    value, power = powers or find_powers(X, affinity)
    weights = (affinity / affinity.max()) ** power if power > 0 else np.empty(0)
    return RowScaling(power=value, weights=weights.astype(np.float32))

"""Feature weighting: how features are scaled, learned from the training rows and their labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.compressed import column_counts
from labeltree.data.feature_pairs import NO_PAIRS
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import UNIT, RowScaling
from labeltree.execution import Executor, Threads
from labeltree.execution.ranges import JOBS_PER_WORKER, Range, even_ranges
from labeltree.training.inner_split import NO_ROWS
from labeltree.training.interactions import (
    NO_INTERACTIONS,
    Interactions,
    as_features,
    informative_pairs,
)

#: Minimum number of rows for which exponents are estimated.
ENOUGH_ROWS = 1000
# docs/explanation/study.md explains these values.
_PRIOR_PAIRS = 10.0  # pairs of rows that the mean over all features counts as, for each feature
_MAX_SPREAD = 0.4  # of log values not explained by affinity; above it their exponent is below 1
_MIN_POWER = 0.55
_AFFINITY = 0.4  # exponent of the affinity in the scaled values, including what X has already
_AFFINITY_SPREAD = 0.6  # maximum spread of log values due to the affinity, which may lower it
_STEPS = 20  # exponents are rounded to 1/20
_MAX_ROWS, _MAX_ENTRIES = 2048, 1 << 20  # used to estimate the exponents, about


class Powers(NamedTuple):
    """Exponents of the values and of the label affinity of their features."""

    value: float
    affinity: float

    @classmethod
    def checked(cls, powers: Sequence[float]) -> Powers:
        """Return two exponents from 0 to 2.

        Examples
        --------
        >>> Powers.checked((0.5, 0))
        Powers(value=0.5, affinity=0)
        """
        if len(powers) != 2 or not all(0 <= power <= 2 for power in powers):
            raise ValueError(f"feature_weighting must be two numbers from 0 to 2, but is {powers}")
        return cls(*powers)


#: Unweighted values, in rows of length 1.
NO_WEIGHTING = Powers(1.0, 0.0)


@dataclass(frozen=True, eq=False)
class _Affinity:
    """Counts for each feature, over a range of labels and a range of entries of X.

    All counts are integers, so the order in which they are added does not matter.
    """

    indptr: NDArray[Any]
    indices: NDArray[np.int32]
    n_features: int
    rows: LabelRows
    n_threads: int

    def __call__(self, job: tuple[Range, Range]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of each feature, and the labels that pairs of them share."""
        labels, (first, last) = job
        n = column_counts(self.indices[first:last], self.n_features)
        return n, self._shared.of(*labels, self.n_threads)

    @cached_property
    def _shared(self) -> _core.SharedLabels:
        """The rows, which a worker checks once."""
        rows = self.rows
        features = self.indptr.astype(np.int64, copy=False), self.indices, self.n_features
        return _core.SharedLabels(*features, rows.indptr, rows.indices, rows.n_labels)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name != "_shared"}
        return state | {"rows": replace(self.rows, names=None)}


def label_affinity(
    X: FeatureMatrix, rows: LabelRows, executor: Executor | None = None
) -> NDArray[np.float64]:
    """Return for each feature the mean number of labels that two rows with the feature share.

    A label with n rows counts as 1 / sqrt(n). Features with few rows are shrunk toward the mean of
    all features, as if they had ten additional pairs of rows with that mean.

    Examples
    --------
    >>> from labeltree.data import as_features, as_labels
    >>> X = as_features([[1, 1], [1, 0], [0, 1], [1, 1]])
    >>> Y = as_labels([["tea"], ["tea"], ["bread"], ["tea"]])
    >>> label_affinity(X, Y).round(3)
    array([0.457, 0.313])
    """
    return _shrunk(*_shared_labels(X, rows, executor or Threads()))


def _shared_labels(
    X: FeatureMatrix, rows: LabelRows, executor: Executor
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each feature the pairs of its rows, and the labels that all of these share."""
    work = _Affinity(X.indptr, X.indices, X.shape[1], rows, executor.n_threads)
    n, shared = np.zeros((2, X.shape[1]), np.int64)
    for _, (n_some, some) in executor.run(work, _affinity_jobs(X, rows, executor.n_workers)):
        n += n_some
        shared += some
    return n * (n - 1.0), shared / _core.AFFINITY_UNIT


def _shrunk(pairs: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the labels per pair of rows, shrunk toward their mean."""
    mean = float((labels[pairs > 0] / pairs[pairs > 0]).mean()) if (pairs > 0).any() else 0.0
    return np.asarray((labels + _PRIOR_PAIRS * mean) / (pairs + _PRIOR_PAIRS))


def _affinity_jobs(
    X: FeatureMatrix, rows: LabelRows, n_workers: int
) -> Iterator[tuple[Range, Range]]:
    """Yield ranges of labels and of entries of X, one for a single worker."""
    n_jobs = 1 if n_workers == 1 else JOBS_PER_WORKER * n_workers
    labels = even_ranges(1 + rows.counts, n_jobs)
    ends = np.linspace(0, X.nnz, len(labels) + 1).astype(np.int64).tolist()
    yield from zip(labels, pairwise(ends), strict=True)


def find_powers(X: FeatureMatrix, affinity: NDArray[np.float64]) -> Powers:
    """Return the exponents estimated from a sample of the rows.

    Within each row, log values are regressed on the log affinity of their features. The residual of
    word counts varies more than it should, so values with a large residual get an exponent below 1.
    The exponent of the affinity is the target less what the values contain already.
    """
    sample = X[:: max(X.shape[0] // _MAX_ROWS, X.nnz // _MAX_ENTRIES, 1)]
    is_nonzero = sample.data != 0
    lengths = np.add.reduceat(np.append(is_nonzero, 0), sample.indptr[:-1])
    lengths *= np.diff(sample.indptr) > 0
    affinities = _centered(np.log(affinity[sample.indices[is_nonzero]]), lengths)
    values = _centered(np.log(np.abs(sample.data[is_nonzero], dtype=np.float64)), lengths)
    # Sums instead of matrix products, which would start BLAS threads that keep spinning.
    variance = float((affinities * affinities).sum())
    slope = float((affinities * values).sum()) / variance if variance > 0 else 0.0
    n = max(len(affinities), 1)
    spread = float(np.sqrt(((values - slope * affinities) ** 2).sum() / n))
    power = 1.0
    if spread > _MAX_SPREAD and not (sample.data < 0).any():
        power = max(_MIN_POWER, _MAX_SPREAD / spread)
    target = min(_AFFINITY, _AFFINITY_SPREAD / max(np.sqrt(variance / n), 1e-9))
    missing = max(target - power * slope, 0.0) if variance > 0 else 0.0
    return Powers(_rounded(power), _rounded(missing))


def _centered(x: NDArray[np.float64], lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the difference of each number from the mean of its row."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    means = np.bincount(row, x, minlength=len(lengths)) / np.maximum(lengths, 1)
    return x - means[row]


def _rounded(power: float) -> float:
    """Return a rounded exponent, so that small changes to the rows do not change it."""
    return round(power * _STEPS) / _STEPS


def learn_scaling(
    X: FeatureMatrix,
    rows: LabelRows,
    powers: Powers | None = None,
    executor: Executor | None = None,
    weight: NDArray[np.float32] | None = None,
    interactions: Interactions = NO_INTERACTIONS,
    held: NDArray[np.int32] = NO_ROWS,
) -> RowScaling:
    """Return the scaling of rows for these labels, with the given or estimated exponents.

    Rows may get pairs of their features. These are found without the rows that are held back:
    otherwise, these rows would seem to be predicted too well.
    """
    if weight is not None and not weight.all():  # rows with a weight of 0 are ignored
        kept = np.flatnonzero(weight)
        held = np.searchsorted(kept, held).astype(np.int32)
        X, rows = X[kept], rows.select(kept)
    per_row = interactions.per_row(X)
    if powers is None and X.shape[0] < ENOUGH_ROWS:
        powers = NO_WEIGHTING
    if powers is not None and powers.affinity == 0 and per_row == 0:
        return _powers_only(powers)
    executor = executor or Threads()
    counts = _shared_labels(X, rows, executor)
    affinity = _shrunk(*counts)
    if not affinity.max() > 0:  # no two rows share a label
        return _powers_only(powers or NO_WEIGHTING)
    value, power = powers or find_powers(X, affinity)
    pairs = NO_PAIRS
    if per_row > 0:
        of_features = counts[1] / np.maximum(counts[0], 1)
        found = informative_pairs(X, rows, of_features, per_row, executor, held)
        pairs = as_features(found, X.shape[1])
        of_pairs = found.row_pairs, found.shared
        affinity = _shrunk(*(np.concatenate(both) for both in zip(counts, of_pairs, strict=True)))
    weights = (affinity / affinity.max()) ** power if power > 0 else np.empty(0)
    return RowScaling(power=value, weights=weights.astype(np.float32), pairs=pairs)


def _powers_only(powers: Powers) -> RowScaling:
    """Return a scaling without label affinity."""
    return UNIT if powers.value == 1 else RowScaling(power=powers.value)

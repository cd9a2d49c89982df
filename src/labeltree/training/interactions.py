"""Interactions: which pairs of features rows get as additional features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.compressed import column_counts
from labeltree.data.feature_pairs import FeaturePairs
from labeltree.data.features import FeatureMatrix
from labeltree.execution import Executor
from labeltree.execution.executor import in_order
from labeltree.execution.ranges import JOBS_PER_WORKER, Range, even_ranges
from labeltree.training.inner_split import NO_ROWS

# docs/explanation/study-interactions.md explains these values.
MAX_FEATURES = 40  #: mean features per row up to which "auto" adds pairs
ENOUGH_ROWS = 10_000  #: rows from which "auto" adds pairs; fewer cannot tell which are useful
_MAX_LENGTH = 100  # features of a row; pairs of longer rows are not counted
_MIN_ROWS = 3  # with both features
_FACTOR = 0.7  # of the geometric mean of two values
_MAX_COUNTED = 1 << 25  # pairs in all rows that are counted, about; of more, some rows are left out


class Interactions(NamedTuple):
    """How many pairs rows get: a mean number, or a share of the features of many short rows."""

    number: float | None = 0.0
    share: float = 0.0

    def per_row(self, X: FeatureMatrix) -> float:
        """Return the mean number of pairs of a row, at most.

        Examples
        --------
        >>> from labeltree.data import as_features
        >>> X = as_features([[1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 1, 1]] * 2500)
        >>> Interactions(None, share=0.5).per_row(X), Interactions(3.0).per_row(X)
        (1.25, 3.0)
        """
        if self.number is not None:
            return self.number
        mean = X.nnz / max(X.shape[0], 1)
        is_auto = X.shape[0] >= ENOUGH_ROWS and mean <= MAX_FEATURES
        return self.share * mean if is_auto else 0.0


#: Rows get no pairs.
NO_INTERACTIONS = Interactions()


class Found(NamedTuple):
    """Pairs, the rows that have both features, and the labels that pairs of them share."""

    pairs: NDArray[np.int32]  # [pair][2], ascending
    n_rows: NDArray[np.int64]
    shared: NDArray[np.float64]  # a label with n rows counts as 1 / sqrt(n)

    def take(self, numbers: NDArray[Any]) -> Found:
        """Return some of the pairs."""
        return Found(self.pairs[numbers], self.n_rows[numbers], self.shared[numbers])

    @property
    def row_pairs(self) -> NDArray[np.float64]:
        """Ordered pairs of rows that have both features."""
        return self.n_rows * (self.n_rows - 1.0)


def informative_pairs(
    X: FeatureMatrix,
    rows: LabelRows,
    affinity: NDArray[np.float64],
    per_row: float,
    executor: Executor,
    held: NDArray[np.int32] = NO_ROWS,
) -> Found:
    """Return the most informative pairs of features.

    A pair is informative if two rows with both features share more labels than two rows with either
    of them, and the more rows have it.

    Parameters
    ----------
    X, rows
        The training rows.
    affinity
        Mean number of labels that two rows with a feature share, of each feature; a label with n
        rows counts as 1 / sqrt(n).
    per_row
        Mean number of pairs of a row, at most.
    executor
        Where pairs are counted.
    held
        Rows that are held back, which are not counted.
    """
    label_counts, counted = rows.counts - rows.select(held).counts, _counted_rows(X, held)
    if len(counted) < X.shape[0]:
        X, rows = X[counted], rows.select(counted)
    found = count_pairs(X, rows, label_counts, executor)
    gain = found.shared / found.row_pairs - affinity[found.pairs].max(axis=1, initial=0.0)
    score = gain * np.sqrt(found.n_rows)
    best = np.argsort(-score, kind="stable")[: np.count_nonzero(score > 0)]
    n_kept = np.searchsorted(np.cumsum(found.n_rows[best]), per_row * X.shape[0], side="right")
    return found.take(np.sort(best[:n_kept]))


def as_features(found: Found, n_features: int) -> FeaturePairs:
    """Return pairs as rows get them."""
    return FeaturePairs.of(n_features, found.pairs, _FACTOR)


def _counted_rows(X: FeatureMatrix, held: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return every k-th row that is not held back, so that not too many pairs are counted."""
    rows = np.delete(np.arange(X.shape[0]), held)
    lengths = np.diff(X.indptr).astype(np.int64)[rows]
    lengths = lengths[lengths <= _MAX_LENGTH]
    step = -int(-(lengths * (lengths - 1) // 2).sum() // _MAX_COUNTED)
    return rows[:: max(step, 1)]


@dataclass(frozen=True, eq=False)
class _Counting:
    """Counts pairs whose first feature is in a range."""

    indptr: NDArray[Any]
    indices: NDArray[np.int32]
    n_features: int
    rows: LabelRows
    label_counts: NDArray[np.int64]
    n_threads: int

    def __call__(self, features: Range) -> tuple[NDArray[Any], ...]:
        return self._shared.of(*features, _MIN_ROWS, self.n_threads)

    @cached_property
    def _shared(self) -> _core.SharedPairs:
        """The rows, which a worker checks once."""
        rows = self.rows
        features = self.indptr.astype(np.int64, copy=False), self.indices, self.n_features
        # The same integers as those of label affinity.
        weights = np.rint(_core.AFFINITY_UNIT / np.sqrt(np.maximum(self.label_counts, 1)))
        labels = rows.indptr, rows.indices, np.maximum(weights, 1).astype(np.int64)
        return _core.SharedPairs(*features, *labels, _MAX_LENGTH)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name != "_shared"}
        return state | {"rows": replace(self.rows, names=None)}


def count_pairs(
    X: FeatureMatrix, rows: LabelRows, label_counts: NDArray[np.int64], executor: Executor
) -> Found:
    """Return all pairs that enough rows have, if any two of these share a label.

    `label_counts` is the number of rows of each label, which may be more than these.

    Examples
    --------
    >>> from labeltree.data import as_features, as_labels
    >>> from labeltree.execution import Threads
    >>> X = as_features([[1, 1, 0], [1, 1, 1], [1, 1, 0], [0, 1, 1]])
    >>> rows = as_labels([["tea"], ["tea"], ["rum"], ["tea"]])
    >>> found = count_pairs(X, rows, rows.counts, Threads())
    >>> found.pairs.tolist(), found.n_rows.tolist(), found.shared.round(2).tolist()
    ([[0, 1]], [3], [1.15])
    """
    work = _Counting(X.indptr, X.indices, X.shape[1], rows, label_counts, executor.n_threads)
    n_jobs = 1 if executor.n_workers == 1 else JOBS_PER_WORKER * executor.n_workers
    lengths = 1 + column_counts(X.indices, X.shape[1])
    parts = list(in_order(executor.run(work, even_ranges(lengths, n_jobs))))
    first, second, n_rows, shared = (np.concatenate(part) for part in zip(*parts, strict=True))
    labels = shared / _core.AFFINITY_UNIT
    return Found(np.column_stack([first, second]), n_rows.astype(np.int64), labels)

"""How well a model ranks rows that were held back, and whether a change of it is a gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.metrics.ranked_hits import is_true
from labeltree.model.model import Model
from labeltree.model.rankers import N_CANDIDATES

AT = (1, 3, 5)  #: k of the precisions whose mean is maximized


class HeldBack(NamedTuple):
    """Features and labels of held-back rows, and their scores in each tree, if they are known."""

    X: FeatureMatrix
    rows: LabelRows
    scores: Sequence[_core.HeldScores] = ()

    def search(self, model: Model, n_threads: int) -> sparse.csr_array[np.float32, tuple[int, int]]:
        """Return the candidates of each row by the trees of a model, the most probable first."""
        plain = model.calibrated(replace(model.calibration, curve=None)).with_rankers(None)
        k = min(N_CANDIDATES, model.n_labels)
        return plain.search(self.X, k=k, n_threads=n_threads, held=self.scores)[0]

    def precision(self, model: Model, n_threads: int) -> NDArray[np.float64]:
        """Return the mean of P@1, P@3 and P@5 of each row by the trees of a model."""
        return self.precision_of(self.search(model, n_threads))

    def precision_of(
        self, found: sparse.csr_array[np.float32, tuple[int, int]]
    ) -> NDArray[np.float64]:
        """Return the same for the labels of a search, which finds equally many in each row."""
        hits = is_true(self.rows, found.indptr.astype(np.int64), found.indices.astype(np.int32))
        shape = found.shape[0], -1
        return mean_precision(found.data.reshape(shape), hits.reshape(shape))


def mean_precision(score: NDArray[np.floating], is_true: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the mean of P@1, P@3 and P@5 of each row, [row][candidate]."""
    order = np.argsort(-score, axis=1, kind="stable")
    hits = np.take_along_axis(is_true, order, axis=1)
    return np.asarray(np.mean([hits[:, :k].sum(axis=1) / k for k in AT], axis=0))


def is_gain(difference: NDArray[np.float64], n_errors: float) -> bool:
    """Return whether the mean difference of rows is above some of its standard errors.

    Examples
    --------
    >>> [is_gain(np.array([1.0, 0.0, 0.0]), n_errors) for n_errors in (0.5, 2.0)]
    [True, False]
    """
    return bool(difference.mean() > n_errors * difference.std() / np.sqrt(len(difference)))

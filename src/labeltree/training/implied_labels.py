"""Labels that imply others in the training rows, if held-back rows gain from knowing it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.model.implications import Implications
from labeltree.model.model import Model
from labeltree.training.held_back import AT, HeldBack, is_gain
from labeltree.training.inner_split import HeldRows

#: Minimum number of rows of a label that implies others (docs/explanation/study-implied-labels.md).
MIN_ROWS = 3
# What held-back rows must gain in the mean of P@1, 3 and 5: this, and this many standard errors.
_MIN_GAIN = 0.001
_ERRORS = 2.0


def find_implications(
    rows: LabelRows, weight: NDArray[np.float32] | None = None
) -> Implications | None:
    """Return which labels imply others in rows with a weight above 0; None if none does.

    Examples
    --------
    >>> from labeltree.data import as_labels
    >>> found = find_implications(as_labels([["cat", "pet"]] * 3 + [["pet"]] * 2))
    >>> found.of(0).tolist(), found.of(1).tolist()
    ([1], [])
    """
    if weight is not None and not weight.all():
        rows = rows.select(np.flatnonzero(weight))
    arrays = _core.implied_labels(rows.indptr, rows.indices, rows.n_labels, MIN_ROWS)
    return Implications(*arrays) if len(arrays[1]) else None


def add_implications(
    model: Model,
    held: HeldRows | None,
    X: FeatureMatrix,
    rows: LabelRows,
    weight: NDArray[np.float32] | None,
    *,
    if_better: bool,
    n_threads: int,
) -> tuple[Model, HeldRows | None]:
    """Return the model with the implications of its rows, and what scores held-back rows.

    Held-back rows are scored with the implications of all other rows.

    Parameters
    ----------
    model, held
        The model, and the held-back rows with the model that scores them, if there are any.
    X, rows, weight
        The training rows and their weights.
    if_better
        Whether the model stays as it is unless held-back rows gain.
    n_threads
        Number of threads.
    """
    found = None if if_better and held is None else find_implications(rows, weight)
    if found is None:
        return model, held
    if held is not None:
        rest = np.ones(rows.n_rows, np.float32) if weight is None else weight.copy()
        rest[held.rows] = 0
        unseen = held.model.with_implications(find_implications(rows, rest))
        back = HeldBack(X[held.rows], rows.select(held.rows), held.scores)
        if if_better and not _gains(held.model, unseen, back, n_threads):
            return model, held
        held = held._replace(model=unseen)
    return model.with_implications(found), held


def _gains(before: Model, after: Model, back: HeldBack, n_threads: int) -> bool:
    """Return whether held-back rows gain from the implications of a model."""
    if after.implications is None:
        return False
    precisions = []
    for model in (before, after):
        plain = model.calibrated(replace(model.calibration, curve=None))
        k = min(max(AT), model.n_labels)
        found = plain.search(back.X, k=k, n_threads=n_threads, held=back.scores)[0]
        precisions.append(back.precision_of(found))
    gain = precisions[1] - precisions[0]
    return is_gain(gain, _ERRORS) and bool(gain.mean() >= _MIN_GAIN)

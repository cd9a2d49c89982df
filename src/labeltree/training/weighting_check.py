"""Whether feature weighting helps, found out with small fits on samples of the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import UNIT, RowScaling
from labeltree.metrics.ranked_hits import is_true
from labeltree.model.model import Model
from labeltree.threads import n_threads
from labeltree.training.feature_weighting import learn_scaling
from labeltree.training.fit import FitSettings
from labeltree.training.forest import has_root
from labeltree.training.nodes import train_nodes

_SHARE = 30  # each of the two fits has one row in 30
_MIN_FITTED, _MAX_FITTED = 500, 1000  # with fewer rows, weighting is not checked
_EVALUATED = 2  # rows to evaluate on, per row of a fit
_ERRORS = 2.0  # standard errors by which a difference must exceed zero
_RANKS = (1, 3, 5)


def checked_scaling(
    X: FeatureMatrix,
    rows: LabelRows,
    settings: FitSettings,
    weight: NDArray[np.float32] | None = None,
) -> RowScaling:
    """Return the scaling of a fit; estimated feature weighting is dropped if it does not help."""
    n_jobs = n_threads(settings.n_jobs)
    scaling = learn_scaling(X, rows, settings.feature_weighting, n_jobs, weight)
    is_given = settings.feature_weighting is not None
    if is_given or scaling.is_plain or settings.validation_fraction is None:
        return scaling
    return UNIT if plain_is_better(X, rows, scaling, settings, weight) else scaling


def plain_is_better(
    X: FeatureMatrix,
    rows: LabelRows,
    weighting: RowScaling,
    settings: FitSettings,
    weight: NDArray[np.float32] | None = None,
) -> bool:
    """Return whether a small fit ranks labels better with values as they are than weighted.

    Both fits have the same rows and are compared on the same other rows by the mean of P@1, P@3 and
    P@5. Weighting is only rejected for a difference of two standard errors. Whether it helps hardly
    depends on the number of rows, unlike the best C.

    Parameters
    ----------
    X, rows, weight
        The training rows, as given by the user, and their weights.
    weighting
        The scaling that weights features.
    settings
        Settings of the whole fit.
    """
    labeled = np.diff(rows.indptr) > 0
    drawable = np.flatnonzero(labeled if weight is None else labeled & (weight > 0))
    n_fitted = min(len(drawable) // _SHARE, _MAX_FITTED)
    if n_fitted < _MIN_FITTED:
        return False
    n_drawn = n_fitted * (1 + _EVALUATED)
    random = np.random.default_rng([settings.forest.seed, len(drawable), 1])
    drawn = random.choice(drawable, min(n_drawn, len(drawable)), replace=False)
    fitted, evaluated = np.sort(drawn[:n_fitted]), np.sort(drawn[n_fitted:])
    scores = [
        _precision(X, rows, scaling, settings, fitted, evaluated) for scaling in (UNIT, weighting)
    ]
    gain = scores[0] - scores[1]
    return bool(gain.mean() > _ERRORS * gain.std() / np.sqrt(len(gain)))


def _precision(
    X: FeatureMatrix,
    rows: LabelRows,
    scaling: RowScaling,
    settings: FitSettings,
    fitted: NDArray[np.int64],
    evaluated: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the mean of P@1, P@3 and P@5 of each row, after a fit to other rows."""
    features, labels = scaling(X[fitted]), rows.select(fitted)
    forest = settings.forest.first()
    [sample] = forest.samples(labels, None)
    [tree] = forest.grow(features, [sample], n_jobs=settings.n_jobs)
    threads = n_threads(settings.n_jobs)
    layout = train_nodes(tree, features, labels, settings.solver, n_threads=threads).layout
    root = has_root(labels, None)
    model = Model([tree], [layout], settings.solver.loss, X.shape[1], root)
    found, _ = model.search(X[evaluated], k=max(_RANKS), scaling=scaling, n_threads=threads)
    hits = is_true(rows.select(evaluated), found.indptr, found.indices)
    rank = np.arange(len(hits)) - np.repeat(found.indptr[:-1], np.diff(found.indptr))
    value = sum((rank < k) / k for k in _RANKS) / len(_RANKS)
    row = np.repeat(np.arange(len(evaluated)), np.diff(found.indptr))
    return np.bincount(row, np.where(hits, value, 0.0), len(evaluated)).astype(np.float64)

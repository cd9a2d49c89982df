"""Weights that rank rare labels higher, by inverse propensity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.metrics.propensity import Gains, gains, psp
from labeltree.metrics.ranked_hits import ranked_hits
from labeltree.progress import Progress
from labeltree.threads import n_threads
from labeltree.training.fit import FitSettings, Fitted
from labeltree.training.slope_factors import inverse_propensities

#: Finds the exponent with held-out rows.
PROPENSITY = "propensity"
#: Exponents to choose from: closer to each other where precision falls fast.
EXPONENTS = (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
MAX_LOSS = 0.005  #: of P@1, with half a standard error added
FEW_ROWS_EXPONENT = 0.01  #: if there are fewer than MIN_HELD_OUT rows to choose by
MIN_HELD_OUT = 500
_MAX_HELD_OUT = 10_000
_SHARE = 0.1
_CANDIDATES = 30  # labels per row, by probability, that are ranked again
_KS = (1, 3, 5)

#: Fits a model to X and labels, with weights of rows, settings and progress.
Fit: TypeAlias = Callable[
    [FeatureMatrix, LabelRows, "NDArray[np.float32] | None", FitSettings, "Progress | None"], Fitted
]


def checked_label_weighting(given: Any) -> str | float | None:
    """Return the setting; raise ValueError unless it is None, "propensity" or an exponent."""
    is_number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    if given is None or (isinstance(given, str) and given == PROPENSITY):
        return given
    if not (is_number and 0 <= given <= 1):
        raise ValueError(
            'label_weighting must be None, "propensity" or a number from 0 to 1, but is '
            f"{given!r:.40}"
        )
    return float(given)


def weighted_fit(fit: Fit, weighting: str | float | None) -> Fit:
    """Return a fit whose model ranks rare labels higher, by an exponent or by a chosen one."""
    if weighting is None:
        return fit

    def fit_with_weights(
        X: FeatureMatrix,
        rows: LabelRows,
        weight: NDArray[np.float32] | None,
        settings: FitSettings,
        progress: Progress | None,
    ) -> Fitted:
        fitted = fit(X, rows, weight, settings, progress)
        inverse = inverse_propensities(rows.counts.astype(np.float64), rows.n_rows)
        exponent = weighting
        if isinstance(exponent, str):
            exponent = _found_exponent(fit, X, rows, weight, settings, inverse)
        weights = np.asarray(inverse**exponent, np.float32)
        calibration = replace(fitted.model.calibration, weights=weights)
        return replace(fitted, model=fitted.model.calibrated(calibration))

    return fit_with_weights


def _found_exponent(
    fit: Fit,
    X: FeatureMatrix,
    rows: LabelRows,
    weight: NDArray[np.float32] | None,
    settings: FitSettings,
    inverse: NDArray[np.float64],
) -> float:
    """Return the exponent that suits rows which a second model was not trained on."""
    n_held = min(int(rows.n_rows * _SHARE), _MAX_HELD_OUT)
    is_held = np.zeros(rows.n_rows, np.bool_)
    random = np.random.default_rng([settings.forest.seed, rows.n_rows])
    is_held[random.choice(rows.n_rows, n_held, replace=False)] = True
    kept, held = np.flatnonzero(~is_held), np.flatnonzero(is_held & (np.diff(rows.indptr) > 0))
    if len(held) < MIN_HELD_OUT:
        return FEW_ROWS_EXPONENT
    of_rows = None if weight is None else weight[kept]
    inner = replace(settings, checkpoint_dir=None)
    model = fit(X[kept], rows.select(kept), of_rows, inner, None).model
    # Ranked by the probability before any curve, as in searches.
    model = model.calibrated(replace(model.calibration, curve=None))
    k = min(_CANDIDATES, rows.n_labels)
    found, _ = model.search(X[held], k=k, n_threads=n_threads(settings.n_jobs))
    labels, probabilities = found.indices.reshape(-1, k), found.data.reshape(-1, k)
    return choose_exponent(labels, probabilities, rows.select(held), inverse)


def choose_exponent(
    labels: NDArray[np.integer],
    probabilities: NDArray[np.floating],
    truth: LabelRows,
    inverse: NDArray[np.float64],
) -> float:
    """Return the exponent with the highest mean of PSP@1, 3 and 5 whose P@1 is hardly lower.

    Parameters
    ----------
    labels, probabilities
        Candidates of each row, (n_rows, k).
    truth
        Labels of the rows.
    inverse
        Inverse propensity of each label.
    """
    best, best_gain = 0.0, -np.inf
    unweighted = np.empty(0)
    width = min(_KS[-1], labels.shape[1])
    for exponent in EXPONENTS:
        order = np.argsort(-probabilities * inverse[labels] ** exponent, axis=1, kind="stable")
        hits = ranked_hits(truth, np.take_along_axis(labels, order, axis=1)[:, :width], width)
        scored: Gains = gains(hits, 1 / inverse)
        first = hits.hits[:, 0].astype(np.float64)
        if exponent == EXPONENTS[0]:
            unweighted = first
        loss = unweighted - first
        error = loss.std() / np.sqrt(len(loss))
        gain = sum(psp(scored, min(k, width)) for k in _KS)
        if loss.mean() + 0.5 * error <= MAX_LOSS and gain > best_gain:
            best, best_gain = exponent, gain
    return best

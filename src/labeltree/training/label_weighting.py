"""Weights that rank rare labels higher, by inverse propensity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.metrics.propensity import Gains, gains, psp
from labeltree.metrics.ranked_hits import ranked_hits
from labeltree.model.model import Model
from labeltree.training.held_back import HeldBack
from labeltree.training.slope_factors import inverse_propensities

#: Finds the exponent with held-back rows.
PROPENSITY = "propensity"
#: Exponents to choose from: closer to each other where precision falls fast.
EXPONENTS = (
    0.0,
    0.01,
    0.02,
    0.03,
    0.05,
    0.07,
    0.1,
    0.15,
    0.2,
    0.3,
    0.4,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    1.0,
)
MAX_LOSS = 0.004  #: of precision, with half a standard error added
FEW_ROWS_EXPONENT = 0.03  #: if no rows are held back
_CANDIDATES = 30  # labels per row, by probability, that are ranked again
_KS = (1, 3, 5)


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


def label_weights(
    weighting: str | float, rows: LabelRows, held: tuple[Model, HeldBack] | None, n_threads: int
) -> NDArray[np.float32]:
    """Return the weight of each label in rankings: a power of its inverse propensity.

    Parameters
    ----------
    weighting
        "propensity", or the exponent.
    rows
        Labels of all training rows.
    held
        Held-back rows that choose the exponent, and the calibrated model that scores them. None to
        use a small exponent.
    n_threads
        Number of threads.
    """
    inverse = inverse_propensities(rows.counts.astype(np.float64), rows.n_rows)
    if isinstance(weighting, str):
        weighting = FEW_ROWS_EXPONENT if held is None else _found(*held, inverse, n_threads)
    return np.asarray(inverse**weighting, np.float32)


def _found(model: Model, held: HeldBack, inverse: NDArray[np.float64], n_threads: int) -> float:
    k = min(_CANDIDATES, model.n_labels)
    found, _ = model.search(held.X, k=k, n_threads=n_threads, held=held.scores)
    labels, probabilities = found.indices.reshape(-1, k), found.data.reshape(-1, k)
    return choose_exponent(labels, probabilities, held.rows, inverse)


def choose_exponent(
    labels: NDArray[np.integer],
    probabilities: NDArray[np.floating],
    truth: LabelRows,
    inverse: NDArray[np.float64],
) -> float:
    """Return the exponent with the highest mean of PSP@1, 3 and 5 that hardly lowers precision.

    Neither P@1 nor the mean of P@1, 3 and 5 may be lower by more than MAX_LOSS, where precision is
    the mean of what is observed and of what the probabilities predict.

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
        # With what probabilities promise, the noise of few rows is halved.
        expected = np.take_along_axis(probabilities, order, axis=1)[:, :width]
        true = (hits.hits + expected.astype(np.float64)) / 2
        precision = np.stack([true[:, :k].sum(axis=1) / k for k in _KS])
        if exponent == EXPONENTS[0]:
            unweighted = precision
        lost = unweighted - precision
        gain = sum(psp(scored, min(k, width)) for k in _KS)
        if _is_small(lost[0]) and _is_small(lost.mean(axis=0)) and gain > best_gain:
            best, best_gain = exponent, gain
    return best


def _is_small(lost: NDArray[np.float64]) -> bool:
    """Return whether the mean loss of rows is at most MAX_LOSS, half a standard error included."""
    return bool(lost.mean() + 0.5 * lost.std() / np.sqrt(len(lost)) <= MAX_LOSS)

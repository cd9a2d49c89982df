"""The inner split of a fit: training rows that are held back at first, to evaluate on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.model.model import Model

#: No rows are held back.
NO_ROWS = np.empty(0, np.int32)

# Of "auto". A curve from 250 rows has an ECE of about 2 points, one from 2,000 rows of 1 point.
_FRACTION = 0.05
_MIN_HELD, _MAX_HELD = 250, 2000
_ENOUGH_ROWS = 2000  # with fewer rows, none are held back


class HeldRows(NamedTuple):
    """Rows that were held back, and what scores them as rows that were not learned from."""

    rows: NDArray[np.int32]  # ascending
    model: Model
    scores: Sequence[_core.HeldScores]  # in place of the model's; none if it has not seen the rows


def draw_held(
    rows: LabelRows,
    weight: NDArray[np.float32] | None,
    fraction: float | str | None,
    seed: int,
    n_unheld: int = 0,
) -> NDArray[np.int32]:
    """Return the rows that are held back, ascending; rows with a weight of 0 are never drawn.

    Parameters
    ----------
    rows, weight
        The training rows and their weights.
    fraction
        Share of the rows; None for none. "auto" is 5 %, but from 250 to 2,000 rows, and none of
        fewer than 2,000 rows.
    seed
        Seed of the draw.
    n_unheld
        Number of rows at the end that are never drawn.

    Examples
    --------
    >>> from labeltree.data import as_labels
    >>> rows = as_labels(np.ones((10_000, 1)))
    >>> [len(draw_held(rows, None, fraction, seed=0)) for fraction in ("auto", 0.01, None)]
    [500, 100, 0]
    """
    last = rows.n_rows - n_unheld
    drawable = np.arange(last) if weight is None else np.flatnonzero(weight[:last])
    n_rows = len(drawable)
    if fraction is None or (fraction == "auto" and n_rows < _ENOUGH_ROWS):
        return NO_ROWS
    n_held = (
        min(max(round(_FRACTION * n_rows), _MIN_HELD), _MAX_HELD)
        if fraction == "auto"
        else round(float(fraction) * n_rows)
    )
    random = np.random.default_rng([seed, n_rows])
    return np.sort(random.choice(drawable, n_held, replace=False)).astype(np.int32)

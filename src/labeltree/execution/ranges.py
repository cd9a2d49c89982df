"""Ranges of items with about the same work."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

JOBS_PER_WORKER = 2  #: of about the same work
#: First item, and the item after the last.
Range = tuple[int, int]


def even_ranges(work: NDArray[Any], n_ranges: int) -> list[Range]:
    """Return at most so many ranges of all items, of about the same work.

    Parameters
    ----------
    work
        Work of each item, greater than 0.
    n_ranges
        Maximum number of ranges.

    Examples
    --------
    >>> even_ranges(np.array([3, 1, 1, 1]), 2)
    [(0, 1), (1, 4)]
    """
    done = np.cumsum(work)
    shares = np.linspace(0, done[-1:].sum(), n_ranges + 1)[1:-1]
    ends = [0, *(1 + np.searchsorted(done, shares)).tolist(), len(work)]
    return [(first, last) for first, last in pairwise(ends) if first < last]

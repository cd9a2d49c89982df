"""Jobs of a training: ranges of packs of nodes that are trained together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from labeltree.training.parts import PackRange

_MANY = 8  # packs per thread, above which one more or less matters little
_MIN_JOBS = 50  # progress reports and checkpoint parts, about
_WINDOW = 1024  # packs that are looked at first to find the end of a batch
_JOBS_PER_WORKER = 24  # of which the last ones, which other workers wait for, are a small share


def pack_jobs(
    costs: NDArray[np.float64], done: Iterable[PackRange], n_workers: int, n_threads: int
) -> list[PackRange]:
    """Return ranges of all packs that are not done, the most expensive first.

    Parameters
    ----------
    costs
        Cost of each pack, the most expensive first.
    done
        Ranges of packs that are done, ascending.
    n_workers
        Number of workers; more workers need smaller jobs to end at about the same time.
    n_threads
        Number of threads of each job.
    """
    n_jobs = max(_MIN_JOBS, _JOBS_PER_WORKER * n_workers)
    min_cost = float(costs.sum()) / n_jobs
    return [
        (start + first, start + last)
        for start, end in missing(done, len(costs))
        for first, last in batches(costs[start:end], n_threads, min_cost)
    ]


def missing(done: Iterable[PackRange], n_packs: int) -> Iterator[PackRange]:
    """Yield the ranges between those that are done.

    Examples
    --------
    >>> list(missing([(0, 2), (5, 6)], n_packs=9))
    [(2, 5), (6, 9)]
    """
    end = 0
    for first, last in (*done, (n_packs, n_packs)):
        if first > end:
            yield end, first
        end = last


def batches(costs: NDArray[np.float64], n_threads: int, min_cost: float) -> Iterator[PackRange]:
    """Yield ranges of packs such that threads are rarely idle at the end of a range.

    Packs are sorted by cost, the most expensive first. No thread should still train an expensive
    pack when the others are done. So each batch ends with small packs that keep the other threads
    busy twice as long as its most expensive pack takes (costs are estimates), or has so many packs
    of any size that a single one matters little.

    Examples
    --------
    >>> list(batches(np.array([5.0, 1.0, 1.0, 1.0]), n_threads=1, min_cost=0.0))
    [(0, 1), (1, 2), (2, 3), (3, 4)]
    >>> list(batches(np.array([9.0, 9.0, 9.0] + 20 * [1.0]), n_threads=2, min_cost=0.0))
    [(0, 21), (21, 23)]
    """
    first = 0
    while first < len(costs):
        size, last = _WINDOW, None
        while last is None:
            last = _end(costs[first : first + size], n_threads, min_cost)
            if last is None and first + size >= len(costs):
                last = len(costs) - first
            size *= 2
        yield first, first + last
        first += last


def _end(costs: NDArray[np.float64], n_threads: int, min_cost: float) -> int | None:
    """Return the number of packs of a batch; None if all together are too few."""
    largest, work = costs[0], np.cumsum(costs)
    small = np.cumsum(np.where(costs <= largest / _MANY, costs, 0.0))
    is_even = (small >= 2 * (n_threads - 1) * largest) | (work >= _MANY * n_threads * largest)
    enough = np.flatnonzero(is_even & (work >= min_cost * (1 - 1e-9)))
    return int(enough[0]) + 1 if len(enough) else None

"""The time of a fit on any number of workers, from the times of its jobs."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from benchmarks.cluster.profile import Profile, Run


def makespan(run: Run, n_workers: int, per_job: float, factor: float = 1.0) -> float:
    """Return the seconds until all jobs are done: each goes to the first worker that is free.

    Parameters
    ----------
    run
        The jobs, in the order in which they are handed out.
    n_workers
        Number of workers.
    per_job
        Seconds that a job takes in addition, for its way to the worker and back.
    factor
        Factor of the times of the jobs and of opening.

    Examples
    --------
    >>> makespan(Run("training", 1.0, [2.0, 2.0, 2.0]), n_workers=2, per_job=0.0)
    5.0
    """
    free = [factor * run.opening] * min(n_workers, max(len(run.jobs), 1))
    heapq.heapify(free)
    for seconds in run.jobs:
        heapq.heappush(free, heapq.heappop(free) + factor * seconds + per_job)
    return max(free)


def fit_seconds(
    profile: Profile, n_workers: int, per_job: float, start: float = 0.0, factor: float = 1.0
) -> float:
    """Return the seconds of a fit, of which a driver does what no worker can.

    Weights are laid out by the driver while workers train. `start` is what the cluster takes to
    start workers.
    """
    times = [makespan(run, n_workers, per_job, factor) for run in profile.runs]
    spread = max(sum(times), factor * profile.layout_seconds)
    return start + factor * profile.driver_seconds + spread


def efficiency(
    profile: Profile, n_workers: int, per_job: float, start: float, hours: float
) -> float:
    """Return the speed over one process per worker, if the fit takes one process these hours."""
    factor = hours * 3600 / profile.total
    return hours * 3600 / fit_seconds(profile, n_workers, per_job, start, factor) / n_workers


def nearest(profiles: Sequence[Profile], n_workers: int) -> Profile:
    """Return the profile whose jobs were made for the number of workers, or for more."""

    def distance(one: Profile) -> tuple[bool, int]:
        return one.n_workers < n_workers, abs(one.n_workers - n_workers)

    return min(profiles, key=distance)

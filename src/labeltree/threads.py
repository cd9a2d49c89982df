"""Number of threads that a call uses."""

from __future__ import annotations

import os
import sys

from labeltree.arguments import checked

_MAX_THREADS = 1024  # larger values of n_jobs are assumed to be mistakes


@checked
def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for.

    None means all cores available to the process, since results do not depend on the number of
    threads. Inside a joblib worker None means 1, since joblib already uses the other cores.
    Negative numbers count down as in scikit-learn: -1 is all cores, -2 all cores but one.

    Examples
    --------
    >>> n_threads(3)
    3
    >>> n_threads(-1) == n_threads(None)
    True
    """
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    n_cores = n_cores or 1
    if n_jobs is None:
        return 1 if _is_joblib_worker() else n_cores
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of threads, or -1 for all cores, but is 0")
    return min(n_jobs, _MAX_THREADS) if n_jobs > 0 else max(1, n_cores + 1 + n_jobs)


def _is_joblib_worker() -> bool:
    parallel = sys.modules.get("joblib.parallel")  # None unless the caller has imported joblib
    return parallel is not None and bool(parallel.get_active_backend()[0].nesting_level)

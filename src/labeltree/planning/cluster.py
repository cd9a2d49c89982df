"""Estimates for a fit on several workers: time, and the memory of each of them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.arguments import check_integer
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.execution.mapped_arrays import pages_within
from labeltree.training.jobs import pack_jobs
from labeltree.training.memory import row_bytes, worker_needs
from labeltree.units import parse_bytes

JOB_SECONDS = 0.005  #: from the driver to a worker and back; assumed


@dataclass(frozen=True)
class Workers:
    """Workers of a cluster, of one core each.

    Parameters
    ----------
    n_workers
        Number of workers.
    memory
        Bytes of each; None for no limit.
    """

    n_workers: int
    memory: float | None = None

    @classmethod
    def parse(cls, n_workers: int | None, memory: float | str | None) -> Workers | None:
        """Return the workers that a user describes; None for no cluster.

        Examples
        --------
        >>> Workers.parse(16, "8GB")
        Workers(n_workers=16, memory=8000000000.0)
        """
        if n_workers is None and memory is None:
            return None
        if n_workers is None:
            raise ValueError(
                "worker_memory requires n_workers, the number of workers, but it is None"
            )
        check_integer("n_workers", n_workers, minimum=1)
        return cls(n_workers, None if memory is None else parse_bytes("worker_memory", memory))


@dataclass(frozen=True)
class ClusterUse:
    """Estimates for one tree on several workers."""

    n_workers: int
    training_seconds: float  #: of `fit`, without building the tree
    driver_seconds: float  #: of these, while workers wait
    longest_job_seconds: float  #: no number of workers makes training shorter than this
    worker_bytes: float  #: of each worker with X in memory
    min_worker_bytes: float  #: of each worker at least, as `max_memory`; X is read from files
    window_share: float  #: of X that a worker holds at a time; 1 if it holds X
    n_streamed: int  #: packs of nodes that read their rows again in each pass
    n_packs: int
    fits: bool  #: whether the memory of the workers is sufficient


@dataclass(frozen=True)
class StepSeconds:
    """CPU seconds of the steps of a fit, in one process."""

    driver: float  # what no worker does
    spread: float  # what workers share evenly: feature weights and scaling
    packs: float

    def before_packs(self, n_workers: int) -> float:
        """Return the seconds until packs are trained."""
        return self.driver + self.spread / n_workers


def makespan(seconds: Iterable[float], n_workers: int, per_job: float = JOB_SECONDS) -> float:
    """Return the seconds until all jobs are done: each goes to the first worker that is free.

    Examples
    --------
    >>> makespan([2.0, 2.0, 2.0], n_workers=2, per_job=0.0)
    4.0
    """
    free = [0.0] * n_workers
    for one in seconds:
        heapq.heappush(free, heapq.heappop(free) + one + per_job)
    return max(free)


def cluster_use(
    trainer: _core.Trainer,
    X: FeatureMatrix,
    rows: LabelRows,
    workers: Workers,
    seconds: StepSeconds,
) -> ClusterUse:
    """Return estimates from the costs of packs, and the seconds that all steps take."""
    costs = trainer.costs()
    per_cost = seconds.packs / max(float(costs.sum()), 1.0)
    ranges = pack_jobs(costs, (), workers.n_workers, n_threads=1)
    jobs = [per_cost * float(costs[first:last].sum()) for first, last in ranges]
    whole, least = worker_needs(trainer, X, rows)
    memory = whole if workers.memory is None else workers.memory
    least = min(least + pages_within(memory), whole)
    window = memory - least + trainer.min_window_bytes if memory < whole else row_bytes(X)
    return ClusterUse(
        n_workers=workers.n_workers,
        training_seconds=seconds.before_packs(workers.n_workers)
        + makespan(jobs, workers.n_workers),
        driver_seconds=seconds.driver,
        longest_job_seconds=max(jobs, default=0.0),
        worker_bytes=whole,
        min_worker_bytes=least,
        window_share=float(np.clip(window / max(row_bytes(X), 1.0), 0.0, 1.0)),
        n_streamed=_n_streamed(trainer, X, window) if least <= memory < whole else 0,
        n_packs=len(costs),
        fits=memory >= least,
    )


def _n_streamed(trainer: _core.Trainer, X: FeatureMatrix, window: float) -> int:
    """Return the number of packs whose rows do not fit into a window."""
    per_row = row_bytes(X) / max(X.shape[0], 1)
    n_rows: NDArray[np.int64] = trainer.n_rows()
    return int((n_rows * per_row > window).sum())

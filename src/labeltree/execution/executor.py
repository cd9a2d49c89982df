"""The protocol of executors, and the executor that uses the threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from labeltree.arguments import shown
from labeltree.threads import n_threads

Job = TypeVar("Job")
Result = TypeVar("Result")


@runtime_checkable
class Executor(Protocol):
    """Runs jobs; their results come back in any order.

    A job is a small value, such as a range of packs of nodes. The work is a function of a job that
    can be pickled. Its result depends on the job alone, so a job may run anywhere, and again if its
    worker dies.
    """

    @property
    def n_workers(self) -> int:
        """Number of jobs that run at the same time."""

    @property
    def n_threads(self) -> int:
        """Number of threads that each job may use."""

    def run(
        self, work: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each job and its result, as jobs end.

        Jobs are taken from the iterable when a worker is about to need one. If the caller stops
        early, jobs that have begun are stopped and others do not begin. Arrays of the work must not
        change while they exist, because workers may have copies.
        """


@dataclass(frozen=True)
class Threads:
    """Runs one job after the other in this process, each on several threads.

    Examples
    --------
    >>> list(Threads(2).run(abs, [-3, 4]))
    [(0, 3), (1, 4)]
    """

    n_threads: int = 1
    n_workers: int = 1

    def run(
        self, work: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each job and its result, in order."""
        for number, job in enumerate(jobs):
            yield number, work(job)


def as_executor(given: Any, n_jobs: int | None = None) -> Executor:
    """Return what runs jobs: threads for None, a pool of `concurrent.futures`, or an executor.

    Examples
    --------
    >>> as_executor(None, n_jobs=2)
    Threads(n_threads=2, n_workers=1)
    """
    if given is None:
        return Threads(n_threads(n_jobs))
    if isinstance(given, futures.Executor):
        from labeltree.execution.pool import PoolExecutor

        return PoolExecutor(given)
    if isinstance(given, Executor) and not isinstance(given, type):
        return given
    raise TypeError(
        "executor must be None, a pool of concurrent.futures or an executor such as "
        f"labeltree.ray.RayExecutor, but is {shown(given)}"
    )


def work_dir(executor: Executor) -> Path | None:
    """Return a folder that all workers can read and write; None for that of temporary files.

    An executor whose workers are on other machines has an attribute of this name.
    """
    found: Path | None = getattr(executor, "work_dir", None)
    return found


def shares_files(executor: Executor) -> bool:
    """Return whether workers can write files that this process reads.

    Examples
    --------
    >>> shares_files(Threads())
    False
    """
    try:
        return hasattr(executor, "work_dir")
    except ValueError:  # workers are on several machines, and have no folder in common
        return False


def job_text(work: Callable[[Job], Any], number: int, job: Job) -> str:
    """Return a job in words, with what it needs if its work has a method `text_of` for that.

    Examples
    --------
    >>> job_text(abs, 2, -3)
    'job 2'
    """
    text_of = getattr(work, "text_of", None)
    return f"job {number}" if text_of is None else f"job {number} ({text_of(job)})"


def in_order(results: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """Yield the results of jobs in the order of the jobs, each as soon as those before it are done.

    Examples
    --------
    >>> list(in_order([(1, "b"), (0, "a"), (2, "c")]))
    ['a', 'b', 'c']
    """
    early: dict[int, Result] = {}
    following = 0
    for number, result in results:
        early[number] = result
        while following in early:
            yield early.pop(following)
            following += 1

"""Jobs in a pool of `concurrent.futures`: processes, threads, or whatever has its interface."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from functools import partial
from pathlib import Path
from typing import Any

from labeltree.arguments import check_integer
from labeltree.execution.executor import Job, Result
from labeltree.execution.mapped_arrays import ArrayFiles
from labeltree.execution.worker import PickledWork, run_job

_AHEAD = 2  # jobs per worker that are submitted, so that no worker waits


class PoolExecutor:
    """Runs jobs in a pool of `concurrent.futures`, such as a `ProcessPoolExecutor`.

    Large arrays such as X are written to a file once, which the processes of the pool map. So they
    are in memory once, and a job is a few kilobytes.

    Parameters
    ----------
    pool
        The pool. It is not shut down.
    n_workers
        Number of workers of the pool; None to ask the pool.
    n_threads
        Number of threads of each job.
    folder
        Folder for temporary files, which all workers can read; None for that of the system.

    Examples
    --------
    >>> with futures.ThreadPoolExecutor(2) as pool:
    ...     sorted(PoolExecutor(pool).run(abs, [-3, 4]))
    [(0, 3), (1, 4)]
    """

    def __init__(
        self,
        pool: futures.Executor,
        *,
        n_workers: int | None = None,
        n_threads: int = 1,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        if n_workers is None:
            n_workers = int(getattr(pool, "_max_workers", 0)) or os.cpu_count() or 1
        check_integer("n_workers", n_workers, minimum=1)
        check_integer("n_threads", n_threads, minimum=1)
        self.n_workers, self.n_threads = n_workers, n_threads
        self._pool, self._folder = pool, folder
        self._files: ArrayFiles | None = None

    @property
    def work_dir(self) -> Path | None:
        """Folder that all workers can read and write; None for that of temporary files."""
        return None if self._folder is None else Path(self._folder)

    def run(
        self, work: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each job and its result, as jobs end."""
        if isinstance(self._pool, futures.ThreadPoolExecutor):  # workers share memory
            yield from self._run(work, jobs)
            return
        if self._files is None:
            self._files = ArrayFiles(self.work_dir)
        pickled = self._files.dumps(work)
        path = self._files.folder / f"{uuid.uuid4().hex}.pickle"
        path.write_bytes(pickled.content)
        try:
            yield from self._run(partial(run_job, PickledWork(str(path))), jobs)
        finally:
            path.unlink(missing_ok=True)

    def _run(
        self, work: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Iterator[tuple[int, Result]]:
        waiting = enumerate(jobs)
        running: dict[futures.Future[Result], int] = {}
        try:
            while True:
                while len(running) < _AHEAD * self.n_workers:
                    following = next(waiting, None)
                    if following is None:
                        break
                    running[self._pool.submit(work, following[1])] = following[0]
                if not running:
                    return
                done, _ = futures.wait(running, return_when=futures.FIRST_COMPLETED)
                for one in done:
                    yield running.pop(one), one.result()
        finally:
            for one in running:
                one.cancel()

    # A pool has processes, so a copy has the same pool.
    def __deepcopy__(self, memo: dict[int, Any]) -> PoolExecutor:
        return self

    def __copy__(self) -> PoolExecutor:
        return self

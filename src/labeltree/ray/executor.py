"""Jobs on the nodes of a Ray cluster."""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Self

import ray
from ray.exceptions import (
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    WorkerCrashedError,
)

from labeltree.arguments import check_integer
from labeltree.execution.executor import Job, Result, job_text
from labeltree.execution.mapped_arrays import ArrayFiles
from labeltree.ray.kinds import this_kind
from labeltree.ray.work import (
    FileTransport,
    JobReport,
    ObjectTransport,
    SentWork,
    Transport,
    run_task,
    taken,
)

log = logging.getLogger("labeltree")

_AHEAD = 2  # jobs per worker that are submitted, so that no worker waits
_LOOK_SECONDS = 5.0  # between two looks at the size of the cluster
_STOP_SECONDS = 10.0  # for jobs to stop after they were canceled
_MAX_DEATHS = 4  # workers that may die with the same job; something else may have killed them
# A lost object is a result whose node died before the driver had it.
_DEATHS = (WorkerCrashedError, OutOfMemoryError, NodeDiedError, ObjectLostError)


class RayExecutor:
    """Runs jobs on the nodes of a Ray cluster.

    A job runs again elsewhere if its worker or its node dies. If four workers die with the same
    job, the fit ends with an error. Results are returned to the driver, so a fit that also has a
    `checkpoint_dir` loses at most the jobs that are running, even if the driver is killed. The
    model is the same, bit for bit, as that of one machine.

    Parameters
    ----------
    address
        Address of the cluster, such as "10.0.0.1:6379", "auto" for the cluster that this machine
        belongs to, "local" to start Ray on this machine, or None for the cluster that this process
        is connected to, or else as `ray.init` decides.
    n_threads
        Number of threads, and of Ray's CPUs, of each job. The threads of a job share its memory:
        with 8 threads, a node of 8 cores needs one worker, and its memory once.
    n_workers
        Maximum number of jobs at the same time; None for as many as the cluster has CPUs for. Set
        it if the cluster starts nodes on demand.
    shared_dir
        Folder that every node can read and write, for temporary files with X, Y and results. Nodes
        map them, so that each node has X and Y in memory once. None for temporary files if all
        nodes are on this machine, and for Ray's object store otherwise.

    Examples
    --------
    >>> from labeltree import PLTClassifier
    >>> X, Y = [[1, 0], [0, 1]], [["tea"], ["bread"]]
    >>> with RayExecutor("local") as executor:  # doctest: +SKIP
    ...     clf = PLTClassifier(executor=executor).fit(X, Y)
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        n_threads: int = 1,
        n_workers: int | None = None,
        shared_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        check_integer("n_threads", n_threads, minimum=1)
        if n_workers is not None:
            check_integer("n_workers", n_workers, minimum=1)
        if shared_dir is not None and not Path(shared_dir).is_dir():
            raise ValueError(f"shared_dir must be a folder, but {shared_dir} is not one")
        self.address, self.n_threads = address, n_threads
        self.shared_dir = None if shared_dir is None else Path(shared_dir).resolve()
        self.reports: list[JobReport] = []
        self._max_workers = n_workers
        self._transport: Transport | None = None
        self._is_own = False  # whether the connection is closed with the executor
        self._looked, self._n_slots = 0.0, 0

    @property
    def n_workers(self) -> int:
        """Number of jobs that run at the same time."""
        if self._max_workers is not None:
            return self._max_workers
        self._connect()
        if time.monotonic() - self._looked > _LOOK_SECONDS or not self._n_slots:
            self._n_slots = self._found_slots()
            self._looked = time.monotonic()
        return self._n_slots

    @property
    def work_dir(self) -> Path | None:
        """Folder that all nodes can read and write; None for that of temporary files."""
        self._connect()
        if self.shared_dir is None and not self._is_one_machine():
            raise ValueError(
                "nodes on several machines need a folder that all of them can write to, but "
                "shared_dir is None; set it"
            )
        return self.shared_dir

    def _found_slots(self) -> int:
        """Return the number of jobs that the nodes of the cluster have CPUs for."""
        alive = [node for node in ray.nodes() if node["Alive"]]
        n_cpus = [float(node["Resources"].get("CPU", 0.0)) for node in alive]
        if 0 < max(n_cpus, default=0.0) < self.n_threads:
            raise ValueError(
                f"n_threads must be at most {max(n_cpus):.0f}, the CPUs of the largest node, but "
                f"is {self.n_threads}"
            )
        return max(1, sum(int(n // self.n_threads) for n in n_cpus))

    def run(
        self, work: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each job and its result, as jobs end."""
        self._connect()
        sent, pickled = self._sender().send(work)
        # Ray itself repeats none, because it would repeat one that runs out of memory forever.
        task = ray.remote(num_cpus=self.n_threads, max_retries=0)(run_task)
        submit = partial(_submitted, task, sent)
        waiting = enumerate(jobs)
        running: dict[Any, tuple[int, Job]] = {}
        deaths = Counter[int]()
        try:
            while self._submit(submit, waiting, running):
                done, _ = ray.wait(list(running), timeout=_LOOK_SECONDS)
                for one in done:
                    number, job = running.pop(one)
                    try:
                        result, report = ray.get(one)
                    except _DEATHS as death:
                        deaths[number] += _is_of_worker(death)
                        _check_deaths(deaths[number], work, number, job, death)
                        running[submit(number, job)] = number, job
                        continue
                    self._record(number, report)
                    yield number, taken(result)
        finally:
            _stop(list(running))
            del pickled

    def _submit(
        self,
        submit: Callable[[int, Job], Any],
        waiting: Iterator[tuple[int, Job]],
        running: dict[Any, tuple[int, Job]],
    ) -> bool:
        """Submit jobs until no worker waits; return whether any are running."""
        while len(running) < _AHEAD * self.n_workers:
            following = next(waiting, None)
            if following is None:
                break
            running[submit(*following)] = following
        return bool(running)

    def _record(self, number: int, report: JobReport) -> None:
        self.reports.append(report)
        log.info(
            "job %d on node %s, process %d, %s: %.2f s",
            number,
            report.node,
            report.process,
            report.cpu_level,
            report.seconds,
        )

    def _connect(self) -> None:
        if ray.is_initialized():
            return
        address = None if self.address is None else str(self.address)
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
        self._is_own = True

    def _sender(self) -> Transport:
        if self._transport is None:
            if self.shared_dir is not None:
                folder = self.shared_dir
                files = ArrayFiles(folder, is_shared=lambda path: path.is_relative_to(folder))
                self._transport = FileTransport(files)
            elif self._is_one_machine():
                self._transport = FileTransport(ArrayFiles())
            else:
                self._transport = ObjectTransport()
        return self._transport

    def _is_one_machine(self) -> bool:
        nodes = [node for node in ray.nodes() if node["Alive"]]
        return len({node["NodeManagerHostname"] for node in nodes}) == 1

    def close(self) -> None:
        """Remove temporary files, and disconnect from the cluster if the executor connected."""
        if self._transport is not None:
            self._transport.close()
            self._transport = None
        if self._is_own and ray.is_initialized():
            ray.shutdown()
        self._is_own = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # A connection cannot be copied, so a copy has the same one.
    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __copy__(self) -> Self:
        return self

    def __repr__(self) -> str:
        return f"RayExecutor({self.address!r}, n_threads={self.n_threads})"


def _submitted(task: Any, sent: SentWork, number: int, job: Any) -> Any:
    """Return the reference to the result of a job that is submitted."""
    return task.options(name=f"labeltree job {number}").remote(sent, job, this_kind())


def _is_of_worker(death: Exception) -> bool:
    """Return whether a worker died, and not its node."""
    return isinstance(death, WorkerCrashedError | OutOfMemoryError)


def _check_deaths(
    n_deaths: int, work: Callable[[Job], Any], number: int, job: Job, death: Exception
) -> None:
    """Raise RuntimeError if workers die whenever they run a job."""
    text = job_text(work, number, job)
    log.warning("%s was lost (%s); it runs again", text, type(death).__name__)
    if n_deaths >= _MAX_DEATHS:
        raise RuntimeError(
            f"a job must not end its worker, but {n_deaths} workers died with {text}; if memory is "
            "short, set max_memory, lower n_threads, or give Ray fewer CPUs per node"
        ) from death


def _stop(running: list[Any]) -> None:
    """Cancel jobs, and wait until they have stopped."""
    if not running or not ray.is_initialized():
        return
    for one in running:
        ray.cancel(one)
    ray.wait(running, num_returns=len(running), timeout=_STOP_SECONDS)

"""Work for the nodes of a cluster, and how they run a job of it."""

from __future__ import annotations

import io
import os
import pickle
import time
import uuid
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import ray

from labeltree.execution.mapped_arrays import ArrayFiles, Pickled, StoredValue, is_large
from labeltree.execution.worker import kept_work
from labeltree.ray.kinds import WorkerKind, cpu_level, this_kind


class SentWork(NamedTuple):
    """Work on its way to the nodes. References are not resolved until a worker needs them."""

    key: str
    content: Any  # reference to the pickle
    arrays: list[Any]  # references to its large arrays, if they are not in files
    folder: str | None  # for large arrays of results; None for the object store


class JobReport(NamedTuple):
    """Where a job ran, and how long it took."""

    node: str
    process: int
    cpu_level: str
    seconds: float
    cpu_seconds: float


class Transport(Protocol):
    """Brings work to the nodes."""

    def send(self, work: Callable[[Any], Any]) -> tuple[SentWork, Pickled]:
        """Return the work as arguments of tasks, and what must exist as long as they run."""

    def close(self) -> None:
        """Free what was sent."""


class FileTransport:
    """Large arrays, also those of results, are in files that nodes map, once per node in memory."""

    def __init__(self, files: ArrayFiles) -> None:
        self._files = files

    def send(self, work: Callable[[Any], Any]) -> tuple[SentWork, Pickled]:
        """Return the work as arguments of tasks, and what must exist as long as they run."""
        pickled = self._files.dumps(work)
        key, folder = uuid.uuid4().hex, str(self._files.folder)
        return SentWork(key, ray.put(pickled.content), [], folder), pickled

    def close(self) -> None:
        """Remove the files."""
        self._files.close()


class ObjectTransport:
    """Large arrays are in the object store, from which each node fetches them once.

    The first copy is on the node of the driver. It is lost with this node only, and so is the fit,
    which resumes from its checkpoint.
    """

    def __init__(self) -> None:
        self._sent: dict[int, Any] = {}

    def send(self, work: Callable[[Any], Any]) -> tuple[SentWork, Pickled]:
        """Return the work as arguments of tasks, and what must exist as long as they run."""
        stream, arrays = io.BytesIO(), list[Any]()
        _Pickler(stream, arrays).dump(work)
        references = [self._reference(array) for array in arrays]
        pickled = Pickled(stream.getvalue(), arrays)
        key = uuid.uuid4().hex
        return SentWork(key, ray.put(pickled.content), references, None), pickled

    def close(self) -> None:
        """Let Ray free the arrays."""
        self._sent.clear()

    def _reference(self, array: Any) -> Any:
        if id(array) not in self._sent:
            self._sent[id(array)] = ray.put(array)
            weakref.finalize(array, self._sent.pop, id(array), None)
        return self._sent[id(array)]


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, arrays: list[Any]) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._arrays, self._places = arrays, dict[int, int]()

    def persistent_id(self, value: Any) -> int | None:
        if not is_large(value):
            return None
        if id(value) not in self._places:
            self._places[id(value)] = len(self._arrays)
            self._arrays.append(value)
        return self._places[id(value)]


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, arrays: list[Any]) -> None:
        super().__init__(io.BytesIO(content))
        self._arrays = arrays

    def persistent_load(self, place: int) -> Any:
        return self._arrays[place]


def run_task(work: SentWork, job: Any, expected: WorkerKind) -> tuple[Any, JobReport]:
    """Return the result of a job, and where it ran; this is what a node executes.

    Ray copies results between nodes in several steps, which takes more time than a file does.
    """
    context = ray.get_runtime_context()
    node = f"{ray.util.get_node_ip_address()} ({context.get_node_id()[:8]})"
    this_kind().check(expected, node)
    start, cpu_start = time.perf_counter(), time.process_time()
    result = kept_work(work.key, lambda: _unpickled(work))(job)
    if work.folder is not None:
        result = StoredValue.of(result, Path(work.folder))
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    return result, JobReport(node, os.getpid(), cpu_level(), seconds, cpu_seconds)


def taken(result: Any) -> Any:
    """Return what a job returned."""
    return result.take() if isinstance(result, StoredValue) else result


def _unpickled(work: SentWork) -> Callable[[Any], Any]:
    content = ray.get(work.content)
    made: Callable[[Any], Any] = _Unpickler(content, ray.get(work.arrays)).load()
    return made

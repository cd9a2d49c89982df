"""What a worker process does: it keeps the work that it was given, and runs jobs of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

_MAX_KEPT = 2  # works whose arrays and trainers stay in the process


class PickledWork(NamedTuple):
    """A file with the pickle of work, without large arrays. No other work has the same file."""

    path: str


_kept: dict[str, Callable[[Any], Any]] = {}


def run_job(work: PickledWork, job: Any) -> Any:
    """Return the result of a job; the work is unpickled if the process does not have it."""
    return kept_work(work.path, lambda: pickle.loads(Path(work.path).read_bytes()))(job)


def kept_work(key: str, make: Callable[[], Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Return the work with a key, made if the process does not have it."""
    work = _kept.pop(key, None)
    if work is None:
        while len(_kept) >= _MAX_KEPT:
            del _kept[next(iter(_kept))]  # the one that was not used for the longest time
        work = make()
    _kept[key] = work
    return work

"""Memory of the current process, and what a training may use of it."""

from __future__ import annotations

import sys
from typing import NamedTuple

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.execution.mapped_arrays import is_shared_map

_WINDOW_SHARE = 16  # of X that a thread holds, if other threads need not be left out for it
_SPARE = 1 / 8  # of the memory that windows leave, because freed memory comes in pieces
_ROW_BYTES = 16  # of a row, for pointers and counts that are there for a while


class MemoryUse(NamedTuple):
    """How a training stays within its memory."""

    n_threads: int
    window_bytes: float  # copies of rows that each thread holds; 0 to read X in place


def peak_memory() -> int:
    """Return the maximum resident memory of this process so far in bytes; 0 on Windows.

    Examples
    --------
    >>> peak_memory() > 1_000_000
    True
    """
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def is_mapped(X: FeatureMatrix) -> bool:
    """Return whether the rows are mapped from files, which they can be read from again."""
    return is_shared_map(X.indices) and is_shared_map(X.data)


class WorkerNeeds(NamedTuple):
    """Bytes of a worker with one thread whose rows are mapped from files, without its results."""

    whole: float  # with all rows in memory
    least: float  # with the smallest windows


def worker_needs(trainer: _core.Trainer, X: FeatureMatrix, rows: LabelRows) -> WorkerNeeds:
    """Return what a worker needs to train with all rows in memory, and with few."""
    beside = trainer.shared_bytes + data_bytes(X, rows) - row_bytes(X)
    whole = beside + row_bytes(X) + trainer.thread_bytes()
    of_window = trainer.thread_bytes(trainer.min_window_bytes) + _ROW_BYTES * rows.n_rows
    return WorkerNeeds(whole, (beside + of_window) / (1 - _SPARE))


def memory_use(
    trainer: _core.Trainer,
    X: FeatureMatrix,
    rows: LabelRows,
    n_threads: int,
    max_memory: float | None,
) -> MemoryUse:
    """Return the threads that fit into max_memory, and their windows if X does not.

    Finished weights are not counted. X and Y are counted if X is mapped from files.
    """
    if max_memory is None:
        return MemoryUse(n_threads, 0.0)
    is_counted = is_mapped(X)
    free = max_memory - trainer.shared_bytes - is_counted * data_bytes(X, rows)
    fitting = int(free // trainer.thread_bytes())
    if fitting >= 1:
        return MemoryUse(min(n_threads, fitting), 0.0)
    minimum = trainer.shared_bytes + trainer.thread_bytes()
    if is_counted:
        minimum = min(worker_needs(trainer, X, rows))
    if max_memory < minimum:
        raise ValueError(
            f"max_memory must be at least {minimum / 1e6:.0f} MB for this data, "
            f"but is {max_memory / 1e6:.0f} MB"
        )
    return _windows(trainer, X, n_threads, (1 - _SPARE) * (max_memory - minimum))


def _windows(trainer: _core.Trainer, X: FeatureMatrix, n_threads: int, more: float) -> MemoryUse:
    """Return threads and windows for more memory than one thread with the smallest needs."""
    smallest = trainer.min_window_bytes
    least = trainer.thread_bytes(smallest)
    wished = least - smallest + max(smallest, row_bytes(X) / _WINDOW_SHARE)
    n_fitting = max(1, min(n_threads, int((least + more) // wished)))
    window = (least + more) / n_fitting - least + smallest
    return MemoryUse(n_fitting, min(window, row_bytes(X) + smallest))


def row_bytes(X: FeatureMatrix) -> float:
    """Return the bytes of features and values."""
    return float(X.indices.nbytes + X.data.nbytes)


def data_bytes(X: FeatureMatrix, rows: LabelRows) -> float:
    """Return the bytes of X and Y."""
    return row_bytes(X) + float(X.indptr.nbytes + rows.indptr.nbytes + rows.indices.nbytes)

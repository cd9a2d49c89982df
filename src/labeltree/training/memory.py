"""Memory of the current process, and what a training may use of it."""

from __future__ import annotations

import resource
import sys
from typing import NamedTuple

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.execution.mapped_arrays import is_shared_map

_WINDOW_SHARE = 16  # of X that a thread holds, if other threads need not be left out for it
_SPARE_SHARE = 16  # of the memory that windows leave, because freed memory comes in pieces
_ROW_BYTES = 16  # of a row, for pointers and counts that are there for a while


class MemoryUse(NamedTuple):
    """How a training stays within its memory."""

    n_threads: int
    window_bytes: float  # copies of rows that each thread holds; 0 to read X in place


def peak_memory() -> int:
    """Return the maximum resident memory of this process so far in bytes.

    Examples
    --------
    >>> peak_memory() > 1_000_000
    True
    """
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def is_mapped(X: FeatureMatrix) -> bool:
    """Return whether the rows are mapped from files, which they can be read from again."""
    return is_shared_map(X.indices) and is_shared_map(X.data)


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
    mapped = data_bytes(X, rows) if is_mapped(X) else 0.0
    free = max_memory - trainer.shared_bytes
    fitting = int((free - mapped) // trainer.thread_bytes())
    if fitting < 1 and mapped:
        free -= mapped - row_bytes(X) + _ROW_BYTES * rows.n_rows + max_memory / _SPARE_SHARE
        return _windows(trainer, X, n_threads, max_memory, free)
    if fitting < 1:
        _refuse(max_memory, trainer.shared_bytes + trainer.thread_bytes())
    return MemoryUse(min(n_threads, fitting), 0.0)


def _windows(
    trainer: _core.Trainer, X: FeatureMatrix, n_threads: int, max_memory: float, free: float
) -> MemoryUse:
    smallest = trainer.min_window_bytes
    least = trainer.thread_bytes(smallest)
    if free < least:
        _refuse(max_memory, max_memory - free + least)
    wished = least - smallest + max(smallest, row_bytes(X) / _WINDOW_SHARE)
    n_fitting = max(1, min(n_threads, int(free // wished)))
    return MemoryUse(n_fitting, min(free / n_fitting - least + smallest, row_bytes(X) + smallest))


def row_bytes(X: FeatureMatrix) -> float:
    """Return the bytes of features and values."""
    return float(X.indices.nbytes + X.data.nbytes)


def data_bytes(X: FeatureMatrix, rows: LabelRows) -> float:
    """Return the bytes of X and Y."""
    return row_bytes(X) + float(X.indptr.nbytes + rows.indptr.nbytes + rows.indices.nbytes)


def _refuse(given: float, minimum: float) -> None:
    raise ValueError(
        f"max_memory must be at least {minimum / 1e6:.0f} MB for this data, "
        f"but is {given / 1e6:.0f} MB"
    )

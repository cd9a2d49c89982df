"""Scaled rows in a file that workers write, so that no process scales all of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from labeltree.data.features import FeatureMatrix, canonical_csr
from labeltree.data.row_scaling import RowScaling
from labeltree.execution.executor import Executor, shares_files, work_dir
from labeltree.execution.mapped_arrays import is_large, new_folder, open_array
from labeltree.execution.ranges import JOBS_PER_WORKER, Range, even_ranges


@contextmanager
def scaled_rows(
    scaling: RowScaling,
    X: FeatureMatrix,
    executor: Executor,
    n_threads: int = 1,
    *,
    in_place: bool = False,
) -> Iterator[FeatureMatrix]:
    """Rows as `scaling` returns them.

    Several workers that share files with this process write them to a file, which exists within
    the block. Otherwise, this process scales all rows, on `n_threads` threads.
    """
    is_spread = executor.n_workers > 1 and is_large(X.data) and shares_files(executor)
    if not is_spread or scaling.keeps(X):
        yield scaling(X, n_threads, in_place=in_place)
        return
    folder = new_folder(work_dir(executor))
    try:
        yield _written(scaling, X, executor, folder / "values")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _written(
    scaling: RowScaling, X: FeatureMatrix, executor: Executor, path: Path
) -> FeatureMatrix:
    """Return rows whose values workers write to a file."""
    with path.open("wb") as file:
        file.truncate(X.data.nbytes)
    ranges = even_ranges(1 + np.diff(X.indptr), JOBS_PER_WORKER * executor.n_workers)
    for _ in executor.run(_Scaling(scaling, X, path, executor.n_threads), ranges):
        pass
    values = open_array(str(path), 0, X.data.dtype.str, X.data.shape)
    return canonical_csr(X.indptr, X.indices, values, X.shape[1])


@dataclass(frozen=True, eq=False)
class _Scaling:
    """Writes the scaled values of ranges of rows to a file. It can be done again."""

    scaling: RowScaling
    X: FeatureMatrix
    path: Path
    n_threads: int

    def __call__(self, rows: Range) -> None:
        first, last = rows
        begin, end = (int(self.X.indptr[row]) for row in rows)
        if begin == end:
            return
        indptr = self.X.indptr[first : last + 1] - begin
        entries = self.X.indices[begin:end], self.X.data[begin:end]
        own = canonical_csr(indptr, *entries, self.X.shape[1])
        values = np.empty(end - begin, np.float32)
        self.scaling.write(own, values, self.n_threads)
        with self.path.open("r+b") as file:
            file.seek(values.itemsize * begin)
            file.write(values.data)

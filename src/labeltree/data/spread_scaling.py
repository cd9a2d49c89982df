"""Scaled rows in a file that workers write, so that no process scales all of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data.features import FeatureMatrix, canonical_csr
from labeltree.data.row_scaling import RowScaling
from labeltree.execution.executor import Executor, in_order, shares_files, work_dir
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
        yield _written(_Scaling(scaling, X, executor.n_threads), executor, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, eq=False)
class _Scaling:
    """Rows to scale in ranges, which can be done again."""

    scaling: RowScaling
    X: FeatureMatrix
    n_threads: int

    def rows(self, rows: Range) -> FeatureMatrix:
        """Return some rows."""
        first, last = rows
        begin, end = (int(self.X.indptr[row]) for row in rows)
        indptr = self.X.indptr[first : last + 1] - begin
        entries = self.X.indices[begin:end], self.X.data[begin:end]
        return canonical_csr(indptr, *entries, self.X.shape[1])

    @property
    def n_columns(self) -> int:
        """Number of features of scaled rows."""
        return self.X.shape[1] + len(self.scaling.pairs)


def _written(work: _Scaling, executor: Executor, folder: Path) -> FeatureMatrix:
    """Return rows that workers write to files."""
    X = work.X
    ranges = even_ranges(1 + np.diff(X.indptr), JOBS_PER_WORKER * executor.n_workers)
    indptr, indices = X.indptr.astype(np.int64, copy=False), X.indices
    has_pairs = len(work.scaling.pairs) > 0
    if has_pairs:
        lengths = list(in_order(executor.run(_CountLengths(work), ranges)))
        indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    paths = folder / "indices", folder / "values"
    for path in paths[0 if has_pairs else 1 :]:
        with path.open("wb") as file:
            file.truncate(4 * int(indptr[-1]))
    for _ in executor.run(_Write(work, indptr, *paths, has_pairs=has_pairs), ranges):
        pass
    shape = (int(indptr[-1]),)
    if has_pairs:
        indices = open_array(str(paths[0]), 0, X.indices.dtype.str, shape)
    values = open_array(str(paths[1]), 0, X.data.dtype.str, shape)
    return canonical_csr(indptr, indices, values, work.n_columns)


@dataclass(frozen=True, eq=False)
class _CountLengths:
    """Counts the entries of rows that have their pairs."""

    work: _Scaling

    def __call__(self, rows: Range) -> NDArray[np.int64]:
        X = self.work.rows(rows)
        return np.diff(self.work.scaling.begin_with_pairs(X, self.work.n_threads))


@dataclass(frozen=True, eq=False)
class _Write:
    """Writes scaled rows to files."""

    work: _Scaling
    indptr: NDArray[np.int64]  # of scaled rows
    indices: Path
    values: Path
    has_pairs: bool

    def __call__(self, rows: Range) -> None:
        begin, end = (int(self.indptr[row]) for row in rows)
        if begin == end:
            return
        scaled = self.work.scaling(self.work.rows(rows), self.work.n_threads)
        parts: list[tuple[Path, NDArray[Any]]] = [(self.values, scaled.data)]
        if self.has_pairs:
            parts.append((self.indices, scaled.indices))
        for path, array in parts:
            with path.open("r+b") as file:
                file.seek(array.itemsize * begin)
                file.write(np.ascontiguousarray(array).data)

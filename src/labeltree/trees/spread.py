"""Steps of tree builders on the workers of an executor, with the same result as on one machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.execution.executor import Executor, in_order
from labeltree.execution.mapped_arrays import page_bytes
from labeltree.execution.ranges import JOBS_PER_WORKER, Range, even_ranges
from labeltree.trees.cost_model import CostModel
from labeltree.trees.vectors import NativeRows

#: Rows from which the top of a tree is built if labels are split into parts; of more, every n-th.
MAX_TOP_ROWS = 1 << 24
#: Where the entries of each label begin, their features and their values.
Vectors = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class _LabelVectors:
    """Computes the vectors of ranges of labels. Sums over rows have the order of the rows."""

    rows: NativeRows
    n_threads: int
    max_memory: float | None = None

    def __call__(self, labels: Range) -> Vectors:
        return self._sums.vectors(*labels, is_short=True, n_threads=self.n_threads)

    @cached_property
    def _sums(self) -> _core.LabelSums:
        """The rows, which a worker checks once."""
        pages = page_bytes(self.rows[1:3], self.max_memory)
        return _core.LabelSums(*self.rows, page_bytes=pages)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_sums"}


def short_label_vectors(
    rows: NativeRows, executor: Executor, max_memory: float | None = None
) -> Vectors:
    """Return the largest entries of the vector of each label."""
    _, _, _, _, _, indices, n_labels = rows
    counts = 1 + np.bincount(indices, minlength=n_labels)
    ranges = even_ranges(counts, JOBS_PER_WORKER * executor.n_workers)
    work = _LabelVectors(rows, executor.n_threads, max_memory)
    found = list(in_order(executor.run(work, ranges)))
    lengths = np.concatenate([np.diff(begin) for begin, _, _ in found])
    features = np.concatenate([features for _, features, _ in found])
    return np.append(0, np.cumsum(lengths)), features, np.concatenate([one[2] for one in found])


@dataclass(frozen=True)
class _PartJoin:
    """Joins the labels of a part of a blend."""

    cost_model: CostModel
    n_rows: int
    similarity: float
    n_threads: int

    def __call__(self, part: tuple[Any, ...]) -> tuple[Any, Any, Any, Any]:
        return _core.join_part(
            *part,
            per_row=self.cost_model.per_row,
            per_pair=self.cost_model.per_pair,
            n_rows=self.n_rows,
            similarity=self.similarity,
            n_threads=self.n_threads,
        )


def blend_on(
    executor: Executor,
    rows: NativeRows,
    similarity: float,
    cost_model: CostModel,
    seed: int,
    n_threads: int,
    max_memory: float | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the nodes of a blend, whose parts are joined by workers."""
    _, _, _, n_features, indptr, indices, _ = rows
    vectors = short_label_vectors(rows, executor, max_memory)
    options: dict[str, Any] = {"similarity": similarity, "seed": seed, "n_threads": n_threads}
    options["max_top_rows"] = MAX_TOP_ROWS
    blending = _core.Blending(*vectors, n_features, indptr, indices, **options)
    join = _PartJoin(cost_model, len(indptr) - 1, similarity, executor.n_threads)
    while not blending.is_done:
        n_parts = blending.split()
        if n_parts == 1:
            blending.join([join_top(replace(join, n_threads=n_threads), blending.part(0))])
            continue
        order = blending.order().tolist()
        joined = dict(executor.run(join, (blending.part(p) for p in order)))
        blending.join([joined[order.index(p)] for p in range(n_parts)])
    return blending.finish()


def join_top(join: _PartJoin, part: tuple[Any, ...]) -> tuple[Any, Any, Any, Any]:
    """Return what becomes of the last part, the top of the tree, in this process."""
    return join(part)

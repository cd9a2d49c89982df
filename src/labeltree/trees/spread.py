"""Steps of tree builders on the workers of an executor, with the same result as on one machine."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.execution.executor import Executor, Threads, in_order
from labeltree.execution.mapped_arrays import page_bytes
from labeltree.trees.cost_model import CostModel
from labeltree.trees.vectors import NativeRows

_JOBS_PER_WORKER = 2  # they are balanced, and each looks at all labels of all rows

#: Where the entries of each label begin, their features and their values.
Vectors = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class _LabelVectors:
    """Computes the vectors of ranges of labels. Sums over rows have the order of the rows."""

    rows: NativeRows
    n_threads: int
    max_memory: float | None = None

    def __call__(self, labels: tuple[int, int]) -> Vectors:
        x_indptr, x_indices, x_values, n_features, indptr, indices, _ = self.rows
        first, last = labels
        is_own = (indices >= first) & (indices < last)
        begin = np.append(0, np.cumsum(is_own, dtype=np.int64))[indptr]
        return _core.label_vectors(
            x_indptr,
            x_indices,
            x_values,
            n_features,
            begin.astype(np.int64, copy=False),
            (indices[is_own] - first).astype(np.int32, copy=False),
            last - first,
            is_short=True,
            n_threads=self.n_threads,
            page_bytes=page_bytes((x_indices, x_values), self.max_memory),
        )


def short_label_vectors(
    rows: NativeRows, executor: Executor, max_memory: float | None = None
) -> Vectors:
    """Return the largest entries of the vector of each label."""
    _, _, _, _, _, indices, n_labels = rows
    counts = 1 + np.bincount(indices, minlength=n_labels)
    n_jobs = min(_JOBS_PER_WORKER * executor.n_workers, n_labels)
    shares = np.linspace(0, counts.sum(), n_jobs + 1)[1:-1]
    ends = [0, *np.searchsorted(np.cumsum(counts), shares).tolist(), n_labels]
    ranges = [(first, last) for first, last in pairwise(ends) if first < last]
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
    blending = _core.Blending(*vectors, n_features, indptr, indices, **options)
    while not blending.is_done:
        n_parts = blending.split()
        workers = executor if n_parts > 1 else Threads(n_threads)
        join = _PartJoin(cost_model, len(indptr) - 1, similarity, workers.n_threads)
        order = blending.order().tolist()
        joined = dict(workers.run(join, (blending.part(p) for p in order)))
        blending.join([joined[order.index(p)] for p in range(n_parts)])
    return blending.finish()

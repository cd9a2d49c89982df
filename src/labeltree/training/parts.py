"""Parts of a training: the weights of some nodes, and the work that they took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class SolverCounts(NamedTuple):
    """The work of the solver on some nodes, and how far from their optimum they ended."""

    n_visits: int = 0  # rows visited, counting passes
    n_iter: int = 0  # maximum number of passes over the rows of any of the nodes
    n_far_pairs: int = 0  # (row, node) pairs of nodes that violate their optimum by over 10 tol

    def plus(self, other: SolverCounts) -> SolverCounts:
        """Return the counts of both."""
        return SolverCounts(
            self.n_visits + other.n_visits,
            max(self.n_iter, other.n_iter),
            self.n_far_pairs + other.n_far_pairs,
        )


class Part(NamedTuple):
    """Weights of some nodes, as the native trainer returns them.

    If rows are held back, also their scores in these nodes before they were learned from, and the
    numbers of their (row, node) pairs.
    """

    nodes: NDArray[np.int32]
    indptr: NDArray[np.int64]
    features: NDArray[np.int32]
    values: NDArray[np.float32]
    bias: NDArray[np.float32]
    n_visits: int
    n_iter: int
    n_far_pairs: int
    held_pairs: NDArray[np.int64] = np.empty(0, np.int64)
    held_scores: NDArray[np.float32] = np.empty(0, np.float32)

    @property
    def weights(self) -> tuple[NDArray[Any], ...]:
        """The nodes and their weights, as arguments of LayoutBuilder.add."""
        return self[:5]

    @property
    def counts(self) -> SolverCounts:
        """The work of the solver."""
        return SolverCounts(self.n_visits, self.n_iter, self.n_far_pairs)


class PartStore(Protocol):
    """Stores finished parts, from which an interrupted training resumes."""

    def load(self) -> Iterator[tuple[int, Part]]:
        """Yield the finished parts in order, each as (number of packs done after it, part)."""

    def save(self, first: int, last: int, part: Part) -> None:
        """Store the part of packs first .. last - 1."""

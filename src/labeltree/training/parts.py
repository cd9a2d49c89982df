"""Parts of a training: the weights of some nodes, and the work that they took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

#: First pack, and the pack after the last.
PackRange = tuple[int, int]


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

    def finished(self) -> list[PackRange]:
        """Return the ranges of the finished parts, ascending; packs between them may be missing."""

    def load(self, packs: PackRange) -> Part:
        """Return a finished part."""

    def save(self, packs: PackRange, part: Part) -> None:
        """Store the part of a range of packs."""


def in_pack_order(
    arriving: Iterable[tuple[PackRange, Part]], store: PartStore | None
) -> Iterator[Part]:
    """Yield the parts of a store and those that arrive in the order of their packs.

    Layouts depend on the order. A part waits in memory for those before it.
    """
    early: dict[int, tuple[int, Part | None]] = {}
    for first, last in () if store is None else store.finished():
        early[first] = last, None
    following = 0
    for packs, part in chain([(None, None)], arriving):
        if packs is not None:
            early[packs[0]] = packs[1], part
        while following in early:
            first = following
            following, known = early.pop(first)
            if known is None:
                assert store is not None
                known = store.load((first, following))
            yield known

"""The time of a training step of an output layer, as a sum of measured costs times its work."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from labeltree.arguments import check_integer
from labeltree.torch.clusters import cluster
from labeltree.torch.layout import MAX_GROUP_SIZE, Layout, even_sizes

TILE_ROWS = 16  # rows of a group that the kernels process together
ROOT_MULTIPLE = 64  # of the columns of the root
SHUFFLED_BY = 0  # seed of the order of labels below the head


class TreeShape(NamedTuple):
    """Levels, sizes and prototypes of a tree, whichever labels its groups hold.

    Examples
    --------
    >>> TreeShape(group_size=32, middle_size=128).n_columns(1_000_000)
    245
    """

    n_head: int = 0  #: number of the most frequent labels, which become children of the root
    group_size: int = 64  #: number of labels of a group
    middle_size: int | None = None  #: number of groups of a middle node; None for two levels
    n_prototypes: int = 1  #: number of weight vectors of each group at the root

    def levels(self, n_labels: int) -> list[NDArray[np.int64]]:
        """Return the numbers of siblings of each level below the root, from the top."""
        sizes = even_sizes(n_labels - self.n_head, self.group_size)
        if self.middle_size is None:
            return [sizes]
        return [even_sizes(len(sizes), self.middle_size), sizes]

    def n_columns(self, n_labels: int) -> int:
        """Return the number of columns of the root."""
        return self.n_head + len(self.levels(n_labels)[0]) * self.n_prototypes

    def coarseness(self, probabilities: NDArray[np.float64]) -> float:
        """Return how many bits of a label the nodes above it do not resolve, on average.

        A node that stands for s labels with k weight vectors leaves log2(s / k) bits open. The bits
        of all levels are added; those of a full softmax are 0. Only groups have such bits, so that
        head labels, of which `probabilities` are the first, count as 0.
        """
        below = self.group_size * (self.middle_size or 1)  # labels of a child of the root
        bits = np.log2(max(1.0, below / self.n_prototypes))
        if self.middle_size is not None:
            bits += np.log2(self.group_size)
        return float(bits * probabilities[self.n_head :].sum())

    def layout(self, embeddings: Tensor, counts: ArrayLike, *, random_state: int = 0) -> Layout:
        """Return a layout of this shape, whose head labels are the most frequent ones.

        Parameters
        ----------
        embeddings
            One row per label; see `cluster`.
        counts
            Number of rows of each label.
        random_state
            Seed of the initial directions.
        """
        order = np.argsort(-np.asarray(counts), kind="stable")
        return cluster(
            embeddings,
            group_size=self.group_size,
            middle_size=self.middle_size,
            head=torch.from_numpy(order[: self.n_head]),
            random_state=random_state,
        )

    def check(self, n_labels: int) -> None:
        """Raise ValueError or TypeError if a size is impossible for that many labels."""
        check_integer("n_head", self.n_head, minimum=0, maximum=n_labels - 1)
        check_integer("group_size", self.group_size, minimum=1, maximum=MAX_GROUP_SIZE)
        check_integer("n_prototypes", self.n_prototypes, minimum=1)
        if self.middle_size is not None:
            check_integer("middle_size", self.middle_size, minimum=1, maximum=MAX_GROUP_SIZE)


class Batch(NamedTuple):
    """The rows of a step."""

    n_rows: int
    n_features: int
    labels_per_row: float = 1.0

    @property
    def n_entries(self) -> float:
        """Number of pairs of a row and a label."""
        return self.n_rows * self.labels_per_row


class Work(NamedTuple):
    """What a step does, in units of which each has a cost."""

    step: float  #: 1
    levels: float  #: levels below the root besides the first
    root: float  #: billions of products at the root
    logits: float  #: millions of logits of the root, whose columns are padded to a power of two
    groups: float  #: billions of products in groups, for whole tiles
    visits: float  #: thousands of groups with rows
    touched: float  #: millions of weights of groups with rows
    weights: float  #: millions of weights of all groups
    fullest: float  #: thousands of rows of the fullest group

    @classmethod
    def of(cls, shape: TreeShape, probabilities: NDArray[np.float64], batch: Batch) -> Self:
        """Return the expected work of a step, given the probabilities of labels in tree order."""
        d = batch.n_features
        levels = shape.levels(len(probabilities))
        chances = probabilities[shape.n_head :]
        groups = visits = touched = fullest = 0.0
        for sizes in reversed(levels):
            chances = np.add.reduceat(chances, np.append(0, np.cumsum(sizes)[:-1]))
            used = -np.expm1(batch.n_entries * np.log1p(-np.minimum(chances, 1 - 1e-12)))
            rows = batch.n_entries * chances
            tiles = np.maximum(used, rows / TILE_ROWS + 0.5 * used)
            groups += float(tiles.sum()) * TILE_ROWS * _padded(int(sizes.max())) * d / 1e9
            visits += float(used.sum()) / 1e3
            touched += float(used @ sizes) * d / 1e6
            fullest = max(fullest, float(rows.max()) / 1e3)
        weights = float(sum(sizes.sum() for sizes in levels)) * d / 1e6
        made = cls(1.0, len(levels) - 1.0, 0.0, 0.0, groups, visits, touched, weights, fullest)
        return made.with_root(shape.n_columns(len(probabilities)), batch)

    def with_root(self, n_columns: int, batch: Batch) -> Self:
        """Return the work of a tree whose root has another number of columns."""
        columns = -(-n_columns // ROOT_MULTIPLE) * ROOT_MULTIPLE
        root = batch.n_rows * columns * batch.n_features / 1e9
        return self._replace(root=root, logits=batch.n_rows * _padded(columns) / 1e6)


@dataclass(frozen=True)
class StepCosts:
    """Microseconds per unit of work on one device; see `measure_costs`.

    Examples
    --------
    >>> costs = StepCosts(step=100.0, root=20.0)
    >>> shape = TreeShape(group_size=64)
    >>> costs.us_per_row(shape, [1.0] * 65536, n_rows=1000, in_features=100)
    0.102048
    """

    step: float = 0.0
    levels: float = 0.0
    root: float = 0.0
    logits: float = 0.0
    groups: float = 0.0
    visits: float = 0.0
    touched: float = 0.0
    weights: float = 0.0
    fullest: float = 0.0

    @classmethod
    def fitted(cls, works: Sequence[Work], microseconds: ArrayLike) -> Self:
        """Return the costs of at least 0 whose estimates have the smallest relative errors."""
        times = np.asarray(microseconds, dtype=np.float64)
        if len(times) != len(works) or not (times > 0).all():
            raise ValueError(
                f"microseconds must be above 0, one for each of {len(works)} steps, but are "
                f"{times.tolist()}"
            )
        table = np.array(works, dtype=np.float64)
        scale = np.maximum(np.abs(table).max(0), 1e-30)
        found = _at_least_0(table / scale / times[:, None], np.ones(len(times)))
        return cls(*(found / scale).tolist())

    def us_per_row(
        self,
        shape: TreeShape,
        counts: ArrayLike,
        *,
        n_rows: int,
        in_features: int,
        labels_per_row: float = 1.0,
    ) -> float:
        """Return the estimated microseconds of a step for each row."""
        batch = Batch(n_rows, in_features, labels_per_row)
        in_order = by_position(descending(counts), shape.n_head)
        return self.of_step(Work.of(shape, in_order, batch)) / n_rows

    def of_step(self, work: Work) -> float:
        """Return the estimated microseconds of a step."""
        return sum(getattr(self, one.name) * getattr(work, one.name) for one in fields(self))


def descending(counts: ArrayLike) -> NDArray[np.float64]:
    """Return the probabilities of labels in descending order; labels without rows count as 0.1."""
    smoothed = np.maximum(np.asarray(counts, dtype=np.float64), 0.1)
    return np.sort(smoothed)[::-1] / smoothed.sum()


def by_position(probabilities: NDArray[np.float64], n_head: int) -> NDArray[np.float64]:
    """Return the probabilities of the labels in tree order, given those in descending order.

    Groups hold similar labels, so they are blind to frequency: their labels are shuffled.
    """
    shuffled = np.random.default_rng(SHUFFLED_BY).permutation(probabilities[n_head:])
    return np.concatenate([probabilities[:n_head], shuffled])


def _at_least_0(table: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least-squares solution without negative numbers, of all sets of columns.

    There are few columns, and a machine with a GPU need not have SciPy.
    """
    n = table.shape[1]
    best, error = np.zeros(n), float(wanted @ wanted)
    for chosen in itertools.product([False, True], repeat=n):
        columns = np.flatnonzero(chosen)
        found = np.linalg.lstsq(table[:, columns], wanted, rcond=None)[0]
        rest = wanted - table[:, columns] @ found
        if len(columns) and found.min() >= 0 and rest @ rest < error:
            best, error = np.zeros(n), float(rest @ rest)
            best[columns] = found
    return best


def _padded(width: int) -> int:
    return max(32, 1 << (width - 1).bit_length())

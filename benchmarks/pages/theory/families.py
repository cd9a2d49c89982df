"""Families of small label matrices, random and exhaustive."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from labeltree.data import LabelRows, as_labels

Generator = np.random.Generator
N_RANDOM = 500  # matrices of each random family
SIZES = range(3, 9)  # numbers of labels


def one_label(stream: Generator, m: int) -> list[list[int]]:
    """Return rows with one label each, whose counts follow a power law."""
    share = np.arange(1, m + 1) ** -stream.uniform(0, 2.5)
    return [[j] for j in stream.choice(m, 40, p=share / share.sum())]


def few_labels(stream: Generator, m: int) -> list[list[int]]:
    """Return rows with one to three labels each."""
    sizes = stream.integers(1, min(3, m) + 1, 20)
    return [stream.choice(m, size, replace=False).tolist() for size in sizes]


def half_of_labels(stream: Generator, m: int) -> list[list[int]]:
    """Return rows that have each label with probability one half."""
    return [np.flatnonzero(row).tolist() for row in stream.random((20, m)) < 0.5]


def topics(stream: Generator, m: int) -> list[list[int]]:
    """Return rows about one of two or three topics, which share few labels."""
    likely = stream.random((stream.integers(2, 4), m)) < 0.5
    share = np.where(likely, 0.8, 0.05)[stream.integers(0, len(likely), 20)]
    return [np.flatnonzero(row).tolist() for row in stream.random((20, m)) < share]


def nested(stream: Generator, m: int) -> list[list[int]]:
    """Return rows of Matryoshka labels, of which each has all rows of the previous one."""
    counts = np.sort(np.exp(stream.uniform(0, np.log(40), m)).astype(int))
    return [np.flatnonzero(counts > i).tolist() for i in range(int(counts[-1]))]


RANDOM: dict[str, Callable[[Generator, int], list[list[int]]]] = {
    "one label per row": one_label,
    "1 to 3 labels": few_labels,
    "half of the labels": half_of_labels,
    "topics": topics,
    "nested": nested,
}
ALL = "all, m = 4, n ≤ 4"


def all_matrices(m: int, max_rows: int) -> Iterator[LabelRows]:
    """Yield every label matrix, up to the order of its rows.

    Examples
    --------
    >>> sum(1 for _ in all_matrices(2, 2))
    14
    """
    sets = [s for size in range(m + 1) for s in itertools.combinations(range(m), size)]
    for n in range(1, max_rows + 1):
        for rows in itertools.combinations_with_replacement(sets, n):
            yield as_labels(list(rows), n_labels=m)


def matrices(family: str) -> Iterator[LabelRows]:
    """Yield the label matrices of a family; the same ones in every call."""
    if family == ALL:
        yield from all_matrices(4, 4)
        return
    stream = np.random.default_rng(0)
    for i in range(N_RANDOM):
        m = SIZES[i % len(SIZES)]
        yield as_labels(RANDOM[family](stream, m), n_labels=m)


#: Matrices on which some lower bound is tight, or none is.
NAMED: dict[str, tuple[list[list[int]], int]] = {
    "6 identical columns": ([list(range(6))] * 4, 6),
    "disjoint, counts 3 3 1 1 1": ([[0]] * 3 + [[1]] * 3 + [[2], [3], [4]], 5),
    "disjoint, counts 9 9 3 3 1 1 1": (
        [[j] for j, count in enumerate((9, 9, 3, 3, 1, 1, 1)) for _ in range(count)],
        7,
    ),
    "disjoint, 8 equal counts": ([[j] for j in range(8)], 8),
    "{0}, {1}, {2, 3, 4}": ([[0], [1], [2, 3, 4]], 5),
    "3 blocks of 4 identical columns": ([list(range(4 * b, 4 * b + 4)) for b in range(3)], 12),
    "nested, counts 5 6 7 8 9 10": (
        [[j for j in range(6) if i < 5 + j] for i in range(10)],
        6,
    ),
    "nested, counts 1 2 4 8 16 32 64": ([[j for j in range(7) if i < 2**j] for i in range(64)], 7),
    "pairs of neighbors on a ring of 8": ([[j, (j + 1) % 8] for j in range(8)], 8),
    "all pairs of 8 labels": ([list(pair) for pair in itertools.combinations(range(8), 2)], 8),
}

"""Small random trees, label rows and distributions, for property-based tests.

Trees are nested lists over the labels 0..m-1 and rows are sets of labels, as in tests/reference.
"""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st

Nested = Any  # int | list[Nested]


def nested_trees(
    min_labels: int = 1, max_labels: int = 8, min_degree: int = 2
) -> st.SearchStrategy[Nested]:
    """Trees whose inner nodes have at least min_degree children (1 allows unary nodes)."""
    return st.integers(min_labels, max_labels).flatmap(
        lambda m: st.permutations(range(m)).flatmap(lambda order: _over(order, min_degree))
    )


@st.composite
def _over(draw: st.DrawFn, labels: list[int], min_degree: int) -> Nested:
    if len(labels) == 1:
        unary = min_degree == 1 and draw(st.integers(0, 9)) == 0
        return [labels[0]] if unary else labels[0]
    cuts = draw(st.sets(st.integers(1, len(labels) - 1), min_size=1))
    edges = [0, *sorted(cuts), len(labels)]
    children = [
        draw(_over(labels[start:stop], min_degree)) for start, stop in itertools.pairwise(edges)
    ]
    unary = min_degree == 1 and draw(st.integers(0, 9)) == 0
    return [children] if unary else children


def row_lists(
    n_labels: int, min_rows: int = 1, max_rows: int = 8, max_size: int | None = None
) -> st.SearchStrategy[list[set[int]]]:
    """Label sets of some rows; max_size=1 makes them multi-class with unlabeled rows."""
    row = st.sets(st.integers(0, n_labels - 1), max_size=max_size)
    return st.lists(row, min_size=min_rows, max_size=max_rows)


@st.composite
def trees_with_rows(
    draw: st.DrawFn,
    min_labels: int = 1,
    max_labels: int = 8,
    max_rows: int = 8,
    max_size: int | None = None,
) -> tuple[Nested, list[set[int]]]:
    """A tree and label rows over the same labels."""
    tree = draw(nested_trees(min_labels, max_labels))
    n_labels = _n_leaves(tree)
    return tree, draw(row_lists(n_labels, max_rows=max_rows, max_size=max_size))


def distributions(n_outcomes: int) -> st.SearchStrategy[list[float]]:
    """Probabilities of outcomes, zero allowed, that sum to 1."""
    weights = st.lists(st.integers(0, 20), min_size=n_outcomes, max_size=n_outcomes)
    return weights.filter(any).map(lambda ws: [w / sum(ws) for w in ws])


@st.composite
def nested_counts(draw: st.DrawFn, min_labels: int = 1, max_labels: int = 6) -> list[int]:
    """Ascending positive counts of nested (Matryoshka) labels."""
    counts = st.lists(st.integers(1, 12), min_size=min_labels, max_size=max_labels)
    return sorted(draw(counts))


def nested_rows(counts: list[int]) -> list[set[int]]:
    """The rows of Matryoshka labels: row i has every label that occurs in more than i rows."""
    return [{j for j, count in enumerate(counts) if count > i} for i in range(max(counts))]


def _n_leaves(tree: Nested) -> int:
    return 1 if isinstance(tree, int) else sum(map(_n_leaves, tree))

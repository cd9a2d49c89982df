import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import cost, trees
from tests.reference import counts as reference


def nested_rows(counts: list[int]) -> list[set[int]]:
    """Row i has the labels that are in more than i rows."""
    return [{j for j, count in enumerate(counts) if count > i} for i in range(max(counts))]


def price(counts: list[int]) -> int:
    """The training cost of `nested`, minus one per row."""
    rows = nested_rows(counts)
    return cost.training_cost(trees.nested(counts), rows) - len(rows) if rows else 0


def test_cost_is_optimal_for_all_small_counts() -> None:
    for m in range(1, 6):
        for counts in itertools.combinations_with_replacement(range(6), m):
            assert price(list(counts)) == reference.lowest_nested_cost(counts)


@given(st.lists(st.integers(0, 60), min_size=6, max_size=6))
@settings(deadline=None, max_examples=100)
def test_cost_is_optimal_for_six_labels(counts: list[int]) -> None:
    assert price(counts) == reference.lowest_nested_cost(counts)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=60))
@settings(deadline=None, max_examples=100)
def test_cost_equals_that_of_the_quadratic_program(counts: list[int]) -> None:
    a = sorted(counts)
    best = {0: 0}  # cost of the first j labels; a single label is not a group
    for j in range(2, len(a) + 1):
        best[j] = min((best[i] + (j - i + 1) * a[j - 1] for i in best if i), default=j * a[j - 1])
        best[j] = min(best[j], j * a[j - 1])
    assert price(counts) == best.get(len(a), 0)


def test_equal_counts_make_a_star() -> None:
    assert trees.nested([4] * 6) == trees.star(6)


def test_doubling_counts_make_a_caterpillar_of_pairs() -> None:
    assert trees.nested([4**i for i in range(5)]).to_nested() == [4, [3, [2, [0, 1]]]]


def test_a_caterpillar_may_be_thousands_deep() -> None:
    counts = 1000 * np.arange(1, 1_000_001)
    assert trees.nested(counts).depth > 1000

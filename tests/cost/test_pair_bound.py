"""The lower bound that counts two labels of each row."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from labeltree import cost, trees
from labeltree.data import as_labels
from tests.reference import cost as reference
from tests.trees.test_merge import label_sets


@given(label_sets(max_labels=5, max_rows=8))
@settings(deadline=None, max_examples=300)
def test_no_tree_costs_less_than_the_bound(case: tuple[list[set[int]], int]) -> None:
    rows, m = case
    bound = cost.pair_lower_bound(as_labels(rows, n_labels=m), iterations=3)
    assert bound <= reference.cheapest_cost(rows, m)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_tree_of_ten_labels_costs_at_least_the_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_labels, n_rows = int(rng.integers(6, 11)), int(rng.integers(10, 60))
    share = rng.random(n_labels) ** int(rng.integers(1, 4))
    rows = [set(np.flatnonzero(rng.random(n_labels) < share).tolist()) for _ in range(n_rows)]
    labels = as_labels(rows, n_labels=n_labels)
    optimum = cost.training_cost(trees.exact(labels), labels)
    assert cost.pair_lower_bound(labels) <= optimum


@pytest.mark.parametrize("iterations", [0, 1, 20])
def test_more_iterations_do_not_lower_the_bound(iterations: int) -> None:
    rows = [[i, 9 + j] for i in range(9) for j in range(9)]
    found = cost.pair_lower_bound(rows, iterations=iterations)
    assert cost.pair_lower_bound(rows, iterations=iterations + 1) >= found


def independent_pairs(k: int) -> list[list[int]]:
    """Return a row for each pair of one of k labels with one of k others."""
    return [[i, k + j] for i in range(k) for j in range(k)]


def test_two_independent_labels_count_twice() -> None:
    rows = independent_pairs(81)
    single = cost.lower_bound(rows) / len(rows)
    assert cost.pair_lower_bound(rows) / len(rows) > 1.3 * single


def test_the_bound_grows_at_the_rate_of_the_cost_of_independent_pairs() -> None:
    # Two ternary trees cost 6 more per row if k is multiplied by 3, and the bound of single labels
    # grows by 3. The limit for large k is e·ln 9.
    bounds = [cost.pair_lower_bound(independent_pairs(k)) / k**2 for k in (27, 81)]
    assert bounds[1] - bounds[0] > 0.9 * math.e * math.log(9)


def test_a_single_label_costs_one_per_row() -> None:
    assert cost.pair_lower_bound(as_labels([[0], []], n_labels=1)) == 2


def test_rows_without_labels_cost_one() -> None:
    assert cost.pair_lower_bound(as_labels([[], []], n_labels=3)) == 2


def test_long_rows_use_their_rarest_labels() -> None:
    rows = [np.arange(100), *([[j] for j in range(60)])]
    assert cost.pair_lower_bound(rows) <= cost.training_cost(trees.cheapest(rows), rows)

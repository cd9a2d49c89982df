import numpy as np
import pytest
from hypothesis import given, settings

from labeltree import cost
from labeltree.data import as_labels
from tests.reference import cost as reference
from tests.trees.test_merge import label_sets


@given(label_sets(max_labels=5, max_rows=8))
@settings(deadline=None, max_examples=400)
def test_no_tree_costs_less_than_the_bound(case: tuple[list[set[int]], int]) -> None:
    rows, m = case
    assert cost.lower_bound(as_labels(rows, n_labels=m)) <= reference.cheapest_cost(rows, m)


def test_a_single_label_costs_one_per_row() -> None:
    assert cost.lower_bound(as_labels([[0], []], n_labels=1)) == 2


def test_rows_without_labels_cost_one() -> None:
    assert cost.lower_bound(as_labels([[], []], n_labels=3)) == 2


def test_the_bound_is_attained_by_three_to_the_k_equal_labels() -> None:
    rows = [[j] for j in range(27)]
    assert cost.lower_bound(rows) == 27 + 27 * 9


def test_rare_labels_of_a_row_receive_its_mass() -> None:
    # One label is in every row; the bound must use the other one, which distinguishes rows.
    rows = [[0, j] for j in range(1, 82)]
    assert cost.lower_bound(rows) >= 81 + 81 * 12 * 0.99


def test_the_bound_grows_with_the_labels_per_row() -> None:
    rows = [np.arange(50)] * 10
    assert cost.lower_bound(rows) == pytest.approx(10 + 500)

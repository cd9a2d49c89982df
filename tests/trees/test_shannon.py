import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labeltree import _core, cost, trees
from tests.reference import counts as reference


@given(st.lists(st.integers(0, 40) | st.integers(0, 10**6), min_size=1, max_size=40))
@settings(deadline=None, max_examples=300)
@example([9, 9, 9, 0])
@example([27, 0, 0])
def test_cost_per_row_is_at_most_three_above_the_entropy_bound(counts: list[int]) -> None:
    price = np.array(counts) @ cost.leaf_costs(trees.shannon(counts))
    bound = reference.entropy_bound(counts)
    assert bound - 1e-6 <= price <= bound + 3 * sum(counts)


@given(st.lists(st.integers(1, 40) | st.integers(1, 10**6), min_size=1, max_size=40))
@settings(deadline=None, max_examples=200)
def test_no_label_is_deeper_than_its_code_word(counts: list[int]) -> None:
    tree = trees.shannon(counts)
    depths = _core.node_depths(tree._native)[tree.leaves]
    words = [reference.shannon_depth(count, sum(counts)) for count in counts]
    assert (depths <= words).all()


@pytest.mark.parametrize("power", [1, 5, 20, 30])
def test_powers_of_three_are_coded_without_rounding(power: int) -> None:
    tree = trees.shannon([3 ** (power - 1)] * 3)
    assert tree.to_nested() == [0, 1, 2]


def test_full_code_has_no_short_node() -> None:
    assert trees.shannon([9, 9, 3, 3, 1, 1, 1]).to_nested() == [0, 1, [2, 3, [4, 5, 6]]]


def test_nodes_of_degree_one_are_contracted() -> None:
    assert trees.shannon([10, 1]).to_nested() == [0, 1]


def test_labels_without_rows_are_next_to_the_rarest_if_the_code_is_full() -> None:
    assert trees.shannon([3, 1, 1, 1, 3, 0, 0]).to_nested() == [0, 4, [1, 2, [3, [5, 6]]]]


def test_labels_without_rows_are_at_the_greatest_depth_if_there_is_room() -> None:
    assert trees.shannon([2, 2, 0]).to_nested() == [0, 1, 2]

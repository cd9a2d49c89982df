import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import cost, trees
from labeltree.data import as_labels
from tests.interrupting import interrupted
from tests.reference import cost as reference
from tests.reference.counts import lowest_cost

Case = tuple[list[set[int]], int]


def label_sets(max_labels: int, max_rows: int) -> st.SearchStrategy[Case]:
    return st.integers(1, max_labels).flatmap(
        lambda m: st.tuples(st.lists(st.sets(st.integers(0, m - 1)), max_size=max_rows), st.just(m))
    )


def exact_cost(case: Case) -> int:
    Y = as_labels(case[0], n_labels=case[1])
    return cost.training_cost(trees.exact(Y), Y)


@given(label_sets(5, 8))
@settings(deadline=None, max_examples=60)
def test_no_tree_is_cheaper(case: Case) -> None:
    assert exact_cost(case) == (reference.cheapest_cost(*case) if case[0] else 0)


@given(label_sets(7, 12))
@settings(deadline=None, max_examples=100)
def test_cost_equals_that_of_the_recursion_over_partitions(case: Case) -> None:
    rows, m = case
    best = lowest_cost(lambda part: sum(1 for row in rows if row & part), frozenset(range(m)))
    assert exact_cost(case) == len(rows) + best


def test_identical_labels_make_a_star() -> None:
    assert trees.exact([[0, 1, 2, 3, 4]] * 3) == trees.star(5)


def test_disjoint_labels_cost_the_same_as_multiclass() -> None:
    counts = [9, 7, 5, 5, 3, 2, 1, 1, 1]
    rows = [[j] for j, count in enumerate(counts) for _ in range(count)]
    best = cost.training_cost(trees.multiclass(counts), rows)
    assert cost.training_cost(trees.exact(rows), rows) == best


def test_nested_labels_cost_the_same_as_nested() -> None:
    counts = [40, 21, 20, 9, 8, 2, 1, 1]
    rows = [[j for j, count in enumerate(counts) if count > i] for i in range(40)]
    best = cost.training_cost(trees.nested(counts), rows)
    assert cost.training_cost(trees.exact(rows), rows) == best


def test_names_are_kept() -> None:
    assert trees.exact([["b"], ["a", "b"]]).names == ("a", "b")


def test_the_error_for_too_many_labels_names_limit_and_remedy() -> None:
    with pytest.raises(ValueError, match="at most 18 labels, but Y has 19; use cheapest"):
        trees.exact([range(19)])


def test_zero_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="a tree needs at least one label"):
        trees.exact(as_labels([[], []], n_labels=0))


def test_ctrl_c_ends_a_long_call() -> None:
    Y = as_labels(np.random.default_rng(0).integers(0, 2, (300, 18), dtype=np.uint8))
    with interrupted():
        trees.exact(Y)

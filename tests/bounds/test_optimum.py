"""Bounds on the training cost of the cheapest tree."""

import heapq
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeltree import LabelTree, bounds, cost
from tests.bounds.small_cases import Case, fast, few, labels
from tests.reference import bounds as reference
from tests.reference.cost import cheapest_cost, training_cost
from tests.reference.trees import all_trees, subtrees
from tests.strategies import (
    Nested,
    nested_counts,
    nested_rows,
    row_lists,
    trees_with_rows,
)


def small_problems(max_size: int | None = None) -> st.SearchStrategy[tuple[int, list[set[int]]]]:
    """A number of labels small enough to enumerate all trees, and label rows."""
    return st.integers(1, 5).flatmap(
        lambda m: st.tuples(st.just(m), row_lists(m, max_rows=6, max_size=max_size))
    )


def counts_of(rows: list[set[int]], n_labels: int) -> list[int]:
    return [sum(j in row for row in rows) for j in range(n_labels)]


@few
@given(small_problems())
def test_no_tree_costs_less_than_the_simple_bound(problem: tuple[int, list[set[int]]]) -> None:
    m, rows = problem
    assert bounds.simple_lower_bound(labels(rows, m)) <= cheapest_cost(rows, m)


def test_identical_full_columns_attain_the_simple_bound() -> None:
    rows = [set(range(5))] * 4
    assert bounds.simple_lower_bound(rows) == 4 + 5 * 4 == cheapest_cost(rows, 5)


def test_a_single_label_costs_less_than_the_printed_bound() -> None:
    rows = labels([{0}, {0}, set()], 1)
    assert bounds.simple_lower_bound(rows) == 3 == cheapest_cost([{0}, {0}, set()], 1)


@few
@given(small_problems())
def test_complete_ternary_trees_satisfy_their_ratio(problem: tuple[int, list[set[int]]]) -> None:
    m, rows = problem
    price = training_cost(complete_ternary(list(range(m))), rows)
    assert price <= bounds.ternary_upper_bound(labels(rows, m))
    assert price <= bounds.ternary_ratio(m) * cheapest_cost(rows, m)


def complete_ternary(order: list[int]) -> Nested:
    if len(order) == 1:
        return order[0]
    return [complete_ternary(part.tolist()) for part in np.array_split(order, 3) if len(part)]


def test_ternary_depth_is_exact_at_powers_of_three() -> None:
    for depth in range(1, 30):
        assert bounds.ternary_ratio(3**depth) == 3 * depth
        assert bounds.ternary_ratio(3**depth + 1) == 3 * (depth + 1)


def is_binary(nested: Nested) -> bool:
    return all(isinstance(v, int) or len(v) == 2 for v in subtrees(nested))


def binary_optimum(rows: list[set[int]], n_labels: int) -> int:
    trees = filter(is_binary, all_trees(range(n_labels)))
    return min(training_cost(tree, rows) for tree in trees)


@few
@given(small_problems())
def test_the_best_binary_tree_satisfies_its_ratio(problem: tuple[int, list[set[int]]]) -> None:
    m, rows = problem
    limit = bounds.binary_ratio(m) * cheapest_cost(rows, m)
    assert binary_optimum(rows, m) <= limit + 1e-9


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_identical_columns_attain_the_binary_ratio(m: int) -> None:
    rows = [set(range(m))] * 3
    ratio = binary_optimum(rows, m) / cheapest_cost(rows, m)
    assert ratio == pytest.approx(bounds.binary_ratio(m))


@fast
@given(trees_with_rows())
def test_merging_cost_determines_the_cost_of_binary_trees(case: Case) -> None:
    nested, rows = case
    tree = LabelTree.from_nested(binarized(nested))
    truth = labels(rows, tree.n_labels)
    merging = bounds.merging_cost(tree, truth)
    assert bounds.cost_of_merging(merging, truth) == cost.training_cost(tree, truth)


def binarized(nested: Nested) -> Nested:
    if isinstance(nested, int):
        return nested
    first, *rest = map(binarized, nested)
    for child in rest:
        first = [first, child]
    return first


@fast
@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=6))
def test_entropy_does_not_exceed_its_bound(p: list[float]) -> None:
    assert bounds.entropy(p) <= bounds.entropy_upper_bound(p) + 1e-9


@pytest.mark.parametrize("k", [1, 2])
def test_entropy_of_numbers_below_one_can_exceed_log_k(k: int) -> None:
    p = [1 / math.e] * k
    assert math.log2(k) < bounds.entropy(p) == pytest.approx(bounds.entropy_upper_bound(p))


@pytest.mark.parametrize("p", [[math.inf, -math.inf], [1e308, 1e308], [math.nan]])
def test_an_upper_bound_of_entropy_needs_a_finite_sum(p: list[float]) -> None:
    with pytest.raises(ValueError, match="the sum of p must be finite"):
        bounds.entropy_upper_bound(p)


@few
@given(small_problems(max_size=1))
def test_no_multiclass_tree_costs_less_than_the_entropy_bound(
    problem: tuple[int, list[set[int]]],
) -> None:
    m, rows = problem
    lower = bounds.entropy_lower_bound(counts_of(rows, m), len(rows))
    assert lower <= cheapest_cost(rows, m) + 1e-9


def test_three_equal_classes_attain_the_entropy_bound() -> None:
    rows = [{0}, {1}, {2}, set()]
    lower = bounds.entropy_lower_bound([1, 1, 1], 4)
    assert lower == pytest.approx(cheapest_cost(rows, 3))


def test_unlabeled_rows_violate_the_printed_entropy_bound() -> None:
    rows = [{0}, {1}, set(), set()]
    printed = 4 + 3 * 4 / math.log2(3) * bounds.entropy([1 / 4, 1 / 4])
    assert bounds.entropy_lower_bound([1, 1], 4) < cheapest_cost(rows, 2) < printed


def test_more_labels_than_rows_are_not_multiclass() -> None:
    with pytest.raises(ValueError, match="2 labels are in 1 rows"):
        bounds.entropy_lower_bound([1, 1], 1)


def ternary_huffman(counts: list[int]) -> Nested:
    """Return the tree whose first merge is short; labels without rows come first, at cost 0."""
    heap: list[tuple[int, int, Nested]] = [(c, j, j) for j, c in enumerate(counts)]
    heapq.heapify(heap)
    serial = itertools.count(len(counts))
    size = 2 if len(counts) % 2 == 0 else 3
    while len(heap) > 1:
        group = [heapq.heappop(heap) for _ in range(size)]
        heapq.heappush(heap, (sum(c for c, _, _ in group), next(serial), [t for *_, t in group]))
        size = 3
    return heap[0][2]


@few
@given(small_problems())
def test_huffman_trees_satisfy_their_bounds(problem: tuple[int, list[set[int]]]) -> None:
    m, rows = problem
    rows = [*rows, set(range(m))]  # every label has a row
    counts = counts_of(rows, m)
    price = training_cost(ternary_huffman(counts), rows)
    assert price <= bounds.huffman_upper_bound(counts, len(rows)) + 1e-9
    k = max(map(len, rows))
    limit = bounds.k_sparse_upper_bound(cheapest_cost(rows, m), len(rows), k)
    assert price <= limit


@few
@given(small_problems(max_size=1))
def test_the_huffman_bound_is_within_three_n_of_the_entropy_bound(
    problem: tuple[int, list[set[int]]],
) -> None:
    m, rows = problem
    counts, n = counts_of(rows, m), len(rows)
    gap = bounds.huffman_upper_bound(counts, n) - bounds.entropy_lower_bound(counts, n)
    assert gap <= 3 * n + 1e-9


@fast
@given(nested_counts(max_labels=12), st.integers(0, 5))
def test_nested_optimum_equals_its_recurrence(counts: list[int], n_unlabeled: int) -> None:
    n_rows = max(counts) + n_unlabeled
    expected = reference.nested_optimum(counts, n_rows)
    assert bounds.nested_optimum(counts[::-1], n_rows) == expected


@few
@given(nested_counts(max_labels=5))
def test_nested_optimum_is_the_cost_of_the_cheapest_tree(counts: list[int]) -> None:
    rows = nested_rows(counts)
    assert bounds.nested_optimum(counts, len(rows)) == cheapest_cost(rows, len(counts))


@few
@given(nested_counts(max_labels=5))
def test_some_cheapest_tree_of_nested_labels_has_the_nested_form(counts: list[int]) -> None:
    assert any(bounds.is_nested_form(tree, counts) for tree in cheapest(nested_rows(counts)))


@few
@given(nested_counts(max_labels=5))
def test_some_cheapest_multiclass_tree_has_the_multiclass_form(counts: list[int]) -> None:
    rows = [{j} for j, count in enumerate(counts) for _ in range(count)]
    assert any(bounds.is_multiclass_form(tree, counts) for tree in cheapest(rows))


def cheapest(rows: list[set[int]]) -> list[LabelTree]:
    n_labels = len(set().union(*rows))
    trees = list(all_trees(range(n_labels)))
    prices = [training_cost(tree, rows) for tree in trees]
    best = min(prices)
    return [LabelTree.from_nested(t) for t, c in zip(trees, prices, strict=True) if c == best]


def test_multiclass_forms_order_leaves_by_the_degrees_above_not_by_depth() -> None:
    # Label 0 is at depth 2 with D = 2 + 2, labels 2..4 are at depth 2 with D = 2 + 3.
    tree = LabelTree.from_nested([[0, 1], [2, 3, 4]])
    assert bounds.is_multiclass_form(tree, [2, 2, 1, 1, 1])
    assert not bounds.is_multiclass_form(tree, [1, 2, 1, 1, 2])


def test_trees_with_wide_nodes_or_two_inner_children_do_not_have_the_forms() -> None:
    assert not bounds.is_multiclass_form(LabelTree.from_nested([0, 1, 2, 3]), [1, 1, 1, 1])
    assert not bounds.is_nested_form(LabelTree.from_nested([[0, 1], [2, 3]]), [1, 1, 1, 1])


def test_integers_of_numpy_do_not_overflow() -> None:
    assert bounds.nested_optimum([100, 100, 100], np.int8(100)) == bounds.nested_optimum(
        [100, 100, 100], 100
    )

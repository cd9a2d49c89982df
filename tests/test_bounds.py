"""Training cost: bounds of a given tree, and of the cheapest."""

import heapq
import itertools
import math

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import (
    Nested,
    distributions,
    nested_counts,
    nested_rows,
    nested_trees,
    row_lists,
    trees_with_rows,
)

from labeltree import LabelTree, bounds, cost
from labeltree.data import LabelRows, as_labels

fast = settings(max_examples=40, deadline=None)
few = settings(max_examples=25, deadline=None)  # those that enumerate all trees

Case = tuple[Nested, list[set[int]]]
PERFECT = LabelTree.from_nested([[0, 1, 2], [3, 4, 5], [6, 7, 8]])


def labels(rows: list[set[int]], n_labels: int) -> LabelRows:
    return as_labels(rows, n_labels=n_labels)


def small_problems(max_size: int | None = None) -> st.SearchStrategy[tuple[int, list[set[int]]]]:
    """Numbers of labels that can be enumerated, with rows."""
    return st.integers(1, 5).flatmap(
        lambda m: st.tuples(st.just(m), row_lists(m, max_rows=6, max_size=max_size))
    )


def counts_of(rows: list[set[int]], n_labels: int) -> list[int]:
    return [sum(j in row for row in rows) for j in range(n_labels)]


# A given tree -----------------------------------------------------------------------------------


@fast
@given(trees_with_rows())
def test_no_row_costs_more_than_its_bound(case: Case) -> None:
    nested, rows = case
    tree = LabelTree.from_nested(nested)
    limits = [bounds.row_cost_upper_bound(tree, len(row)) for row in rows]
    assert (cost.row_costs(tree, rows) <= limits).all()
    assert sum(limits) == bounds.training_cost_upper_bound(tree, rows)


def test_one_label_in_a_perfect_tree_costs_its_bound() -> None:
    assert cost.row_costs(PERFECT, [[4]]).tolist() == [bounds.row_cost_upper_bound(PERFECT, 1)]


def test_a_row_of_a_single_label_tree_costs_its_bound() -> None:
    assert bounds.row_cost_upper_bound(LabelTree.from_nested(0), 1) == 1


@fast
@given(trees_with_rows(), st.data())
def test_expected_cost_is_below_its_bound_and_a_sum_over_nodes(
    case: Case, data: st.DataObject
) -> None:
    nested, sets = case
    p = data.draw(distributions(len(sets)))
    tree = LabelTree.from_nested(nested)
    expected = cost.expected_cost(tree, sets, p)
    marginals = [reference.node_probability(j, sets, p) for j in range(tree.n_labels)]
    assert expected <= bounds.expected_cost_upper_bound(tree, marginals) + 1e-9
    assert bounds.cost_of_probabilities(tree, eta_of(tree, sets, p)) == pytest.approx(expected)


def eta_of(tree: LabelTree, sets: list[set[int]], p: list[float]) -> np.ndarray:
    """P(z_v = 1) of each node."""
    positive = [set(cost.assign(tree, labels_)[0].tolist()) for labels_ in sets]
    return np.array(
        [
            sum(q for nodes, q in zip(positive, p, strict=True) if v in nodes)
            for v in range(tree.n_nodes)
        ]
    )


@few
@given(nested_trees(max_labels=4), st.data())
def test_costs_of_independent_labels_concentrate(nested: Nested, data: st.DataObject) -> None:
    tree = LabelTree.from_nested(nested)
    m = tree.n_labels
    chance = data.draw(st.lists(st.sampled_from([0.1, 0.5, 0.8]), min_size=m, max_size=m))
    sets = [set(np.flatnonzero(bits).tolist()) for bits in itertools.product([0, 1], repeat=m)]
    p = [math.prod(chance[j] if j in s else 1 - chance[j] for j in range(m)) for s in sets]
    costs, mean = cost.row_costs(tree, sets), cost.expected_cost(tree, sets, p)
    pairs = (costs[:, None] + costs) / 2
    for deviation in (0.5, 1.0, 2.0, 4.0):
        beyond = np.dot(p, np.abs(costs - mean) > deviation)
        assert beyond <= bounds.concentration(tree, deviation) + 1e-12
        beyond = p @ (np.abs(pairs - mean) > deviation) @ p
        assert beyond <= bounds.concentration(tree, deviation, n_rows=2) + 1e-12


def test_equal_labels_break_concentration_and_satisfy_the_form_without_independence() -> None:
    tree = balanced_binary(1024)
    # One fair coin for all labels: the cost is 1 or 2047, always 1023 from its mean 1024.
    assert bounds.concentration(tree, 1022.0) < 0.02
    assert bounds.concentration(tree, 1022.0, independent_labels=False) == 1.0


def balanced_binary(n_labels: int) -> LabelTree:
    parent = [-1] + [(v - 1) // 2 for v in range(1, 2 * n_labels - 1)]
    return LabelTree.from_parents(parent, [-1] * (n_labels - 1) + list(range(n_labels)))


def test_the_cost_of_a_single_label_never_strays() -> None:
    assert bounds.concentration(LabelTree.from_nested(0), 0.0) == 0.0


# Intervals of nodes -----------------------------------------------------------------------------


@fast
@given(trees_with_rows(), st.data())
def test_node_probabilities_and_weights_lie_in_their_intervals(
    case: Case, data: st.DataObject
) -> None:
    nested, rows = case
    tree = LabelTree.from_nested(nested)
    p = data.draw(distributions(len(rows)))
    assert bounds.within_intervals(tree, eta_of(tree, rows, p)).all()
    assert bounds.within_intervals(tree, cost.node_weights(tree, rows), total=len(rows)).all()


@fast
@given(nested_trees(), st.data())
def test_whole_trees_are_checked_node_by_node(nested: Nested, data: st.DataObject) -> None:
    tree = LabelTree.from_nested(nested)
    eta = data.draw(node_values(tree))
    expected = []
    for v in range(tree.n_nodes):
        children = [eta[u] for u in tree.children(v)]
        low, high = bounds.node_interval(children) if children else (0.0, 1.0)
        expected.append(low <= eta[v] <= high)
    assert bounds.within_intervals(tree, eta).tolist() == expected


def node_values(tree: LabelTree) -> st.SearchStrategy[list[float]]:
    eighths = st.integers(0, 8).map(lambda x: x / 8)
    return st.lists(eighths, min_size=tree.n_nodes, max_size=tree.n_nodes)


@fast
@given(trees_with_rows())
def test_weights_are_at_the_ends_of_their_intervals_under_the_two_conditions(case: Case) -> None:
    nested, rows = case
    tree = LabelTree.from_nested(nested)
    weights = cost.node_weights(tree, rows)
    truth = labels(rows, tree.n_labels)
    for v in np.flatnonzero(tree.degree):
        under = [j for j in range(tree.n_labels) if v in cost.assign(tree, [j])[0]]
        low, high = bounds.node_interval(weights[list(tree.children(v))], total=len(rows))
        if bounds.is_label_covering(truth, under):
            assert weights[v] == low
        if bounds.is_multiclass(truth, under):
            assert weights[v] == high


def test_one_covering_label_for_each_row_is_not_enough() -> None:
    rows = [{0}, {1}]  # each row has a label that covers it, as the print asks
    tree = LabelTree.from_nested([0, 1])
    assert not bounds.is_label_covering(rows)
    assert cost.node_weights(tree, rows).tolist() == [2, 1, 1]


def test_rows_without_labels_of_a_node_are_multiclass_too() -> None:
    rows = labels([{0}, {1}, set()], 2)
    assert bounds.is_multiclass(rows)
    assert cost.node_weights(LabelTree.from_nested([0, 1]), rows).tolist() == [2, 1, 1]


# The cheapest tree ------------------------------------------------------------------------------


@few
@given(small_problems())
def test_no_tree_undercuts_the_simple_bound(problem: tuple[int, list[set[int]]]) -> None:
    m, rows = problem
    assert bounds.simple_lower_bound(labels(rows, m)) <= reference.cheapest_cost(rows, m)


def test_identical_full_columns_attain_the_simple_bound() -> None:
    rows = [set(range(5))] * 4
    assert bounds.simple_lower_bound(rows) == 4 + 5 * 4 == reference.cheapest_cost(rows, 5)


def test_a_single_label_costs_n_below_the_printed_bound() -> None:
    rows = labels([{0}, {0}, set()], 1)
    assert bounds.simple_lower_bound(rows) == 3 == reference.cheapest_cost([{0}, {0}, set()], 1)


@few
@given(small_problems())
def test_complete_ternary_trees_keep_their_ratio(problem: tuple[int, list[set[int]]]) -> None:
    m, rows = problem
    price = reference.training_cost(complete_ternary(list(range(m))), rows)
    assert price <= bounds.ternary_upper_bound(labels(rows, m))
    assert price <= bounds.ternary_ratio(m) * reference.cheapest_cost(rows, m)


def complete_ternary(order: list[int]) -> Nested:
    if len(order) == 1:
        return order[0]
    return [complete_ternary(part.tolist()) for part in np.array_split(order, 3) if len(part)]


def test_ternary_depth_is_exact_at_powers_of_three() -> None:
    for depth in range(1, 30):
        assert bounds.ternary_ratio(3**depth) == 3 * depth
        assert bounds.ternary_ratio(3**depth + 1) == 3 * (depth + 1)


def is_binary(nested: Nested) -> bool:
    return all(isinstance(v, int) or len(v) == 2 for v in reference.subtrees(nested))


def binary_optimum(rows: list[set[int]], n_labels: int) -> int:
    trees = filter(is_binary, reference.all_trees(range(n_labels)))
    return min(reference.training_cost(tree, rows) for tree in trees)


@few
@given(small_problems())
def test_the_best_binary_tree_keeps_its_ratio(problem: tuple[int, list[set[int]]]) -> None:
    m, rows = problem
    limit = bounds.binary_ratio(m) * reference.cheapest_cost(rows, m)
    assert binary_optimum(rows, m) <= limit + 1e-9


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_identical_columns_attain_the_binary_ratio(m: int) -> None:
    rows = [set(range(m))] * 3
    ratio = binary_optimum(rows, m) / reference.cheapest_cost(rows, m)
    assert ratio == pytest.approx(bounds.binary_ratio(m))


@fast
@given(trees_with_rows())
def test_merging_cost_gives_the_cost_of_binary_trees(case: Case) -> None:
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
def test_entropy_is_below_its_bound(p: list[float]) -> None:
    assert bounds.entropy(p) <= bounds.entropy_upper_bound(p) + 1e-9


@pytest.mark.parametrize("k", [1, 2])
def test_entropy_of_numbers_below_one_can_exceed_log_k(k: int) -> None:
    p = [1 / math.e] * k
    assert math.log2(k) < bounds.entropy(p) == pytest.approx(bounds.entropy_upper_bound(p))


@few
@given(small_problems(max_size=1))
def test_no_multiclass_tree_undercuts_the_entropy_bound(
    problem: tuple[int, list[set[int]]],
) -> None:
    m, rows = problem
    lower = bounds.entropy_lower_bound(counts_of(rows, m), len(rows))
    assert lower <= reference.cheapest_cost(rows, m) + 1e-9


def test_three_equal_classes_attain_the_entropy_bound() -> None:
    rows = [{0}, {1}, {2}, set()]
    lower = bounds.entropy_lower_bound([1, 1, 1], 4)
    assert lower == pytest.approx(reference.cheapest_cost(rows, 3))


def test_unlabelled_rows_break_the_printed_entropy_bound() -> None:
    rows = [{0}, {1}, set(), set()]
    printed = 4 + 3 * 4 / math.log2(3) * bounds.entropy([1 / 4, 1 / 4])
    assert bounds.entropy_lower_bound([1, 1], 4) < reference.cheapest_cost(rows, 2) < printed


def test_more_labels_than_rows_are_not_multiclass() -> None:
    with pytest.raises(ValueError, match="2 labels stand in 1 rows"):
        bounds.entropy_lower_bound([1, 1], 1)


def ternary_huffman(counts: list[int]) -> Nested:
    """Short merge first; labels without rows are merged before, at cost 0."""
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
def test_huffman_trees_keep_their_bounds(problem: tuple[int, list[set[int]]]) -> None:
    m, rows = problem
    rows = [*rows, set(range(m))]  # every label has a row
    counts = counts_of(rows, m)
    price = reference.training_cost(ternary_huffman(counts), rows)
    assert price <= bounds.huffman_upper_bound(counts, len(rows)) + 1e-9
    k = max(map(len, rows))
    limit = bounds.k_sparse_upper_bound(reference.cheapest_cost(rows, m), len(rows), k)
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
def test_nested_optimum_is_its_recurrence(counts: list[int], n_unlabelled: int) -> None:
    n_rows = max(counts) + n_unlabelled
    expected = reference.nested_optimum(counts, n_rows)
    assert bounds.nested_optimum(counts[::-1], n_rows) == expected


@few
@given(nested_counts(max_labels=5))
def test_nested_optimum_is_the_cost_of_the_cheapest_tree(counts: list[int]) -> None:
    rows = nested_rows(counts)
    assert bounds.nested_optimum(counts, len(rows)) == reference.cheapest_cost(rows, len(counts))


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
    trees = list(reference.all_trees(range(n_labels)))
    prices = [reference.training_cost(tree, rows) for tree in trees]
    best = min(prices)
    return [LabelTree.from_nested(t) for t, c in zip(trees, prices, strict=True) if c == best]


def test_multiclass_forms_order_leaves_by_degrees_above_not_by_depth() -> None:
    # Label 0 lies at depth 2 with D = 2 + 2, labels 2..4 at depth 2 with D = 2 + 3.
    tree = LabelTree.from_nested([[0, 1], [2, 3, 4]])
    assert bounds.is_multiclass_form(tree, [2, 2, 1, 1, 1])
    assert not bounds.is_multiclass_form(tree, [1, 2, 1, 1, 2])


def test_wide_nodes_and_two_inner_children_are_not_of_the_forms() -> None:
    assert not bounds.is_multiclass_form(LabelTree.from_nested([0, 1, 2, 3]), [1, 1, 1, 1])
    assert not bounds.is_nested_form(LabelTree.from_nested([[0, 1], [2, 3]]), [1, 1, 1, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.row_cost_upper_bound(PERFECT, -1), "n_true is at least 0, but is -1"),
        (lambda: bounds.concentration(PERFECT, -1.0), "deviation is at least 0"),
        (lambda: bounds.concentration(PERFECT, 1.0, n_rows=0), "n_rows must be at least 1"),
        (lambda: bounds.node_interval([]), "children is a list of numbers"),
        (lambda: bounds.node_interval([1.5]), "values of children are 0..1"),
        (lambda: bounds.within_intervals(PERFECT, [1.0]), "each of the 13 nodes"),
        (lambda: bounds.expected_cost_upper_bound(PERFECT, [1.0]), "there are 9 labels"),
        (lambda: bounds.expected_cost_upper_bound(PERFECT, [2.0] * 9), "holds probabilities 0..1"),
        (lambda: bounds.is_multiclass([[0]], [1]), "labels are 0..0"),
        (lambda: bounds.ternary_ratio(0), "n_labels must be at least 1, but is 0"),
        (lambda: bounds.nested_optimum([3], 2), "at most n_rows = 2 rows, but one has 3"),
        (lambda: bounds.nested_optimum([-1], 2), "counts holds one integer of at least 0"),
        (lambda: bounds.is_nested_form(PERFECT, [1]), "has 9 labels, but there are 1 counts"),
        (lambda: bounds.k_sparse_upper_bound(1, 1, 0), "k must be at least 1, but is 0"),
        (lambda: bounds.entropy([-0.5]), "entropy needs numbers of at least 0"),
    ],
)
def test_senseless_questions_are_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

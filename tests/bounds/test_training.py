"""Bounds on the training cost of a given tree."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeltree import LabelTree, bounds, cost
from tests.bounds.small_cases import Case, fast, few, labels
from tests.reference import bounds as reference
from tests.strategies import (
    Nested,
    distributions,
    nested_trees,
    trees_with_rows,
)

PERFECT = LabelTree.from_nested([[0, 1, 2], [3, 4, 5], [6, 7, 8]])

# A given tree -----------------------------------------------------------------------------------


@fast
@given(trees_with_rows())
def test_no_row_costs_more_than_its_bound(case: Case) -> None:
    nested, rows = case
    tree = LabelTree.from_nested(nested)
    limits = [bounds.row_cost_upper_bound(tree, len(row)) for row in rows]
    assert (cost.row_costs(tree, rows) <= limits).all()
    assert sum(limits) == bounds.training_cost_upper_bound(tree, rows)


def test_one_label_in_a_perfect_tree_attains_the_bound() -> None:
    assert cost.row_costs(PERFECT, [[4]]).tolist() == [bounds.row_cost_upper_bound(PERFECT, 1)]


def test_the_bound_of_a_single_label_tree_is_one() -> None:
    assert bounds.row_cost_upper_bound(LabelTree.from_nested(0), 1) == 1


@fast
@given(trees_with_rows(), st.data())
def test_expected_cost_does_not_exceed_its_bound_and_is_a_sum_over_nodes(
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


def test_equal_labels_violate_concentration_but_satisfy_the_form_without_independence() -> None:
    tree = balanced_binary(1024)
    # One fair coin for all labels: the cost is 1 or 2047, always 1023 away from its mean 1024.
    assert bounds.concentration(tree, 1022.0) < 0.02
    assert bounds.concentration(tree, 1022.0, independent_labels=False) == 1.0


def balanced_binary(n_labels: int) -> LabelTree:
    parent = [-1] + [(v - 1) // 2 for v in range(1, 2 * n_labels - 1)]
    return LabelTree.from_parents(parent, [-1] * (n_labels - 1) + list(range(n_labels)))


def test_the_cost_of_a_single_label_never_deviates() -> None:
    assert bounds.concentration(LabelTree.from_nested(0), 0.0) == 0.0


# Intervals of node values -----------------------------------------------------------------------


@fast
@given(trees_with_rows(), st.data())
def test_node_probabilities_and_weights_are_in_their_intervals(
    case: Case, data: st.DataObject
) -> None:
    nested, rows = case
    tree = LabelTree.from_nested(nested)
    p = data.draw(distributions(len(rows)))
    assert bounds.within_intervals(tree, eta_of(tree, rows, p)).all()
    assert bounds.within_intervals(tree, cost.node_weights(tree, rows), total=len(rows)).all()


@fast
@given(nested_trees(), st.data())
def test_within_intervals_checks_every_node(nested: Nested, data: st.DataObject) -> None:
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


def test_one_covering_label_for_each_row_is_not_sufficient() -> None:
    rows = [{0}, {1}]  # each row has a label that covers it, which is the printed condition
    tree = LabelTree.from_nested([0, 1])
    assert not bounds.is_label_covering(rows)
    assert cost.node_weights(tree, rows).tolist() == [2, 1, 1]


def test_rows_without_labels_of_a_node_are_multiclass_too() -> None:
    rows = labels([{0}, {1}, set()], 2)
    assert bounds.is_multiclass(rows)
    assert cost.node_weights(LabelTree.from_nested([0, 1]), rows).tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.row_cost_upper_bound(PERFECT, -1), "n_true must be at least 0, but is -1"),
        (lambda: bounds.concentration(PERFECT, -1.0), "deviation must be at least 0"),
        (lambda: bounds.concentration(PERFECT, 1.0, n_rows=0), "n_rows must be at least 1"),
        (lambda: bounds.node_interval([]), "children must be a list of numbers"),
        (lambda: bounds.node_interval([1.5]), "values of children must be in 0..1"),
        (lambda: bounds.within_intervals(PERFECT, [1.0]), "each of the 13 nodes"),
        (lambda: bounds.expected_cost_upper_bound(PERFECT, [1.0]), "there are 9 labels"),
        (
            lambda: bounds.expected_cost_upper_bound(PERFECT, [2.0] * 9),
            "must hold probabilities in 0..1",
        ),
        (lambda: bounds.is_multiclass([[0]], [1]), "labels must be in 0..0"),
        (lambda: bounds.ternary_ratio(0), "n_labels must be at least 1, but is 0"),
        (lambda: bounds.nested_optimum([3], 2), "at most n_rows = 2 rows, but one has 3"),
        (lambda: bounds.nested_optimum([-1], 2), "counts must hold one nonnegative integer"),
        (lambda: bounds.is_nested_form(PERFECT, [1]), "has 9 labels, but there are 1 counts"),
        (lambda: bounds.k_sparse_upper_bound(1, 1, 0), "k must be at least 1, but is 0"),
        (lambda: bounds.entropy([-0.5]), "entropy needs nonnegative numbers"),
    ],
)
def test_invalid_arguments_are_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

"""Bounds on prediction cost and errors of estimates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import LabelTree, bounds, cost
from tests.reference import search as reference
from tests.strategies import Nested, nested_trees

fast = settings(max_examples=50, deadline=None)
thresholds = st.integers(1, 10).map(lambda x: x / 10)
NEST = LabelTree.from_nested([[0, 1], 2])


def node_values(tree: LabelTree) -> st.SearchStrategy[list[float]]:
    tenths = st.integers(0, 10).map(lambda x: x / 10)
    return st.lists(tenths, min_size=tree.n_nodes, max_size=tree.n_nodes)


@st.composite
def estimated_trees(draw: st.DrawFn) -> tuple[LabelTree, np.ndarray, np.ndarray]:
    """A tree with conditional probabilities and estimates of them, three rows each."""
    tree = LabelTree.from_nested(draw(nested_trees()))
    rows = np.array([[draw(node_values(tree)) for _ in range(3)] for _ in range(2)])
    return tree, rows[0], rows[1]


Estimated = tuple[LabelTree, np.ndarray, np.ndarray]


@fast
@given(estimated_trees())
def test_errors_of_estimates_do_not_exceed_the_regret(case: Estimated) -> None:
    tree, true, guess = case
    errors = np.abs(bounds.path_products(tree, true) - bounds.path_products(tree, guess))
    assert (errors <= bounds.estimation_regret(tree, true, guess) + 1e-9).all()


@fast
@given(estimated_trees())
def test_regret_sums_the_weighted_errors_of_the_path(case: Estimated) -> None:
    tree, true, guess = case
    eta = bounds.path_products(tree, true[0])
    regret = bounds.estimation_regret(tree, true[0], guess[0])
    for v in range(tree.n_nodes):
        expected, u = 0.0, v
        while u >= 0:
            above = 1.0 if tree.parent[u] < 0 else eta[tree.parent[u]]
            expected += above * abs(true[0][u] - guess[0][u])
            u = tree.parent[u]
        assert regret[v] == pytest.approx(expected)


def test_an_error_at_the_root_alone_attains_the_regret() -> None:
    true, guess = [0.25, 1, 1, 1, 1], [0.75, 1, 1, 1, 1]
    assert bounds.estimation_regret(NEST, true, guess).tolist() == [0.5] * 5


@fast
@given(estimated_trees(), thresholds)
def test_prediction_cost_counts_the_classifiers_that_algorithm_2_evaluates(
    case: Estimated, tau: float
) -> None:
    tree, _, guess = case
    calls = [reference.calls_of_query(tree.parent.tolist(), row, tau) for row in guess.tolist()]
    estimates = bounds.path_products(tree, guess)
    assert bounds.prediction_cost(tree, estimates, tau).tolist() == calls


def test_threshold_zero_evaluates_every_node() -> None:
    assert bounds.prediction_cost(NEST, [0.0] * 5, 0.0) == NEST.n_nodes


@fast
@given(nested_trees(), st.data())
def test_normalized_estimates_follow_the_two_steps_of_the_paper(
    nested: Nested, data: st.DataObject
) -> None:
    tree = LabelTree.from_nested(nested)
    estimates = data.draw(node_values(tree))
    normalized = bounds.normalize_estimates(tree, estimates)
    assert normalized == pytest.approx(reference.normalize(tree.parent.tolist(), estimates))
    assert bounds.within_intervals(tree, normalized).all()


@fast
@given(nested_trees(), st.data())
def test_normalizing_twice_changes_nothing(nested: Nested, data: st.DataObject) -> None:
    tree = LabelTree.from_nested(nested)
    once = bounds.normalize_estimates(tree, data.draw(node_values(tree)))
    assert bounds.normalize_estimates(tree, once) == pytest.approx(once)


@fast
@given(estimated_trees(), thresholds)
def test_normalized_products_equal_algorithm_2_with_normalization(
    case: Estimated, tau: float
) -> None:
    tree, _, guess = case
    products = bounds.normalized_products(tree, guess)
    for row, eta in zip(guess.tolist(), products, strict=True):
        expected, _ = reference.normalized_query(tree.parent.tolist(), row, 0.0)
        assert eta.tolist() == pytest.approx([expected[v] for v in range(tree.n_nodes)])
        assert bounds.within_intervals(tree, eta).all()
        if (abs(eta - tau) > 1e-9).all():
            _, calls = reference.normalized_query(tree.parent.tolist(), row, tau)
            assert bounds.prediction_cost(tree, eta, tau) == calls


@fast
@given(estimated_trees(), thresholds)
def test_queries_satisfy_theorem_6_with_normalization_at_each_node(
    case: Estimated, tau: float
) -> None:
    tree, _, guess = case
    normalized = bounds.normalized_products(tree, guess)
    limit = bounds.threshold_cost_bound(tree, normalized[:, tree.leaves], tau)
    assert (bounds.prediction_cost(tree, normalized, tau) <= limit).all()
    assert (bounds.prediction_cost(tree, bounds.path_products(tree, guess), tau) <= limit).all()


def test_siblings_that_are_all_zero_share_evenly() -> None:
    star = LabelTree.from_nested([0, 1, 2, 3])
    products = bounds.normalized_products(star, [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]])
    assert products.tolist() == [[1, 0.25, 0.25, 0.25, 0.25], [1, 1, 0, 0, 0]]


def test_children_that_are_all_zero_share_evenly() -> None:
    tree = LabelTree.from_nested([0, 1, 2])
    normalized = bounds.normalize_estimates(tree, [0.75, 0.0, 0.0, 0.0])
    assert normalized.tolist() == [0.75, 0.25, 0.25, 0.25]


@fast
@given(nested_trees(), st.data(), thresholds)
def test_queries_with_normalized_estimates_satisfy_theorem_6(
    nested: Nested, data: st.DataObject, tau: float
) -> None:
    tree = LabelTree.from_nested(nested)
    eta = bounds.normalize_estimates(tree, data.draw(node_values(tree)))
    limit = bounds.threshold_cost_bound(tree, eta[tree.leaves], tau)
    assert bounds.prediction_cost(tree, eta, tau) <= limit


def test_one_certain_label_attains_theorem_6() -> None:
    tree = LabelTree.from_nested([[0, 1], [2, 3]])
    eta = np.zeros(7)
    eta[cost.assign(tree, [2])[0]] = 1.0
    limit = bounds.threshold_cost_bound(tree, eta[tree.leaves], 1.0)
    assert bounds.prediction_cost(tree, eta, 1.0) == limit == 5


def test_theorem_6_fails_without_normalization() -> None:
    eta = [1.0, 1.0, 0.0, 0.0, 0.0]  # the leaves have no mass, but their parents do
    assert bounds.threshold_cost_bound(NEST, [0.0, 0.0, 0.0], 0.5) == 1
    assert bounds.prediction_cost(NEST, eta, 0.5) == 5


def test_rounding_does_not_lower_the_threshold_bound() -> None:
    star = LabelTree.from_nested([0, 1, 2])
    assert 0.3 // 0.1 == 2
    assert bounds.threshold_cost_bound(star, [0.3, 0.0, 0.0], 0.1) == 1 + 3 * 3


def test_a_query_of_a_single_label_tree_evaluates_one_classifier() -> None:
    assert bounds.threshold_cost_bound(LabelTree.from_nested(0), [1.0], 0.1) == 1


@fast
@given(estimated_trees())
def test_the_sum_of_label_estimates_does_not_exceed_its_bound(case: Estimated) -> None:
    tree, true, guess = case
    mass = bounds.path_products(tree, true)[:, tree.leaves].sum(axis=1)
    found = bounds.path_products(tree, guess)[:, tree.leaves].sum(axis=1)
    errors = bounds.weighted_errors(tree, true, guess)
    limits = [bounds.estimated_mass_bound(tree, *row) for row in zip(mass, errors, strict=True)]
    assert (found <= np.array(limits) + 1e-9).all()


@fast
@given(estimated_trees(), thresholds)
def test_expected_prediction_cost_does_not_exceed_its_bound(case: Estimated, tau: float) -> None:
    tree, true, guess = case  # three equally likely x
    calls = bounds.prediction_cost(tree, bounds.path_products(tree, guess), tau).mean()
    price = bounds.cost_of_probabilities(tree, bounds.path_products(tree, true)).mean()
    errors = bounds.weighted_errors(tree, true, guess).mean(axis=0)
    assert calls <= bounds.expected_prediction_cost_bound(tree, price, tau, errors) + 1e-9


@fast
@given(estimated_trees(), thresholds)
def test_exact_estimates_satisfy_the_corollary(case: Estimated, tau: float) -> None:
    tree, true, _ = case
    eta = bounds.path_products(tree, true)
    price = float(bounds.cost_of_probabilities(tree, eta).mean())
    limit = bounds.exact_prediction_cost_bound(price, tau)
    assert bounds.prediction_cost(tree, eta, tau).mean() <= limit + 1e-9
    no_errors = np.zeros(tree.n_nodes)
    assert bounds.expected_prediction_cost_bound(tree, price, tau, no_errors) == limit


def test_wrong_estimates_violate_the_printed_bound_and_attain_the_corrected_one() -> None:
    tree = LabelTree.from_nested([list(range(100)), list(range(100, 200))])
    true, guess = np.ones(203), np.ones(203)
    true[0] = 0.0
    errors = bounds.weighted_errors(tree, true, guess)
    price = float(bounds.cost_of_probabilities(tree, bounds.path_products(tree, true)))
    inner_below = np.where(tree.degree > 0, 1, 0)
    inner_below[0] = 3
    printed = price + errors @ (inner_below * tree.degree)
    assert printed == 7
    assert bounds.prediction_cost(tree, guess, 1.0) == 203
    assert bounds.expected_prediction_cost_bound(tree, price, 1.0, errors) == 203


def test_a_root_at_the_threshold_attains_the_corollary() -> None:
    eta = bounds.path_products(NEST, [0.25, 1, 1, 1, 1])
    price = float(bounds.cost_of_probabilities(NEST, eta))
    assert price == 1 + 0.25 * (NEST.n_nodes - 1)
    limit = bounds.exact_prediction_cost_bound(price, 0.25)
    assert bounds.prediction_cost(NEST, eta, 0.25) == limit == NEST.n_nodes


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.threshold_cost_bound(NEST, [0.0] * 3, 0.0), "threshold must be above 0"),
        (lambda: bounds.threshold_cost_bound(NEST, [0.0] * 5, 0.5), "each of the 3 labels"),
        (lambda: bounds.exact_prediction_cost_bound(3.0, 1.5), "at most 1, but is 1.5"),
        (lambda: bounds.prediction_cost(NEST, [0.0] * 3, 0.5), "each of the 5 nodes"),
        (lambda: bounds.prediction_cost(NEST, [0.0] * 5, -1), "threshold must be between 0 and 1"),
        (lambda: bounds.normalize_estimates(NEST, [2.0] * 5), "must hold probabilities in 0..1"),
        (
            lambda: bounds.expected_prediction_cost_bound(NEST, 1.0, 0.5, [[0.0] * 5]),
            "average the rows first",
        ),
    ],
)
def test_invalid_arguments_are_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@fast
@given(estimated_trees(), st.integers(1, 4))
def test_best_first_search_evaluates_no_more_than_a_query_at_its_last_label(
    case: Estimated, k: int
) -> None:
    tree, _, guess = case
    for eta in bounds.normalized_products(tree, guess):
        leaves = tree.leaves.tolist()
        found, calls = reference.calls_of_best_first(tree.parent.tolist(), eta, leaves, k)
        assert sorted(eta[found]) == sorted(eta[leaves])[-len(found) :]
        assert calls <= bounds.prediction_cost(tree, eta, eta[found].min())
        assert calls >= 1 + (eta > eta[found].min()) @ tree.degree

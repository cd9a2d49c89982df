import numpy as np
import pytest
from scipy import sparse

from labeltree import LabelTree
from labeltree.data import as_labels
from labeltree.planning.training_times import Times, measure_cost_model, operation_counts


def test_operations_are_rows_of_inner_nodes_and_pairs() -> None:
    tree = LabelTree.from_nested([[0, 1], 2])
    assert operation_counts(tree, as_labels([[0], [0, 1], [2]])) == (3 + 2, 3 * 2 + 2 * 2)


def test_prices_are_recovered_from_the_times() -> None:
    rows, pairs = np.array([100.0, 300.0, 50.0]), np.array([900.0, 700.0, 4000.0])
    times = Times(rows, pairs, rows, (5.0 * rows + 0.25 * pairs) / 1e6)
    assert times.prices() == pytest.approx((5.0, 0.25))
    np.testing.assert_allclose(times.predicted(), times.seconds)


def test_times_proportional_to_costs_are_predicted() -> None:
    costs = np.array([100.0, 300.0, 50.0])
    times = Times(costs, costs, costs, costs * 3e-6)
    np.testing.assert_allclose(times.by_cost(), times.seconds)


def test_the_price_of_a_pair_is_above_zero_even_if_none_is_measured() -> None:
    rows, pairs = np.array([100.0, 300.0]), np.array([900.0, 700.0])
    assert 0 < Times(rows, pairs, rows, rows / 1e6).prices()[1] < 0.01


def test_measured_prices_are_valid() -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 40), density=0.2, rng=rng, dtype=np.float32)
    Y = sparse.random_array((300, 50), density=0.05, rng=rng).astype(bool)
    prices = measure_cost_model(X, Y, max_rows=200)
    assert prices.per_row >= 0
    assert prices.per_pair > 0


def test_different_numbers_of_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="the same number of rows, but have 3 and 2"):
        measure_cost_model(np.eye(3), [[0], [1]])

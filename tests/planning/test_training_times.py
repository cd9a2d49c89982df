import numpy as np
import pytest
from scipy import sparse

from labeltree import LabelTree
from labeltree.data import as_labels
from labeltree.planning.training_times import Times, demand, measure_cost_model


def test_demand_counts_rows_of_inner_nodes_and_pairs() -> None:
    tree = LabelTree.from_nested([[0, 1], 2])
    assert demand(tree, as_labels([[0], [0, 1], [2]])) == (3 + 2, 3 * 2 + 2 * 2)


def test_prices_that_made_the_times_are_found() -> None:
    rows, pairs = np.array([100.0, 300.0, 50.0]), np.array([900.0, 700.0, 4000.0])
    times = Times(rows, pairs, rows, (5.0 * rows + 0.25 * pairs) / 1e6)
    assert times.prices() == pytest.approx((5.0, 0.25))
    np.testing.assert_allclose(times.predicted(), times.seconds)


def test_times_in_proportion_to_costs_are_foretold() -> None:
    costs = np.array([100.0, 300.0, 50.0])
    times = Times(costs, costs, costs, costs * 3e-6)
    np.testing.assert_allclose(times.by_cost(), times.seconds)


def test_a_price_list_has_a_price_for_pairs_even_if_none_shows() -> None:
    rows, pairs = np.array([100.0, 300.0]), np.array([900.0, 700.0])
    assert 0 < Times(rows, pairs, rows, rows / 1e6).prices()[1] < 0.01


def test_measured_prices_are_prices() -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 40), density=0.2, rng=rng, dtype=np.float32)
    Y = sparse.random_array((300, 50), density=0.05, rng=rng).astype(bool)
    prices = measure_cost_model(X, Y, max_rows=200)
    assert prices.per_row >= 0
    assert prices.per_pair > 0


def test_rows_must_match() -> None:
    with pytest.raises(ValueError, match="equally many rows, but have 3 and 2"):
        measure_cost_model(np.eye(3), [[0], [1]])

"""The measurement of costs, errors and accuracy of trees."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from benchmarks.pages.cost_and_accuracy import gap, known, models
from labeltree import bounds, cost, trees
from labeltree.cost import pair_bound
from labeltree.data import LabelRows, as_labels


def some_rows(seed: int = 0, n_labels: int = 12) -> LabelRows:
    rng = np.random.default_rng(seed)
    return as_labels(rng.random((60, n_labels)) < 0.2)


def some_neighbors() -> sparse.csr_array:
    rng = np.random.default_rng(0)
    X = sparse.random_array((50, 9), density=0.5, rng=rng, format="csr")
    return known.neighbors(X[:30], X[30:])


def test_the_probabilities_of_neighbors_sum_to_one() -> None:
    assert some_neighbors().sum(axis=1) == pytest.approx(1.0)


def test_only_neighbors_are_drawn() -> None:
    near = some_neighbors()
    drawn = known.draw(near, np.random.default_rng(0))
    assert (near[np.arange(30), drawn] > 0).all()


def test_positive_nodes_are_those_that_the_cost_counts() -> None:
    rows = some_rows()
    tree = trees.cheapest(rows)
    found = known.positives(tree, rows)
    assert found.sum(axis=0).tolist() == cost.node_weights(tree, rows).tolist()


def test_exact_estimates_have_no_error_and_no_regret() -> None:
    rows = some_rows()
    tree = trees.cheapest(rows)
    positive = known.positives(tree, rows)
    eta = np.tile(np.asarray(positive.mean(axis=0)), (3, 1))
    ratios = known.ratios(tree, eta, np.zeros_like(eta))
    found = known.of_rows(tree, bounds.path_products(tree, ratios), ratios)
    for name in ("label_error", "label_error_bound", "regret@1", "regret@5"):
        assert found[name] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_no_tree_costs_less_than_the_bound_at_its_own_divisions(seed: int) -> None:
    rows = some_rows(seed)
    for tree in (trees.cheapest(rows), trees.star(12), trees.random(12, random_state=seed)):
        weights = cost.node_weights(tree, rows).astype(np.float64)
        assert rows.n_rows + gap.by_sizes(tree, weights) <= cost.training_cost(tree, rows)


def test_the_pairs_of_all_rows_have_a_label_under_the_root() -> None:
    rows = some_rows()
    pairs = pair_bound._pairs_of(rows)
    _, share = gap.best_shares(pairs, 2)
    coverage = gap.pair_coverage(trees.cheapest(rows), pairs, share)
    assert coverage[0] == pytest.approx(rows.n_labeled)


def test_pairs_at_the_divisions_of_a_tree_are_at_least_the_bound() -> None:
    rows = some_rows()
    tree = trees.cheapest(rows)
    pairs = pair_bound._pairs_of(rows)
    certified, share = gap.best_shares(pairs, 5)
    coverage = gap.pair_coverage(tree, pairs, share)
    assert gap.by_sizes(tree, coverage) + gap.leaf_term(pairs, share) >= certified


def test_labels_that_are_not_kept_leave_their_rows() -> None:
    rows = as_labels([[0, 2], [1], [2]], n_labels=3)
    kept = models.with_labels(rows, np.array([True, False, True]))
    assert (kept.indptr.tolist(), kept.indices.tolist(), kept.n_labels) == (
        [0, 2, 2, 3],
        [0, 1, 1],
        2,
    )


def test_searches_that_find_too_little_are_padded() -> None:
    found = sparse.csr_array((np.ones(3), [4, 1, 2], [0, 2, 3]), shape=(2, 5))
    assert models.ranked(found, 2).tolist() == [[4, 1], [2, -1]]

"""Searches of forests against the plain statement: the mean of all trees for all labels, sorted."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree import trees
from labeltree.data import as_features, as_labels
from labeltree.model import Model
from labeltree.model.label_limits import LabelLimits
from labeltree.model.subforest import subforest
from labeltree.training.nodes import train_tree
from labeltree.training.solver_settings import SolverSettings

N_LABELS = 300


@cache
def unlike_forest(n_trees: int, empty_rows: bool = False):
    """A forest of narrow, wide and flat trees, and rows; the first ones have no features."""
    rng = np.random.default_rng(n_trees)
    X = sparse.random_array((400, 30), density=0.2, rng=rng, dtype=np.float64).tolil()
    X[:10] = 0
    X = as_features(X.tocsr())
    Y = as_labels([[i % N_LABELS, (7 * i + 3) % N_LABELS] for i in range(400)], n_labels=N_LABELS)
    grown = [
        trees.random(N_LABELS, arity=3, random_state=0),
        trees.random(N_LABELS, arity=40, random_state=1),
        trees.star(N_LABELS),
        trees.random(N_LABELS, arity=3, random_state=2),
    ][:n_trees]
    weights = [train_tree(tree, X, Y, SolverSettings(max_iter=2)) for tree in grown]
    return Model(grown, weights, "logistic", 30, empty_rows), X[:40]


def mean_of_trees(model: Model, X) -> np.ndarray:
    total = np.zeros((X.shape[0], N_LABELS), np.float32)
    for t in range(len(model.trees)):
        total += subforest(model, [t]).search(X)[0].toarray()
    return total / np.float32(len(model.trees))


def best_by_hand(ranks: np.ndarray, is_allowed: np.ndarray, k: int) -> list[list[int]]:
    """The best labels of each row; of equals, the one with the smaller number."""
    order = np.lexsort((np.broadcast_to(np.arange(N_LABELS), ranks.shape), -ranks), axis=1)
    pairs = zip(order, is_allowed, strict=True)
    return [[j for j in row if allowed[j]][:k] for row, allowed in pairs]


def check(found, labels: list[list[int]], means: np.ndarray) -> None:
    assert found.indices.tolist() == [j for row in labels for j in row]
    rows = np.repeat(np.arange(len(labels)), [len(row) for row in labels])
    np.testing.assert_array_equal(found.data, means[rows, found.indices])


@given(st.integers(1, N_LABELS), st.integers(2, 4), st.booleans(), st.integers(1, 3))
@settings(deadline=None, max_examples=40)
def test_the_best_labels_are_those_of_the_sorted_means(k, n_trees, empty_rows, n_threads) -> None:
    model, X = unlike_forest(n_trees, empty_rows)
    means = mean_of_trees(model, X)
    found, _ = model.search(X, k=k, n_threads=n_threads)
    check(found, best_by_hand(means, means >= 0, k), means)


@given(st.integers(1, 20), st.integers(2, 4), st.integers(0, 10**6), st.floats(0, 0.2))
@settings(deadline=None, max_examples=40)
def test_weights_and_thresholds_hold_for_the_means(k, n_trees, seed, threshold) -> None:
    model, X = unlike_forest(n_trees)
    rng = np.random.default_rng(seed)
    means, threshold = mean_of_trees(model, X), float(np.float32(threshold))
    weights = rng.choice(np.float32([0, 0.5, 1, 2]), N_LABELS)
    thresholds = rng.choice(np.float32([0, 0.01, 0.1]), N_LABELS)
    limits = LabelLimits(weights=weights, thresholds=thresholds, n_labels=N_LABELS)
    found, _ = model.search(X, k=k, threshold=threshold, limits=limits)
    is_allowed = (means >= threshold) & (means >= thresholds) & (weights > 0)
    check(found, best_by_hand(means * weights, is_allowed, k), means)


@pytest.mark.parametrize("n_trees", [2, 4])
def test_equal_trees_give_equal_labels_the_smaller_number_first(n_trees: int) -> None:
    model, X = unlike_forest(3)
    flat = subforest(model, [2] * n_trees)
    means = mean_of_trees(flat, X)
    found, _ = flat.search(X, k=30)
    check(found, best_by_hand(means, means >= 0, 30), means)


@pytest.mark.parametrize("k", [1, 5, 50])
def test_a_search_for_a_few_labels_evaluates_no_more_than_all(k: int) -> None:
    model, X = unlike_forest(3)
    _, calls = model.search(X, k=k)
    assert (calls <= model.search(X)[1]).all()


def test_the_classifiers_evaluated_do_not_depend_on_other_rows() -> None:
    model, X = unlike_forest(3)
    _, together = model.search(X, k=5)
    alone = [model.search(X[[i]], k=5)[1][0] for i in range(X.shape[0])]
    np.testing.assert_array_equal(together, alone)

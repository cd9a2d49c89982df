"""Searches of models with rankers: the trees find labels, and rankers re-rank them."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from labeltree import LabelTree
from labeltree.data import as_labels
from labeltree.model import Calibration, Model
from labeltree.model.curve import odds_curve
from labeltree.model.label_limits import LabelLimits
from labeltree.training.nodes import train_tree
from labeltree.training.rankers import train_rankers
from labeltree.training.solver_settings import SolverSettings
from tests.model.test_search import forest
from tests.node_estimates import node_estimates
from tests.reference.rankers import reranked


def ranked_forest(n_trees: int = 1, seed: int = 0, n_candidates: int = 5, spread: int = 1):
    """A trained forest over 12 labels with rankers, and rows to search."""
    model, X = forest(n_trees=n_trees, seed=seed, spread=spread)
    Y = as_labels((np.random.default_rng(seed).random((80, 12)) < 0.2).astype(np.uint8))
    rankers = train_rankers(model, X, Y, SolverSettings())
    return model.with_rankers(replace(rankers, n_candidates=n_candidates)), X


def estimates_of_rankers(model: Model, X) -> np.ndarray:
    """The estimate of every ranker for each row: the sigmoid of its score."""
    tree, rankers = model.trees[0], model.rankers
    plain = Model([tree], [rankers.layout], "logistic", model.n_features, has_root=True)
    weights = plain.weights()
    scores = np.zeros((X.shape[0], tree.n_labels))
    for j in range(tree.n_labels):
        entries = slice(*weights.indptr[tree.leaf(j) : tree.leaf(j) + 2])
        scores[:, j] = X[:, weights.features[entries]] @ weights.values[entries]
        scores[:, j] += weights.bias[tree.leaf(j)]
    return expit(rankers.link.slope * scores + rankers.link.intercept)


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("spread", [1, 100])
def test_probabilities_are_those_of_the_trees_times_estimates(n_trees: int, spread: int) -> None:
    model, X = ranked_forest(n_trees, spread=spread)
    trees = model.with_rankers(None).search(X)[0].toarray()
    expected = trees * estimates_of_rankers(model, X)
    np.testing.assert_allclose(model.search(X)[0].toarray(), expected, atol=1e-5)


@given(st.integers(1, 12), st.integers(1, 15), st.integers(0, 3), st.sampled_from([1, 3]))
@settings(deadline=None, max_examples=30)
def test_top_k_reranks_the_candidates(k: int, n_candidates: int, seed: int, n_trees: int) -> None:
    model, X = ranked_forest(n_trees, seed, n_candidates)
    trees = model.with_rankers(None).search(X)[0].toarray()
    estimates = estimates_of_rankers(model, X)
    found = model.search(X, k=k)[0]
    for i in range(X.shape[0]):
        own = slice(found.indptr[i], found.indptr[i + 1])
        products, factors = dict(enumerate(trees[i])), dict(enumerate(estimates[i]))
        labels, expected = zip(*reranked(products, factors, k, n_candidates), strict=True)
        assert sorted(found.indices[own]) == sorted(labels)
        np.testing.assert_allclose(found.data[own], expected, atol=1e-5)


@pytest.mark.parametrize("n_trees", [1, 3])
def test_one_row_gives_what_a_batch_gives(n_trees: int) -> None:
    model, X = ranked_forest(n_trees)
    batch = model.search(X, k=4)[0]
    for i in range(X.shape[0]):
        labels, probabilities = model.top_k_row(X[[i]].indices, X[[i]].data, 4)
        own = slice(batch.indptr[i], batch.indptr[i + 1])
        np.testing.assert_array_equal(labels, batch.indices[own])
        np.testing.assert_array_equal(probabilities, batch.data[own])


def test_results_are_the_same_for_any_number_of_threads() -> None:
    model, X = ranked_forest()
    one, four = (model.search(X, k=4, n_threads=n)[0] for n in (1, 4))
    np.testing.assert_array_equal(one.indices, four.indices)
    np.testing.assert_array_equal(one.data, four.data)


@pytest.mark.parametrize("n_trees", [1, 3])
def test_a_threshold_finds_every_label_above_it(n_trees: int) -> None:
    model, X = ranked_forest(n_trees)
    every = model.search(X)[0].toarray()
    found = model.search(X, threshold=0.2)[0].toarray()
    np.testing.assert_array_equal(found, np.where(every >= np.float32(0.2), every, 0))


def test_thresholds_of_labels_hold_for_their_final_probabilities() -> None:
    model, X = ranked_forest()
    least = np.linspace(0, 0.5, 12).astype(np.float32)
    every = model.search(X)[0].toarray()
    found = model.search(X, limits=LabelLimits(thresholds=least, n_labels=12))[0].toarray()
    np.testing.assert_array_equal(found, np.where(every >= least, every, 0))


def test_weights_of_labels_rank_final_probabilities() -> None:
    model, X = ranked_forest(n_candidates=12)
    weights = np.linspace(0, 2, 12).astype(np.float32)
    every = model.search(X)[0].toarray()
    found = model.search(X, k=1, limits=LabelLimits(weights=weights, n_labels=12))[0]
    np.testing.assert_array_equal(found.indices, (every * weights).argmax(axis=1))


def test_given_labels_have_their_final_probabilities() -> None:
    model, X = ranked_forest(n_trees=2)
    Y = as_labels((np.random.default_rng(9).random((80, 12)) < 0.3).astype(np.uint8))
    every = model.search(X)[0].toarray()
    rows = np.repeat(np.arange(80), np.diff(Y.indptr))
    np.testing.assert_array_equal(model.probabilities_of(X, Y), every[rows, Y.indices])


def test_a_curve_maps_final_probabilities() -> None:
    model, X = ranked_forest()
    curve = odds_curve(0.8, -1.0)
    found = model.search(X, k=3)[0]
    mapped = model.calibrated(Calibration(curve=curve)).search(X, k=3)[0]
    np.testing.assert_array_equal(mapped.indices, found.indices)
    np.testing.assert_array_equal(mapped.data, curve(found.data))


def test_a_tree_of_one_label_can_have_a_ranker() -> None:
    X = forest()[1]
    Y = as_labels(np.ones((80, 1), np.uint8))
    tree = LabelTree.from_parents([-1], [0])
    layout = train_tree(tree, X, Y, SolverSettings())
    model = Model([tree], [layout], "squared_hinge", 15, has_root=False)
    ranked = model.with_rankers(train_rankers(model, X, Y, SolverSettings()))
    assert (ranked.search(X, k=1)[0].data > 0.9).all()


def test_estimates_of_nodes_do_not_depend_on_rankers() -> None:
    model, X = ranked_forest()
    plain = model.with_rankers(None)
    np.testing.assert_array_equal(node_estimates(model, X), node_estimates(plain, X))


@pytest.mark.parametrize("changed", [pickle.loads, Model.quantized])
def test_pickled_and_quantized_models_keep_their_rankers(changed) -> None:
    model, X = ranked_forest()
    again = changed(pickle.dumps(model) if changed is pickle.loads else model)
    found, expected = again.search(X)[0].toarray(), model.search(X)[0].toarray()
    np.testing.assert_allclose(found, expected, atol=0 if changed is pickle.loads else 0.05)
    assert again.n_weights >= model.with_rankers(None).n_weights


def test_rankers_of_another_tree_are_refused() -> None:
    model, _ = ranked_forest()
    other = LabelTree.from_nested([0, 1, 2])
    with pytest.raises(ValueError, match="rankers: bias must have one number for each node"):
        model.rankers.native(other, 15)

"""Rankings in which rare labels count more."""

import numpy as np
import pytest
from scipy import sparse

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier, metrics
from labeltree.data import as_labels
from labeltree.training import fit
from labeltree.training.label_weighting import EXPONENTS, FEW_ROWS_EXPONENT, choose_exponent
from tests.estimators.few_rows import data

X, Y = data()
INVERSE = 1 / metrics.propensities(Y)


def weighted(**settings) -> PLTClassifier:
    return PLTClassifier(**{"label_weighting": 0.5} | settings).fit(X, Y)


def ranks(clf) -> np.ndarray:
    """Weight times probability of all labels."""
    return clf.predict_proba(X).toarray() * clf.model_.calibration.weights


def test_weights_are_powers_of_the_inverse_propensity() -> None:
    found = weighted().model_.calibration.weights
    np.testing.assert_allclose(found, INVERSE**0.5, rtol=1e-5)


@pytest.mark.parametrize("rerank", [False, True])
@pytest.mark.parametrize("n_trees", [1, 3])
def test_the_best_labels_are_ranked_by_weight_times_probability(n_trees: int, rerank) -> None:
    clf = weighted(n_trees=n_trees, tree="kmeans", rerank=rerank)
    labels, _ = clf.top_k(X, k=20)  # all labels, so that rankers rank them all
    found = np.take_along_axis(ranks(clf), labels, axis=1)
    np.testing.assert_allclose(found, -np.sort(-ranks(clf), axis=1), rtol=1e-5)


@pytest.mark.parametrize("rerank", [False, True])
@pytest.mark.parametrize("n_trees", [1, 3])
def test_one_row_is_ranked_as_many(n_trees: int, rerank) -> None:
    clf = weighted(n_trees=n_trees, tree="kmeans", rerank=rerank)
    labels, probabilities = clf.top_k(X, k=4)
    rows = sparse.csr_array(X)
    for i in range(0, 80, 7):
        row = rows[[i]]
        found = clf.top_k_row(row.indices, row.data, 4)
        np.testing.assert_array_equal(found[0], labels[i])
        np.testing.assert_allclose(found[1], probabilities[i], rtol=1e-6)


def test_probabilities_are_not_weighted() -> None:
    clf, unweighted = weighted(), PLTClassifier().fit(X, Y)
    labels, probabilities = clf.top_k(X, k=20)
    expected = np.take_along_axis(unweighted.predict_proba(X).toarray(), labels, axis=1)
    np.testing.assert_allclose(probabilities, expected, atol=1e-7)


def test_label_sets_are_not_weighted() -> None:
    found = weighted().predict(X).toarray()
    np.testing.assert_array_equal(found, PLTClassifier().fit(X, Y).predict(X).toarray())


def test_given_weights_take_the_place_of_those_of_fit() -> None:
    clf = weighted()
    np.testing.assert_array_equal(
        clf.top_k(X, 3, weights=np.ones(20))[0], PLTClassifier().fit(X, Y).top_k(X, 3)[0]
    )


def test_chosen_labels_are_ranked_as_among_all() -> None:
    clf = weighted()
    np.testing.assert_array_equal(clf.top_k(X, 3, labels=range(20))[0], clf.top_k(X, 3)[0])


@pytest.mark.parametrize("method", ["sigmoid", None])
def test_the_ranking_follows_a_new_calibration(method) -> None:
    clf = weighted()
    labels, _ = clf.calibrate(*(() if method is None else (X, Y)), method=method).top_k(X, 20)
    found = np.take_along_axis(ranks(clf), labels, axis=1)
    np.testing.assert_allclose(found, -np.sort(-ranks(clf), axis=1), rtol=1e-5)


def test_a_file_keeps_the_ranking(tmp_path) -> None:
    clf = weighted()
    clf.save(tmp_path / "model.lt")
    np.testing.assert_array_equal(lt.load(tmp_path / "model.lt").top_k(X, 5)[0], clf.top_k(X, 5)[0])


def test_few_rows_use_a_fixed_exponent() -> None:
    found = weighted(label_weighting="propensity").model_.calibration.weights
    np.testing.assert_allclose(found, INVERSE**FEW_ROWS_EXPONENT, rtol=1e-5)


def many_rows() -> tuple[sparse.csr_array, np.ndarray]:
    rng = np.random.default_rng(0)
    rows = sparse.random_array((6000, 30), density=0.2, rng=rng, format="csr", dtype=np.float32)
    return rows, (rng.random((6000, 12)) < np.linspace(0.02, 0.5, 12)).astype(np.uint8)


def test_an_exponent_is_found_with_rows_held_back() -> None:
    rows, labels = many_rows()
    found = [
        PLTClassifier(label_weighting="propensity", C=0.01, n_jobs=n_jobs).fit(rows, labels)
        for n_jobs in (1, 2)
    ]
    weights = [clf.model_.calibration.weights for clf in found]
    np.testing.assert_array_equal(*weights)
    inverse = 1 / metrics.propensities(labels)
    powers = np.log(weights[0]) / np.log(inverse)
    assert np.ptp(powers) < 1e-4
    assert np.abs(np.array(EXPONENTS) - powers[0]).min() < 1e-4


def test_an_exponent_of_classes_is_found_with_rows_held_back() -> None:
    rows, _ = many_rows()
    classes = np.argmax(rows.toarray()[:, :12] + np.linspace(0, 0.5, 12), axis=1)
    clf = HSMClassifier(label_weighting="propensity").fit(rows, classes)
    assert clf.model_.calibration.weights[0] != 1
    np.testing.assert_allclose(clf.predict_proba(rows).sum(axis=1), 1, atol=1e-5)


def test_the_weights_cost_no_second_fit(monkeypatch) -> None:
    calls = []
    train = fit.train_nodes
    monkeypatch.setattr(fit, "train_nodes", lambda *a, **b: calls.append(1) or train(*a, **b))
    PLTClassifier(label_weighting="propensity", C=1).fit(*many_rows())
    assert len(calls) == 1


def test_the_exponent_does_not_cost_precision() -> None:
    # Label 1 is rare, and true in half of the rows in which it comes second.
    labels = np.tile(np.array([[0, 1]], np.int32), (1000, 1))
    probabilities = np.tile(np.array([[0.9, 0.85]], np.float32), (1000, 1))
    truth = as_labels([[0], [0, 1]] * 500, n_labels=2)
    assert choose_exponent(labels, probabilities, truth, np.array([1.1, 9.0])) < 0.1


def test_the_exponent_is_above_0_where_rare_labels_are_as_good() -> None:
    labels = np.tile(np.array([[0, 1]], np.int32), (1000, 1))
    probabilities = np.tile(np.array([[0.9, 0.895]], np.float32), (1000, 1))
    truth = as_labels([[0, 1]] * 1000, n_labels=2)
    assert choose_exponent(labels, probabilities, truth, np.array([1.1, 9.0])) > 0


def test_the_exponent_is_small_where_rare_labels_promise_less() -> None:
    # Few rows cannot show that a rare label is true as often as a frequent one.
    labels = np.tile(np.array([[0, 1]], np.int32), (40, 1))
    probabilities = np.tile(np.array([[0.9, 0.3]], np.float32), (40, 1))
    truth = as_labels([[0, 1]] * 40, n_labels=2)
    assert choose_exponent(labels, probabilities, truth, np.array([1.1, 9.0])) < 0.5


@pytest.mark.parametrize("given", ["rare", 2.0, -1, True])
def test_other_settings_are_refused(given) -> None:
    with pytest.raises((ValueError, TypeError), match="label_weighting must be"):
        PLTClassifier(label_weighting=given).fit(X, Y)


@pytest.mark.parametrize("given", [0.1, None])
def test_models_with_label_weights_do_not_learn_online(given) -> None:
    clf = weighted()
    with pytest.raises(ValueError, match="partial_fit requires a model without label weights"):
        clf.set_params(label_weighting=given).partial_fit(*data())

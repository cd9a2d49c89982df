"""Normalized probabilities, where rows have one class and where they have several labels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier
from labeltree.model import Calibration
from tests.estimators.few_rows import data, dense
from tests.fitted import with_model

X, Y = data()
CLASSES = np.arange(80) % 7


def fitted(**settings) -> HSMClassifier:
    return HSMClassifier(**settings).fit(X, CLASSES)


def sums(clf) -> np.ndarray:
    return clf.top_k(X, k=7)[1].sum(axis=1)


MODELS = {
    "default": fitted,
    "logistic": lambda: fitted(loss="logistic"),
    "forest": lambda: fitted(tree="kmeans", n_trees=3),
    "quantized": lambda: fitted().quantize(),
    "nodes": lambda: fitted(node_estimator=LogisticRegression()),
    "online": lambda: HSMClassifier().partial_fit(X, CLASSES),
    "fit, then online": lambda: fitted().partial_fit(X, CLASSES),
    "global": lambda: fitted().calibrate(X, CLASSES, method="global"),
    "restored": lambda: fitted().calibrate(X, CLASSES).calibrate(method=None),
    "warm start": lambda: fitted(warm_start=True).fit(X, CLASSES),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_best_classes_have_probabilities_that_sum_to_one(name: str) -> None:
    np.testing.assert_allclose(sums(MODELS[name]()), 1, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_the_best_classes_have_the_probabilities_of_all_classes(name: str) -> None:
    clf = MODELS[name]()
    labels, probabilities = clf.top_k(X, k=3)
    expected = np.take_along_axis(dense(clf, X), labels, axis=1)
    np.testing.assert_allclose(probabilities, expected, atol=1e-7)


def test_a_curve_is_followed_by_a_division_in_full_results_only() -> None:
    clf = fitted().calibrate(X, CLASSES, method="sigmoid")
    assert not np.allclose(sums(clf), 1, atol=1e-3)
    np.testing.assert_allclose(dense(clf, X).sum(axis=1), 1, atol=1e-5)


def test_estimates_are_independent_on_request() -> None:
    assert not np.allclose(sums(fitted(normalize_proba=False)), 1, atol=1e-3)


def test_several_labels_are_independent_by_default() -> None:
    assert PLTClassifier().fit(X, Y).model_.calibration.siblings == "independent"


def test_several_labels_cover_their_node_on_request() -> None:
    clf = PLTClassifier(normalize_proba=True, loss="logistic").fit(X, Y)
    tree = clf.tree_
    row = clf._query(X[[20]])
    covered = [
        clf.model_.child_estimates(0, v, row).sum() >= 1 - 1e-6 for v in np.flatnonzero(tree.degree)
    ]
    assert all(covered)


def test_one_online_row_has_the_probabilities_of_the_search() -> None:
    clf = HSMClassifier().partial_fit(X, CLASSES)
    row = sparse.csr_array(X[[20]])
    direct = clf.predict_proba_one(row.indices, row.data, k=7)
    labels, probabilities = clf.top_k(row, k=7)
    names = clf.classes_[labels[0]].tolist()
    np.testing.assert_allclose([direct[name] for name in names], probabilities[0], atol=1e-6)


@pytest.mark.parametrize("name", ["default", "forest", "online", "fit, then online"])
def test_a_file_keeps_the_normalization(name: str, tmp_path) -> None:
    clf = MODELS[name]()
    clf.save(tmp_path / "model.lt")
    opened = lt.load(tmp_path / "model.lt")
    np.testing.assert_array_equal(opened.top_k(X, k=7)[1], clf.top_k(X, k=7)[1])
    if "online" in name:
        after = opened.partial_fit(X[:5], CLASSES[:5])
        assert after.model_.calibration.siblings == "one"


def test_an_earlier_model_of_classes_is_divided_in_full_results_only() -> None:
    clf = fitted()
    with_model(clf, clf.model_.calibrated(Calibration()))
    assert not np.allclose(sums(clf), 1, atol=1e-3)
    np.testing.assert_allclose(dense(clf, X).sum(axis=1), 1, atol=1e-5)


def test_a_warm_start_keeps_the_weights_of_nodes_without_rows() -> None:
    clf = fitted(warm_start=True)
    before = clf.model_.weights()
    keep = CLASSES != 3
    clf.fit(X[keep], CLASSES[keep])
    leaf = clf.tree_.leaf(3)
    after = clf.model_.weights()
    np.testing.assert_array_equal(
        after.values[slice(*after.indptr[leaf : leaf + 2])],
        before.values[slice(*before.indptr[leaf : leaf + 2])],
    )


@pytest.mark.parametrize("name", ["default", "nodes"])
def test_an_explanation_is_of_the_normalized_probability(name: str) -> None:
    clf = MODELS[name]()
    why = clf.explain(X[[20]], 3)
    np.testing.assert_allclose(why.probability, dense(clf, X[[20]])[0, 3], atol=1e-6)


@pytest.mark.parametrize("name", ["default", "nodes"])
def test_the_bound_of_theorem_6_holds(name: str) -> None:
    clf = MODELS[name]()
    for threshold in (0.05, 0.2, 0.5):
        cost = clf.prediction_cost(X, threshold=threshold)
        assert (cost <= clf.prediction_cost_bound(X, threshold)).all()


def test_normalize_proba_is_auto_or_a_boolean() -> None:
    with pytest.raises(ValueError, match='normalize_proba must be "auto", True or False'):
        HSMClassifier(normalize_proba="always").fit(X, CLASSES)

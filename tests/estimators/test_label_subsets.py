"""Predictions that are restricted to some labels, against the filtered ranking of all labels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import labeltree.estimators.state as fitted_state
from labeltree import HSMClassifier, PLTClassifier
from tests.estimators.few_rows import data, dense

KEPT = [1, 4, 5, 11, 17]
KINDS = [
    {"n_trees": 1},
    {"n_trees": 3},
    {"loss": "logistic"},
    {"rerank": True},
    {"label_weighting": 0.5},
    {"normalize_proba": True},
    {"node_estimator": LogisticRegression()},
]


def fitted(**options) -> tuple[PLTClassifier, sparse.csr_array]:
    X, Y = data(n_rows=200)
    return PLTClassifier(tree="kmeans", tree_params={"arity": 2}, **options).fit(X, Y), X[:40]


def others(kept: list[int]) -> list[int]:
    return sorted(set(range(20)) - set(kept))


def filtered(clf, X, kept: list[int], k: int) -> np.ndarray:
    """The k largest probabilities of the labels that are kept, from those of all labels."""
    every = dense(clf, X)[:, kept]
    own = clf.model_.calibration.weights
    weights = np.ones(len(kept)) if own is None else own[kept]
    order = np.argsort(-every * weights, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(every, order, axis=1)


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize("k", [1, 3, 5])
def test_top_k_of_some_labels_equals_the_filtered_ranking(options, k: int) -> None:
    clf, X = fitted(**options)
    labels, probabilities = clf.top_k(X, k, labels=KEPT)
    assert set(labels.ravel().tolist()) <= set(KEPT)
    np.testing.assert_allclose(probabilities, filtered(clf, X, KEPT, k), rtol=1e-6)


@pytest.mark.parametrize("options", KINDS)
def test_excluded_labels_leave_the_rest(options) -> None:
    clf, X = fitted(**options)
    only = clf.top_k(X, 3, labels=KEPT)
    without = clf.top_k(X, 3, exclude_labels=others(KEPT))
    np.testing.assert_array_equal(only[0], without[0])
    np.testing.assert_array_equal(only[1], without[1])


def test_a_label_that_is_both_is_left_out() -> None:
    clf, X = fitted()
    labels, _ = clf.top_k(X, 2, labels=[1, 4, 5], exclude_labels=[4])
    assert set(labels.ravel().tolist()) == {1, 5}


def test_unknown_labels_can_be_excluded() -> None:
    clf, X = fitted()
    labels, _ = clf.top_k(X, 20, exclude_labels=["no such label", 3])
    assert set(labels.ravel().tolist()) == set(others([3])) | {-1}


@pytest.mark.parametrize("n_trees", [1, 3])
def test_predictions_are_those_of_the_labels_that_are_kept(n_trees: int) -> None:
    clf, X = fitted(n_trees=n_trees)
    every = clf.predict(X, 0.1).toarray()
    every[:, others(KEPT)] = 0
    np.testing.assert_array_equal(clf.predict(X, 0.1, labels=KEPT).toarray(), every)
    names = [[label for label in row if label in KEPT] for row in clf.predict_labels(X, 0.1)]
    assert clf.predict_labels(X, 0.1, exclude_labels=others(KEPT)) == names


@pytest.mark.parametrize("objective", ["macro_f1", "micro_f1"])
def test_tuned_thresholds_apply_to_the_labels_that_are_kept(objective: str) -> None:
    X, Y = data(n_rows=200)
    clf = PLTClassifier().fit(X, Y).tune_thresholds(X, Y, objective)
    every = clf.predict(X).toarray()
    every[:, others(KEPT)] = 0
    np.testing.assert_array_equal(clf.predict(X, labels=KEPT).toarray(), every)


def test_expected_f1_has_only_labels_that_are_kept() -> None:
    X, Y = data(n_rows=200)
    clf = PLTClassifier().fit(X, Y).tune_thresholds(X, Y, "expected_f1")
    found = clf.predict(X, labels=KEPT).toarray()
    assert found.any()
    assert not found[:, others(KEPT)].any()


def test_probabilities_of_some_labels_are_those_of_all() -> None:
    clf, X = fitted()
    every = dense(clf, X)
    every[:, others(KEPT)] = 0
    np.testing.assert_array_equal(clf.predict_proba(X, labels=KEPT).toarray(), every)


def test_classes_can_be_excluded() -> None:
    X = np.eye(3, dtype=np.float32)
    clf = HSMClassifier().fit(X, ["tea", "jam", "rye"])
    every = clf.predict_proba(X)
    best = clf.classes_[[1, 2]][np.argmax(every[:, [1, 2]], axis=1)]
    assert clf.predict(X, exclude_labels=[clf.classes_[0]]).tolist() == best.tolist()


def test_a_class_must_be_left() -> None:
    clf = HSMClassifier().fit([[1, 0], [0, 1]], ["tea", "jam"])
    with pytest.raises(ValueError, match="one label that is not left out, but has none"):
        clf.predict([[1, 0]], labels=[])


@pytest.mark.parametrize("n_trees", [1, 3])
def test_subtrees_without_a_label_are_not_searched(n_trees: int) -> None:
    X, Y = data(n_rows=200)
    clf = PLTClassifier(tree="random", n_trees=n_trees).fit(X, Y)
    # All nodes are needed for all labels, so that only the subset can save evaluations.
    all_labels = clf.prediction_cost(X, k=20)
    first = clf.prediction_cost(X, k=20, labels=clf.classes_[:2])
    assert (first < all_labels).all()
    path = sum(len(tree.children(node)) for tree in clf.trees_ for node in paths_to(tree, {0, 1}))
    assert first.max() == path + n_trees  # rows without labels give each root a classifier


def paths_to(tree, labels: set[int]) -> set[int]:
    """Inner nodes above some labels."""
    above = set()
    for label in labels:
        node = int(tree.parent[tree.leaf(label)])
        while node >= 0:
            above.add(node)
            node = int(tree.parent[node])
    return above


def test_a_subset_is_prepared_once_for_all_calls(monkeypatch) -> None:
    made, plain = [], fitted_state.label_limits

    def counted(*arguments):
        made.append(arguments)
        return plain(*arguments)

    monkeypatch.setattr(fitted_state, "label_limits", counted)
    clf, X = fitted()
    for i in range(5):
        clf.top_k(X[[i]], 2, labels=np.array(KEPT))
        clf.predict_proba(X[[i]], labels=KEPT)
    assert len(made) == 1


def test_new_labels_of_an_online_model_are_found_in_a_subset() -> None:
    clf = PLTClassifier(tree="random").partial_fit([[1, 0]], [["tea"]])
    assert clf.top_k([[1, 0]], 1, labels=["tea"])[0].tolist() == [[0]]
    clf.partial_fit([[0, 1]], [["jam"]])
    best = clf.top_k([[0, 1]], 1, exclude_labels=["tea"])[0]
    assert clf.classes_[best].tolist() == [["jam"]]

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier

from labeltree import HSMClassifier, LabelTree, PLTClassifier, cost, trees

TREE = LabelTree.from_nested([[0, 1], 2, [3, [4, 5]]])


def data(seed: int = 0):
    """Rows over six labels; some rows have no labels, and label 5 has no rows."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((60, 12), density=0.4, rng=rng, dtype=np.float32).tocsr()
    Y = rng.random((60, 6)) < 0.3
    Y[:, 5] = False
    Y[:5] = False
    return X, sparse.csr_array(Y.astype(np.uint8))


def by_hand(X, Y, tree: LabelTree, estimator) -> np.ndarray:
    """Probabilities of labels, with one model per node, fitted to the rows of Algorithm 1."""
    probability = np.ones((X.shape[0], tree.n_nodes))
    assigned = [cost.assign(tree, np.flatnonzero(row)) for row in Y.toarray()]
    for v in range(tree.n_nodes):
        positive = [i for i, (yes, _) in enumerate(assigned) if v in yes]
        negative = [i for i, (_, no) in enumerate(assigned) if v in no]
        rows = sorted(positive + negative)
        above = probability[:, tree.parent[v]] if v else 1.0
        if not positive or not negative:
            probability[:, v] = above * bool(positive)
            continue
        fitted = estimator.fit(X[rows], np.isin(rows, positive))
        probability[:, v] = above * fitted.predict_proba(X)[:, 1]
    return probability[:, tree.leaves]


def test_every_node_is_fitted_to_the_rows_that_reach_it() -> None:
    X, Y = data()
    clf = PLTClassifier(tree=TREE, node_estimator=BernoulliNB(), normalize=False).fit(X, Y)
    expected = by_hand(X, Y, TREE, BernoulliNB())
    np.testing.assert_allclose(clf.predict_proba(X).toarray(), expected, atol=1e-6)
    assert clf.training_cost_ == cost.training_cost(TREE, Y)


def test_logistic_regression_agrees_with_the_native_solver() -> None:
    X, Y = data()
    Y = sparse.csr_array(Y[:, [0, 1, 2, 3, 4, 0]])  # every node has positive and negative rows
    tight = {"tol": 1e-6, "max_iter": 3000, "weight_threshold": 0.0}
    same_c = {"C": 0.7, "C_decay": (0.0, 0.0)}
    native = PLTClassifier(
        tree=TREE, loss="logistic", intercept_scaling=0.0, **same_c, **tight
    ).fit(X, Y)
    node = LogisticRegression(C=0.7, fit_intercept=False, tol=1e-8)
    clf = PLTClassifier(tree=TREE, node_estimator=node).fit(X, Y)
    np.testing.assert_allclose(
        clf.predict_proba(X).toarray(), native.predict_proba(X).toarray(), atol=1e-3
    )


def test_predictions_have_the_same_form_as_with_the_native_solver() -> None:
    X, Y = data()
    clf = PLTClassifier(tree=TREE, node_estimator=BernoulliNB(), threshold=0.3).fit(X, Y)
    every = clf.predict_proba(X).toarray()
    labels, probabilities = clf.top_k(X, k=8)
    assert (labels[:, 6:] == -1).all()
    np.testing.assert_array_equal(probabilities[:, :6], -np.sort(-every, axis=1))
    np.testing.assert_array_equal(clf.predict(X).toarray(), every >= np.float32(0.3))
    assert clf.predict_proba(X[:0], k=2).shape == (0, 6)


def test_a_threshold_search_evaluates_only_children_of_probable_nodes() -> None:
    X, Y = data()
    clf = PLTClassifier(tree=TREE, node_estimator=BernoulliNB()).fit(X, Y)
    assert (clf.prediction_cost(X, k=1) == TREE.n_nodes).all()
    assert (clf.prediction_cost(X, threshold=1.0) < TREE.n_nodes).any()
    every = clf.predict_proba(X).toarray()
    found = clf.predict_proba(X, threshold=0.2).toarray()
    np.testing.assert_array_equal(found, np.where(every >= np.float32(0.2), every, 0))


def test_a_forest_of_node_estimators_returns_the_mean() -> None:
    X, Y = data()
    grown = [TREE, trees.random(6, random_state=1)]
    node = BernoulliNB()
    forest = PLTClassifier(tree=grown, node_estimator=node).fit(X, Y)
    parts = [
        PLTClassifier(tree=tree, node_estimator=node).fit(X, Y).predict_proba(X).toarray()
        for tree in grown
    ]
    np.testing.assert_allclose(forest.predict_proba(X).toarray(), np.mean(parts, axis=0), atol=1e-6)


def test_rows_with_a_weight_of_zero_are_ignored() -> None:
    X, Y = data()
    weight = np.arange(60) % 2.0
    node = BernoulliNB()
    weighted = PLTClassifier(tree=TREE, node_estimator=node).fit(X, Y, sample_weight=weight)
    alone = PLTClassifier(tree=TREE, node_estimator=node).fit(X[1::2], Y[1::2])
    np.testing.assert_allclose(
        weighted.predict_proba(X).toarray(), alone.predict_proba(X).toarray(), atol=1e-6
    )


def test_classes_are_predicted_and_pickled() -> None:
    X = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    y = np.array(["a", "b", "c"] * 2)
    clf = HSMClassifier(node_estimator=KNeighborsClassifier(1), tree="huffman").fit(X, y)
    assert pickle.loads(pickle.dumps(clf)).predict(X).tolist() == y.tolist()


def test_the_given_estimator_stays_unfitted() -> None:
    node = BernoulliNB()
    PLTClassifier(node_estimator=node).fit(*data())
    assert not hasattr(node, "classes_")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"node_estimator": RidgeClassifier()}, TypeError, "must have predict_proba, but Ridge"),
        ({"checkpoint_dir": "parts"}, ValueError, "checkpoint_dir requires the native solver"),
        ({"max_memory": "1GB"}, ValueError, "max_memory requires the native solver"),
    ],
)
def test_incompatible_parameters_are_refused(options, error, message) -> None:
    clf = PLTClassifier(**({"node_estimator": BernoulliNB()} | options))
    with pytest.raises(error, match=message):
        clf.fit(*data())


def test_weights_require_an_estimator_that_supports_them() -> None:
    X, Y = data()
    clf = PLTClassifier(node_estimator=KNeighborsClassifier(1))
    with pytest.raises(ValueError, match="KNeighborsClassifier does not support sample_weight"):
        clf.fit(X, Y, sample_weight=np.arange(60))

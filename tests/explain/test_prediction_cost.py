"""The prediction cost of trained models, and the theorems that bound it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from labeltree import LabelTree, PLTClassifier, bounds, cost, trees
from labeltree.explain import prediction_cost
from tests.node_estimates import node_estimates

slow = settings(max_examples=25, deadline=None)
thresholds = st.sampled_from([0.05, 0.1, 0.3, 0.5, 0.9, 1.0])
TREES = ["random", "huffman", "star", "cheapest", "kmeans"]


def trained(seed: int, tree: str, loss: str = "squared_hinge", *, empty_rows: bool = False):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((80, 12), density=0.4, rng=rng, dtype=np.float64).tocsr()
    Y = (X @ rng.normal(size=(12, 15)) > 0.9).astype(np.uint8)
    Y[:10] = 0
    if not empty_rows:
        Y[Y.sum(axis=1) == 0, seed % 15] = 1
    return PLTClassifier(tree=tree, loss=loss, n_jobs=1, random_state=seed).fit(X, Y), X, Y


cases = st.builds(
    trained,
    st.integers(0, 20),
    st.sampled_from(TREES),
    st.sampled_from(["squared_hinge", "logistic"]),
    empty_rows=st.booleans(),
)


def positive_nodes(tree: LabelTree, Y: np.ndarray) -> np.ndarray:
    """z_v of each row and node."""
    z = np.zeros((len(Y), tree.n_nodes))
    for i, row in enumerate(Y):
        z[i, cost.assign(tree, np.flatnonzero(row))[0]] = 1.0
    return z


@slow
@given(cases, thresholds)
def test_the_prediction_cost_follows_from_the_estimates(case, tau: float) -> None:
    clf, X, _ = case
    products = bounds.path_products(clf.tree_, node_estimates(clf.model_, clf._query(X)))
    curve = clf.model_.curve
    before = tau if curve is None else float(curve.before(tau))
    expected = bounds.prediction_cost(clf.tree_, products, before) - (not clf.model_.has_root)
    clear = (np.abs(products - before) > 1e-4).all(axis=1)
    calls = clf.prediction_cost(X, threshold=tau)
    np.testing.assert_array_equal(calls[clear], expected[clear])


@slow
@given(cases, thresholds)
def test_the_prediction_cost_is_within_theorem_6(case, tau: float) -> None:
    clf, X, _ = case
    calls, limit = clf.prediction_cost(X, threshold=tau), clf.prediction_cost_bound(X, tau)
    assert (calls <= limit).all()


@slow
@given(cases, thresholds)
def test_the_mean_prediction_cost_is_within_theorem_7(case, tau: float) -> None:
    clf, X, Y = case
    # The rows are the whole distribution: P(y|x) is 1 for the labels of the row.
    truth = positive_nodes(clf.tree_, Y)
    estimates = node_estimates(clf.model_, clf._query(X))
    errors = bounds.weighted_errors(clf.tree_, truth, estimates).mean(axis=0)
    cost_per_row = cost.training_cost(clf.tree_, Y) / len(Y)
    limit = bounds.expected_prediction_cost_bound(clf.tree_, cost_per_row, tau, errors)
    assert clf.prediction_cost(X, threshold=tau).mean() <= limit * (1 + 1e-5)


def test_certain_labels_attain_theorem_6() -> None:
    tree = LabelTree.from_nested([[0, 1], [2, 3]])
    X = np.eye(4)
    clf = PLTClassifier(tree=tree, C=1e6, max_iter=1000, tol=1e-6, weight_threshold=0.0)
    clf.fit(X, [[0], [1], [2], [3]])
    assert clf.prediction_cost_bound(X, 0.6).tolist() == [5] * 4
    assert clf.prediction_cost(X, threshold=0.6).tolist() == [4] * 4  # the root has no classifier


def test_the_bound_uses_the_threshold_of_predict_by_default() -> None:
    clf, X, _ = trained(0, "huffman")
    clf.set_params(threshold=0.25)
    np.testing.assert_array_equal(
        clf.prediction_cost_bound(X), clf.prediction_cost_bound(X, threshold=0.25)
    )


def test_the_bounds_of_many_rows_equal_those_of_single_rows(monkeypatch) -> None:
    clf, X, _ = trained(1, "huffman")
    monkeypatch.setattr(prediction_cost, "_ESTIMATES_AT_ONCE", 7 * clf.tree_.n_nodes)
    alone = [clf.prediction_cost_bound(X[[i]], 0.2)[0] for i in range(X.shape[0])]
    assert clf.prediction_cost_bound(X, 0.2).tolist() == alone
    assert clf.prediction_cost_bound(X[:0], 0.2).tolist() == []


def test_the_bound_holds_for_node_estimators() -> None:
    _, X, Y = trained(2, "star")
    clf = PLTClassifier(tree=trees.random(15, random_state=1), node_estimator=LogisticRegression())
    clf.fit(X, Y)
    assert (clf.prediction_cost(X, threshold=0.2) <= clf.prediction_cost_bound(X, 0.2)).all()


@pytest.mark.parametrize(
    ("options", "threshold", "message"),
    [
        ({}, 0.0, "threshold must be above 0 and at most 1, but is 0"),
        ({"n_trees": 2}, 0.5, "prediction_cost_bound requires one tree, but the model has 2"),
    ],
)
def test_bounds_that_do_not_exist_are_refused(options, threshold: float, message: str) -> None:
    clf = PLTClassifier(tree="random", **options).fit(np.eye(3), [[0], [1], [2]])
    with pytest.raises(ValueError, match=message):
        clf.prediction_cost_bound(np.eye(3), threshold)

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB

from labeltree import HSMClassifier, LabelTree, PLTClassifier, cost, metrics, trees
from labeltree.calibration.isotonic import PAIRS_PER_KNOT, fit_isotonic
from labeltree.data import as_features, as_labels
from labeltree.data.row_scaling import UNIT
from labeltree.model import Calibration, Curve, Model, fixed_calibration
from labeltree.model.curve import odds_curve
from labeltree.model.label_limits import LabelLimits
from labeltree.model.links import Link, depth_links, fit_link
from labeltree.training.nodes import train_tree
from labeltree.training.solver_settings import SolverSettings
from tests.calibration.chance_rows import data, fitted
from tests.fitted import with_model
from tests.reference import calibration as reference

probabilities = hnp.arrays(np.float32, st.integers(1, 40), elements=st.floats(0, 1, width=32))


def rows_of_length_one():
    return UNIT(data(60, seed=2)[0])


# Pairs of rows and nodes ------------------------------------------------------------------------


@pytest.mark.parametrize("n_threads", [1, 3])
def test_path_scores_are_those_of_the_pairs_of_algorithm_1(n_threads: int) -> None:
    X, Y = data(150)
    tree = trees.random(10, arity=3, random_state=1)
    model = Model([tree], [train_tree(tree, X, Y, SolverSettings())], "squared_hinge", 12, True)
    pairs = model.path_scores(X, Y, n_threads)[0]
    w = model.weights()
    weights = sparse.csr_array((w.values, w.features, w.indptr), shape=(tree.n_nodes, 12))
    scores = (X @ weights.T).toarray() + w.bias
    begin = 0
    for i in range(Y.n_rows):
        positive, negative = cost.assign(tree, Y.row(i))
        expected = dict.fromkeys(positive.tolist(), True) | dict.fromkeys(negative.tolist(), False)
        end = begin + len(expected)
        nodes = pairs.nodes[begin:end].tolist()
        assert dict(zip(nodes, pairs.is_positive[begin:end].tolist(), strict=True)) == expected
        np.testing.assert_allclose(pairs.scores[begin:end], scores[i, nodes], atol=1e-5)
        begin = end
    assert begin == len(pairs.nodes)


def test_a_root_without_a_classifier_is_in_no_pair() -> None:
    X = as_features([[1.0, 0.0], [0.0, 1.0]])
    Y = as_labels([[0], [1]], n_labels=2)
    tree = LabelTree.from_nested([0, 1])
    model = Model([tree], [train_tree(tree, X, Y, SolverSettings())], "squared_hinge", 2, False)
    assert model.path_scores(X, Y, 1)[0].nodes.tolist() == [1, 2, 1, 2]


def test_path_scores_refuse_unknown_labels_and_different_numbers_of_rows() -> None:
    clf = fitted()
    X, _ = data()
    with pytest.raises(ValueError, match="same number of rows"):
        clf.model_.path_scores(X, as_labels([[0]], n_labels=10), 1)
    with pytest.raises(ValueError, match="label 10 is outside"):
        clf.model_.path_scores(X[[0]], as_labels([[10]], n_labels=11), 1)


# Links ------------------------------------------------------------------------------------------


@given(st.integers(0, 1000))
@settings(deadline=None, max_examples=20)
def test_a_fitted_link_has_a_locally_minimal_log_loss(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=80)
    positive = rng.random(80) < 1 / (1 + np.exp(-3 * scores - 1))
    link = fit_link(scores, positive, Link(1.0, 0.0), 0)
    minimum = reference.log_loss_of_link(*link, scores, positive)
    for slope, intercept in itertools.product((-0.01, 0, 0.01), repeat=2):
        moved = (link.slope + slope, link.intercept + intercept)
        assert minimum <= reference.log_loss_of_link(*moved, scores, positive) + 1e-9


def test_a_fitted_link_recovers_the_link_of_the_pairs() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=200_000)
    link = fit_link(scores, rng.random(200_000) < Link(4.0, 1.0)(scores), Link(1.0, 0.0), 100)
    assert link == pytest.approx((4.0, 1.0), abs=0.1)


def test_separable_pairs_give_a_finite_link() -> None:
    link = fit_link(np.array([-1.0, 1.0]), np.array([False, True]), Link(4.0, 1.0), 100)
    assert link == pytest.approx((4.0, 1.0), abs=0.5)


def test_a_link_without_pairs_is_the_prior() -> None:
    assert fit_link(np.empty(0), np.empty(0, bool), Link(4.0, 1.0), 100) == Link(4.0, 1.0)


def test_equal_scores_give_the_share_of_positive_pairs() -> None:
    link = fit_link(np.full(8, 0.5), np.arange(8) < 2, Link(1.0, 0.0), 0)
    assert link(np.array([0.5])) == pytest.approx([0.25])


def test_a_depth_with_many_pairs_has_its_own_link_and_one_with_few_has_the_overall_link() -> None:
    rng = np.random.default_rng(0)
    depth = np.array([0, 1, 1, 2], np.int32)
    nodes = np.repeat([1, 3], [100_000, 20]).astype(np.int32)
    scores = rng.normal(size=len(nodes))
    positive = rng.random(len(nodes)) < Link(6.0, -1.0)(scores)
    slope, intercept = depth_links(depth, nodes, scores, positive, Link(4.0, 1.0))
    assert slope[1] == slope[2] == pytest.approx(6.0, abs=0.5)
    assert intercept[1] == pytest.approx(-1.0, abs=0.2)
    assert (slope[3], intercept[3]) == pytest.approx((4.0, 1.0), abs=0.1)
    assert (slope[0], intercept[0]) == (4.0, 1.0)


# Curves -----------------------------------------------------------------------------------------


@given(probabilities, st.integers(0, 100))
@settings(deadline=None, max_examples=50)
def test_a_curve_preserves_order_and_stays_within_0_and_1(p: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    curve = fit_isotonic(rng.random(500), rng.random(500) < 0.3)
    after = curve(np.sort(p))
    assert (np.diff(after) >= 0).all()
    assert after.min() >= 0
    assert after.max() <= 1


@given(st.floats(0, 1), st.floats(0.3, 3), st.floats(-3, 3))
@settings(deadline=None, max_examples=50)
def test_the_inverse_gives_at_least_the_threshold(t, slope, shift) -> None:
    curve = odds_curve(slope, shift)
    before = curve.inverse(t)
    assert curve(before) >= np.float32(t) - 1e-6
    assert curve(max(before - 1e-4, 0)) <= np.float32(t)


def test_an_odds_curve_is_linear_in_log_odds() -> None:
    p = np.linspace(0.001, 0.999, 97)
    odds = np.log(p / (1 - p))
    expected = 1 / (1 + np.exp(-(0.8 * odds - 0.5)))
    np.testing.assert_allclose(odds_curve(0.8, -0.5)(p), expected, atol=2e-3)


def test_isotonic_levels_equal_pooling_adjacent_violators() -> None:
    rng = np.random.default_rng(0)
    n_groups = 12
    p = np.sort(rng.random(n_groups * PAIRS_PER_KNOT))
    hits = rng.random(len(p)) < p**2
    shares = hits.reshape(n_groups, -1).mean(axis=1)
    levels = reference.pool_adjacent_violators(shares, [1.0] * n_groups)
    curve = fit_isotonic(p, hits)
    assert curve.y[1:-1] == pytest.approx(sorted(set(levels)), abs=2e-3)


def test_isotonic_maps_equal_probabilities_to_one_value() -> None:
    curve = fit_isotonic(np.full(200, 0.4), np.arange(200) < 50)
    assert curve(0.4) == pytest.approx(0.25, abs=1e-3)


@pytest.mark.parametrize("p", [[], [0.0], [1.0], [0.0, 1.0]])
def test_isotonic_accepts_probabilities_of_0_and_1(p: list[float]) -> None:
    curve = fit_isotonic(np.array(p), np.ones(len(p), bool))
    assert curve.x[0] == 0
    assert curve.x[-1] == 1


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([0, 1], [0, 0.5, 1], "same length"),
        ([0.1, 1], [0, 1], "x must run from 0 to 1"),
        ([0, 1], [0, 1.5], "y must lie in 0..1"),
        ([0, 0.5, 0.5, 1], [0, 0.1, 0.2, 1], "strictly increasing"),
        ([0, 0.5, 1], [0, 1, 1], "strictly increasing"),
        ([0, np.inf, np.inf, 1], [0, 0.1, 0.2, 1], "strictly increasing"),
        ([0, 1], [0, np.nan], "y must lie in 0..1"),
    ],
)
def test_an_invalid_curve_is_refused(x, y, message) -> None:
    with pytest.raises(ValueError, match=message):
        Curve(np.array(x), np.array(y))


def test_fit_uses_a_fixed_curve_for_labels_and_none_for_classes_or_logistic_nodes() -> None:
    assert fixed_calibration("squared_hinge", "indicator").curve is not None
    assert fixed_calibration("squared_hinge", "classes").curve is None
    assert fixed_calibration("logistic", "indicator").curve is None
    assert fixed_calibration("squared_hinge", "classes", has_rankers=True).curve is None


# Estimators -------------------------------------------------------------------------------------

METHODS = ["auto", "isotonic", "sigmoid", "global", "depth", "depth_isotonic"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_trees", [1, 2])
def test_every_method_lowers_the_log_loss(method: str, n_trees: int) -> None:
    clf = PLTClassifier(tree="random", n_trees=n_trees, n_jobs=1).fit(*data())
    X_val, Y_val = data(1500, seed=1)
    X, Y = data(1500, seed=2)
    with_model(clf, clf.model_.calibrated(Calibration()))
    before = metrics.log_loss(Y, clf.predict_proba(X))
    assert metrics.log_loss(Y, clf.calibrate(X_val, Y_val, method).predict_proba(X)) < before


@pytest.mark.parametrize("method", ["auto", "isotonic", "sigmoid"])
def test_a_curve_changes_no_ranking(method: str) -> None:
    clf = fitted()
    X, _ = data(60, seed=2)
    before = clf.top_k(X, k=5)[0]
    clf.calibrate(*data(400, seed=1), method)
    np.testing.assert_array_equal(clf.top_k(X, k=5)[0], before)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.37, 0.8, 1.0])
def test_a_threshold_applies_to_calibrated_probabilities(method: str, threshold: float) -> None:
    clf = fitted().calibrate(*data(400, seed=1), method)
    X, _ = data(60, seed=2)
    every = clf.predict_proba(X).toarray()
    found = clf.predict_proba(X, threshold=threshold)
    np.testing.assert_array_equal(
        found.toarray(), np.where(every >= np.float32(threshold), every, 0)
    )


def test_thresholds_by_label_apply_to_calibrated_probabilities() -> None:
    clf = fitted()
    thresholds = np.linspace(0.05, 0.9, 10).astype(np.float32)
    X = rows_of_length_one()
    every = clf.model_.search(X)[0].toarray()
    found = clf.model_.search(X, limits=LabelLimits(thresholds=thresholds, n_labels=10))[0]
    np.testing.assert_array_equal(found.toarray(), np.where(every >= thresholds, every, 0))


def test_probabilities_of_given_labels_are_calibrated() -> None:
    clf = fitted()
    X = rows_of_length_one()
    every = clf.model_.search(X)[0].toarray()
    labels = as_labels([[3]] * X.shape[0], n_labels=10)
    np.testing.assert_allclose(clf.model_.probabilities_of(X, labels), every[:, 3], atol=1e-6)


def test_calibrating_again_replaces_the_old_calibration() -> None:
    X, _ = data(60, seed=2)
    once = fitted().calibrate(*data(400, seed=1), "isotonic")
    twice = fitted().calibrate(*data(300, seed=5), "depth")
    twice.calibrate(*data(400, seed=1), "isotonic")
    np.testing.assert_array_equal(once.predict_proba(X).toarray(), twice.predict_proba(X).toarray())


def test_method_none_restores_the_probabilities_of_fit() -> None:
    clf = fitted()
    X, _ = data(60, seed=2)
    before = clf.predict_proba(X).toarray()
    clf.calibrate(*data(400, seed=1), "depth_isotonic").calibrate(method=None)
    np.testing.assert_array_equal(clf.predict_proba(X).toarray(), before)


@pytest.mark.parametrize("method", ["depth_isotonic", "isotonic"])
def test_calibration_and_thresholds_survive_pickling(method: str) -> None:
    clf = fitted().calibrate(*data(400, seed=1), method).tune_thresholds(*data(400, seed=1))
    X, _ = data(60, seed=2)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(clf.predict_proba(X).toarray(), again.predict_proba(X).toarray())
    np.testing.assert_array_equal(clf.predict(X).toarray(), again.predict(X).toarray())
    np.testing.assert_array_equal(clf.thresholds_, again.thresholds_)


def test_clone_and_fit_drop_calibration_and_thresholds() -> None:
    clf = fitted().calibrate(*data(400, seed=1)).tune_thresholds(*data(400, seed=1))
    fresh = fitted()
    X, _ = data(60, seed=2)
    for other in (clone(clf).fit(*data()), clf.fit(*data())):
        assert other.thresholds_ is None
        np.testing.assert_array_equal(
            other.predict_proba(X).toarray(), fresh.predict_proba(X).toarray()
        )


def test_classes_can_be_calibrated() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((200, 5))
    y = np.array(["a", "b", "c"])[(X[:, :3] + 0.3 * rng.random((200, 3))).argmax(axis=1)]
    clf = HSMClassifier(n_jobs=1).fit(X[:100], y[:100])
    before = clf.predict(X)
    clf.calibrate(X[100:], y[100:])
    np.testing.assert_array_equal(clf.predict(X), before)
    _, p = clf.top_k(X[100:], k=1)
    accuracy = np.mean(clf.predict(X[100:]) == y[100:])
    assert p.mean() == pytest.approx(accuracy, abs=0.1)


def test_node_estimators_support_curves_but_not_links() -> None:
    X, Y = data()
    clf = PLTClassifier(tree="huffman", node_estimator=BernoulliNB()).fit(X, Y)
    before = clf.top_k(X, k=3)[0]
    clf.calibrate(*data(400, seed=1), "isotonic")
    np.testing.assert_array_equal(clf.top_k(X, k=3)[0], before)
    every = clf.predict_proba(X).toarray()
    found = clf.predict_proba(X, threshold=0.2).toarray()
    np.testing.assert_array_equal(found, np.where(every >= np.float32(0.2), every, 0))
    with pytest.raises(ValueError, match='calibration by "global" or "depth" is for native nodes'):
        clf.calibrate(X, Y, "depth")


@pytest.mark.parametrize("call", ["calibrate", "tune_thresholds"])
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.empty((0, 2)), [], "no row of y has any"),
        ([[1, 0]], [[]], "no row of y has any"),
        ([[1, 0]], [["tea"], ["bread"]], "X has 1 rows, but Y has 2"),
        ([[1, 0, 0]], [["tea"]], "X has 3 features"),
        ([[1, 0]], [["wine"]], "label 'wine'"),
    ],
)
def test_a_failed_call_does_not_change_the_estimator(call, X, y, message) -> None:
    clf = PLTClassifier(n_jobs=1).fit([[1, 0], [0, 1]], [["tea"], ["bread"]])
    model = clf.model_
    with pytest.raises(ValueError, match=message):
        getattr(clf, call)(X, y)
    assert clf.model_ is model


def test_unknown_methods_and_objectives_are_refused() -> None:
    clf, rows = fitted(), data()
    with pytest.raises(ValueError, match=r"method must be one of auto, .* but is 'plat'"):
        clf.calibrate(*rows, "plat")
    with pytest.raises(ValueError, match=r"objective must be one of macro_f1, .* but is 'f2'"):
        clf.tune_thresholds(*rows, "f2")

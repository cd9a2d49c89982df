"""Explanations of the probability of a label."""

import json
import math
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from labeltree import HSMClassifier, LabelTree, PLTClassifier, load
from labeltree.model import Calibration, Curve
from tests.fitted import with_model
from tests.node_estimates import node_estimates
from tests.reference import explain as reference

TREE = LabelTree.from_nested([[[0, 1], 2], [3, [4, 5, 6]], 7])


def problem(seed: int = 0, *, empty_rows: bool = False):
    """Sixty rows with eight labels that depend on ten features."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((60, 10), density=0.4, rng=rng, dtype=np.float64).tocsr()
    Y = (X @ rng.normal(size=(10, 8)) > 0.6).astype(np.uint8)
    if not empty_rows:
        Y[Y.sum(axis=1) == 0, 7] = 1
    else:
        Y[:5] = 0
    return X, Y


def trained(seed: int = 0, *, empty_rows: bool = False, **options):
    X, Y = problem(seed, empty_rows=empty_rows)
    return PLTClassifier(**{"tree": TREE, "n_jobs": 1, **options}).fit(X, Y), X


CASES = [
    {},
    {"loss": "logistic"},
    {"empty_rows": True},
    {"n_trees": 3, "tree": "random"},
    {"tree": "star"},
    {"normalize": False},
    {"fit_intercept": False},
    {"rerank": True},
    {"rerank": True, "n_trees": 2, "tree": "random"},
]


@pytest.mark.parametrize("options", CASES, ids=str)
def test_the_explained_probability_equals_predict_proba(options) -> None:
    clf, X = trained(**options)
    predicted = clf.predict_proba(X[:8])
    explained = [[clf.explain(X[[i]], j).probability for j in range(8)] for i in range(8)]
    np.testing.assert_allclose(explained, predicted, atol=5e-6)


@pytest.mark.parametrize("options", CASES, ids=str)
def test_a_shortened_explanation_is_the_one_with_fewer_features(options) -> None:
    clf, X = trained(**options)
    whole = clf.explain(X[[0]], 1, X.shape[1])
    for n in (0, 2, X.shape[1]):
        assert whole.shortened(n) == clf.explain(X[[0]], 1, n)


@pytest.mark.parametrize("options", CASES, ids=str)
def test_contributions_sum_to_the_log_odds_of_the_estimate(options) -> None:
    clf, X = trained(**options)
    for top_features in (0, 2, 10):
        for path in clf.explain(X[[3]], 5, top_features).paths:
            for step in path.steps:
                if step.evidence is None:
                    continue
                terms = [entry.contribution for entry in step.evidence.contributions]
                total = math.fsum([*terms, step.evidence.rest, step.evidence.bias])
                assert total == pytest.approx(step.evidence.log_odds, rel=1e-14, abs=1e-14)
                assert step.estimate == pytest.approx(1 / (1 + math.exp(-total)))


@given(st.integers(0, 5), st.integers(0, 7), st.integers(0, 59), st.booleans())
@settings(deadline=None, max_examples=40)
def test_the_path_equals_the_reference(seed: int, label: int, i: int, empty_rows: bool) -> None:
    clf, X = trained(seed, empty_rows=empty_rows, normalize=False)
    row = X.astype(np.float32)[[i]]
    entries = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
    w, (slopes, intercepts) = clf.model_.weights(), clf.model_.links(0)
    product = 1.0
    steps = clf.explain(X[[i]], label, 100).steps
    assert [step.node for step in steps] == reference.path_to(TREE.parent, TREE.leaf(label))
    for depth, step in enumerate(steps):
        assert step.depth == depth
        if step.node > 0 or empty_rows:
            part = slice(*w.indptr[step.node : step.node + 2])
            weights = dict(zip(w.features[part].tolist(), w.values[part].tolist(), strict=True))
            slope, intercept = float(slopes[step.node]), float(intercepts[step.node])
            expected = reference.contributions(weights, entries, slope)
            found = {e.feature: e.contribution for e in step.evidence.contributions}
            assert found == pytest.approx(expected)
            assert step.evidence.bias == pytest.approx(
                slope * float(w.bias[step.node]) + intercept, abs=1e-9
            )
            product /= 1 + math.exp(-math.fsum([*expected.values(), step.evidence.bias]))
        assert step.product == pytest.approx(product)


def test_contributions_are_value_times_weight_times_slope() -> None:
    clf, X = trained()
    evidence = clf.explain(X[[0]], 2).steps[1].evidence
    for entry in evidence.contributions:
        value = X[0, entry.feature] / np.sqrt((X[[0]].data ** 2).sum())
        assert entry.value == pytest.approx(value, rel=1e-6)
        assert entry.contribution == pytest.approx(entry.value * entry.weight * evidence.slope)


def test_the_largest_contributions_are_listed_and_the_others_summed() -> None:
    clf, X = trained()
    whole = clf.explain(X[[0]], 0, 100).steps[1].evidence
    part = clf.explain(X[[0]], 0, 1).steps[1].evidence
    sizes = [abs(entry.contribution) for entry in whole.contributions]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) > 2
    assert part.contributions == whole.contributions[:1]
    assert part.n_rest == len(sizes) - 1
    assert (whole.n_rest, whole.rest) == (0, 0.0)


def test_siblings_are_sorted_by_probability() -> None:
    clf, X = trained()
    estimates = node_estimates(clf.model_, clf._query(X[[1]]))[0]
    step = clf.explain(X[[1]], 4).steps[1]
    siblings = [v for v in TREE.children(0) if v != step.node]
    siblings.sort(key=lambda v: -estimates[v])
    assert [sibling.node for sibling in step.siblings] == siblings
    assert [sibling.estimate for sibling in step.siblings] == pytest.approx(estimates[siblings])


def test_examples_of_a_branch_are_its_most_probable_labels() -> None:
    clf, X = trained(tree=LabelTree.from_nested([[0, 1, 2, 3], [4, 5, 6, 7]]))
    row = clf.predict_proba(X[[0]])[0]
    root, step, _ = clf.explain(X[[0]], 6).steps
    assert root.examples[0] == row.argmax()
    assert list(step.examples) == (4 + np.argsort(-row[4:], kind="stable"))[:3].tolist()
    assert [part.n_labels for part in (root, step, *step.siblings)] == [8, 4, 4]


def test_without_a_label_the_most_probable_is_explained() -> None:
    clf, X = trained(n_trees=2, tree="random")
    for i in range(10):
        assert clf.explain(X[[i]]).label == clf.top_k(X[[i]], k=1)[0][0, 0]


def test_a_root_without_classifier_is_certain() -> None:
    clf, X = trained()
    root = clf.explain(X[[0]], 0).steps[0]
    assert (root.estimate, root.product, root.evidence, root.siblings) == (1.0, 1.0, None, ())


def test_a_root_with_classifier_is_explained() -> None:
    clf, X = trained(empty_rows=True)
    root = clf.explain(X[[0]], 0).steps[0]
    assert root.evidence is not None
    assert 0 < root.estimate < 1


def test_a_forest_has_one_path_per_tree_and_their_mean() -> None:
    clf, X = trained(n_trees=3, tree="random")
    why = clf.explain(X[[0]], 3)
    assert len(why.paths) == 3
    assert why.mean == pytest.approx(np.mean([path.probability for path in why.paths]))
    assert why.paths[1].steps[-1].node == clf.trees_[1].leaf(3)


def test_one_label_alone_is_explained() -> None:
    why = PLTClassifier().fit([[1.0], [0.0]], [["tea"], []]).explain([1.0])
    assert (why.label, len(why.steps)) == ("tea", 1)


def test_a_label_without_rows_has_probability_zero() -> None:
    X, Y = problem()
    Y[:, 3] = 0
    Y[Y.sum(axis=1) == 0, 7] = 1
    assert PLTClassifier(tree=TREE).fit(X, Y).explain(X[[0]], 3).probability < 1e-30


def test_any_classifier_in_the_nodes_has_a_path_without_evidence() -> None:
    clf, X = trained(node_estimator=LogisticRegression(), empty_rows=True)
    why = clf.explain(X[[4]], 5)
    assert why.probability == pytest.approx(clf.predict_proba(X[[4]])[0, 5])
    assert all(step.evidence is None for step in why.steps)
    assert all(len(step.siblings) > 0 for step in why.steps[1:])
    assert "log-odds" not in str(why)


def test_classes_are_explained_by_name() -> None:
    clf = HSMClassifier().fit([[1, 0], [0, 1], [1, 0.1]], ["tea", "bread", "tea"])
    assert clf.explain([1, 0]).label == "tea"
    assert clf.explain([1, 0], "bread").label == "bread"
    assert type(clf.explain([1, 0]).label) is str


def test_a_calibrated_model_has_the_calibrated_probability() -> None:
    clf, X = trained()
    with_model(clf, clf.model_.calibrated(Calibration()))
    before = clf.explain(X[[0]], 0)
    half = Curve(np.array([0.0, 1.0]), np.array([0.0, 0.5]))
    with_model(clf, clf.model_.calibrated(Calibration(curve=half)))
    after = clf.explain(X[[0]], 0)
    assert after.probability == pytest.approx(before.probability / 2)
    assert (after.mean, after.is_calibrated) == (before.mean, True)
    assert f"before calibration {before.mean:.4f}" in str(after)


def test_a_default_fit_is_not_said_to_be_calibrated() -> None:
    clf, X = trained()
    why = clf.explain(X[[0]], 0)
    assert why.probability != why.mean
    assert not why.is_calibrated
    before = f"not calibrated with validation rows; before the fixed curve {why.mean:.4f}"
    assert str(why).splitlines()[1] == f"{before}, the product below"


@pytest.mark.parametrize("method", ["isotonic", "sigmoid", "depth", "depth_isotonic"])
def test_calibrate_makes_an_explanation_calibrated(method: str) -> None:
    clf, X = trained()
    clf.calibrate(*problem(1), method=method)
    why = clf.explain(X[[0]], 0)
    assert why.is_calibrated
    assert str(why).splitlines()[1].startswith("calibrated; ")
    assert not clf.calibrate(method=None).explain(X[[0]], 0).is_calibrated


def test_a_loaded_model_still_knows_whether_it_was_calibrated(tmp_path) -> None:
    clf, X = trained()
    clf.save(tmp_path / "fixed.lt")
    clf.calibrate(*problem(1)).save(tmp_path / "learned.lt")
    loaded = [load(tmp_path / name) for name in ("fixed.lt", "learned.lt")]
    assert [clf.explain(X[[0]], 0).is_calibrated for clf in loaded] == [False, True]


def test_a_model_without_curve_says_nothing_about_calibration() -> None:
    clf, X = trained(loss="logistic")
    assert "calibrat" not in str(clf.explain(X[[0]], 0))


# Arguments ---------------------------------------------------------------------------------------

WORDS = ["wet", "dry", "sweet"]


def teas(X=((1, 0, 0), (1, 0, 1), (0, 1, 0), (0, 1, 1)), **options):
    return PLTClassifier(**options).fit(X, [["tea"], ["tea", "cake"], ["bread"], ["bread"]])


@pytest.mark.parametrize(
    "x",
    [
        [2.0, 0.0, 1.0],
        np.array([2.0, 0.0, 1.0]),
        [[2.0, 0.0, 1.0]],
        sparse.csr_array([[2.0, 0.0, 1.0]]),
        sparse.coo_array([2.0, 0.0, 1.0]),
        {"sweet": 1.0, "wet": 2.0},
    ],
    ids=["list", "array", "matrix", "csr", "sparse vector", "mapping"],
)
def test_all_forms_of_a_row_have_the_same_explanation(x) -> None:
    clf = teas()
    expected = clf.explain([[2.0, 0.0, 1.0]], feature_names=WORDS)
    assert clf.explain(x, feature_names=WORDS) == expected


def names_of(why) -> set[str]:
    return {entry.name for entry in why.steps[-1].evidence.contributions}


def test_features_without_names_are_numbered() -> None:
    assert names_of(teas(tree="star").explain([0, 0, 1], "cake")) == {"x[2]"}


def test_names_of_a_data_frame_are_used() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame([(1, 0, 0), (1, 0, 1), (0, 1, 0), (0, 1, 1)], columns=WORDS)
    clf = teas(X, tree="star")
    assert names_of(clf.explain(X[1:2], "cake")) == {"sweet"}
    assert clf.explain({"wet": 1, "sweet": 1}, "cake") == clf.explain(X[1:2], "cake")
    assert clf.explain([1, 0, 1], "cake") == clf.explain(X[1:2], "cake")


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        ([1, 0, 0], {"label": "wine"}, "one of the 3 in classes_, but is 'wine'"),
        (np.eye(3), {}, "x must be one row, but has 3; explain them one by one"),
        ([1, 0], {}, "X has 2 features, but PLTClassifier is expecting 3 features"),
        ({"wet": 1}, {}, "mapping; pass feature_names"),
        ({"hot": 1}, {"feature_names": WORDS}, "known features, but 'hot' is not; remove it"),
        ([1, 0, 0], {"feature_names": ["wet"]}, "for each of 3 features, but has 1"),
        ([1, 0, 0], {"top_features": -1}, "top_features must be at least 0, but is -1"),
        ([np.nan, 0, 0], {}, "must not contain NaN"),
    ],
)
def test_invalid_arguments_are_refused(x, options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        teas().explain(x, **options)


# Data and text -----------------------------------------------------------------------------------


def test_explanations_survive_json() -> None:
    why = teas().explain([1, 0, 1], "cake")
    plain = json.loads(json.dumps(why.to_dict()))
    assert plain["label"] == "cake"
    assert plain["probability"] == why.probability
    assert plain["paths"][0]["probability"] == why.mean
    step = plain["paths"][0]["steps"][1]
    assert step["evidence"]["contributions"][0]["name"].startswith("x[")


def test_labels_that_json_cannot_hold_become_text() -> None:
    days = [[date(2024, 2, 29)], [date(2024, 3, 1)]]
    why = PLTClassifier().fit([[1, 0], [0, 1]], days).explain([1, 0])
    assert json.loads(json.dumps(why.to_dict()))["label"] == "2024-02-29"


def test_the_text_describes_each_node_of_the_path() -> None:
    clf = teas(tree=LabelTree.from_nested([["tea", "cake"], "bread"]))
    why = clf.explain({"wet": 3, "sweet": 4}, "cake", 1, feature_names=WORDS)
    text = str(why).splitlines()
    assert text[0] == f"cake: probability {why.probability:.4f}"
    assert any(line.startswith("root, 3 labels: tea, cake, bread ") for line in text)
    assert "     no classifier, because every training row has a label" in text
    (entry,) = why.steps[2].evidence.contributions
    assert any(f"{entry.contribution:+.3f}  {entry.name}" in line for line in text)
    assert any("1 other feature" in line for line in text)
    assert any(line.startswith("     sibling node 2, 1 label: bread") for line in text)


def test_the_text_fits_100_columns() -> None:
    names = [f"{'long ' * 30}{j}" for j in range(3)]
    labels = [[name.upper()] for name in names]
    clf = PLTClassifier(n_trees=2, tree="random").fit(np.eye(3), labels)
    text = str(clf.explain([1, 1, 0], feature_names=names))
    assert max(map(len, text.splitlines())) == 100


# Native ------------------------------------------------------------------------------------------


def test_the_weights_of_one_node_equal_those_of_all_nodes() -> None:
    clf, _ = trained(empty_rows=True)
    w = clf.model_.weights()
    for v in range(TREE.n_nodes):
        every = np.zeros(clf.n_features_in_, np.float32)
        every[w.features[w.indptr[v] : w.indptr[v + 1]]] = w.values[w.indptr[v] : w.indptr[v + 1]]
        one = clf.model_.classifier(0, v, np.arange(clf.n_features_in_, dtype=np.int32))
        np.testing.assert_array_equal(one.weights, every)
        assert one.bias == w.bias[v]


@pytest.mark.parametrize("empty_rows", [False, True])
def test_estimates_of_children_equal_those_of_all_nodes(empty_rows: bool) -> None:
    clf, X = trained(empty_rows=empty_rows)
    row = clf._query(X[[7]])
    every = node_estimates(clf.model_, row)[0]
    for v in range(TREE.n_nodes):
        found = clf.model_.child_estimates(0, v, row)
        np.testing.assert_allclose(found, every[list(TREE.children(v))], atol=1e-6)
    np.testing.assert_allclose(clf.model_.child_estimates(0, -1, row), every[:1], atol=1e-6)


def test_nodes_and_features_outside_the_model_are_refused() -> None:
    native = trained()[0].model_._native[0]
    feature, one = np.array([3], np.int32), np.ones(1, np.float32)
    for node in (-1, TREE.n_nodes):
        with pytest.raises(ValueError, match=f"no such node: {node}"):
            native.of_node(node, feature)
    for node in (-2, TREE.n_nodes):
        with pytest.raises(ValueError, match=f"no such node: {node}"):
            native.child_probabilities(node, feature, one)
    with pytest.raises(ValueError, match="feature 10 is outside"):
        native.child_probabilities(0, np.array([10], np.int32), one)

"""Online learning with estimators: partial_fit and related methods."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse

import labeltree as lt
from labeltree import HSMClassifier, LabelTree, PLTClassifier, TextTagger
from labeltree.online import OnlineParams, fold_columns
from labeltree.online.recent import RecentRows

X = np.eye(4)[[0, 1, 2, 3, 0, 1, 2, 3]]
Y = [["a"], ["b"], ["c"], ["d"], ["a", "x"], ["b"], ["c"], ["d"]]


def online(**options: object) -> PLTClassifier:
    return PLTClassifier(n_jobs=1, online_params=options or None)


def same_predictions(one: PLTClassifier, other: PLTClassifier, X=X) -> bool:
    pairs = zip(one.top_k(X, 5), other.top_k(X, 5), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


# Learning -----------------------------------------------------------------------------------------


def test_labels_are_numbered_in_order_of_occurrence() -> None:
    assert online().partial_fit(X, Y[::-1]).classes_.tolist() == ["d", "c", "b", "a", "x"]


def test_learned_labels_are_predicted() -> None:
    clf = online().partial_fit(np.tile(X, (5, 1)), Y * 5)
    assert clf.predict_labels(X[1:4]) == [["b"], ["c"], ["d"]]


def test_predictions_follow_each_update() -> None:
    clf = online().partial_fit(X[:4], Y[:4])
    assert clf.top_k(X[:1], 1)[0].shape == (1, 1)
    clf.partial_fit(X[4:], Y[4:])
    assert len(clf.classes_) == clf.tree_.n_labels == 5


def test_rows_one_by_one_give_the_same_model() -> None:
    one_by_one = online()
    for x, y in zip(X, Y, strict=True):
        one_by_one.partial_fit([x], [y])
    assert same_predictions(one_by_one, online().partial_fit(X, Y))


def test_predict_then_fit_learns_the_same_as_partial_fit() -> None:
    clf = online()
    clf.predict_then_fit(X, Y)
    assert same_predictions(clf, online().partial_fit(X, Y))


def test_predict_proba_one_equals_top_k() -> None:
    clf = online().partial_fit(X, Y)
    found = clf.predict_proba_one(np.array([1], np.int32), np.ones(1, np.float32), k=5)
    labels, probabilities = clf.top_k(X[1:2], 5)
    assert list(found) == clf.classes_[labels[0]].tolist()
    products = np.array(list(found.values()))
    curve = clf.model_.curve
    shown = products if curve is None else curve(products.astype(np.float32))
    assert shown == pytest.approx(probabilities[0], rel=1e-4)


def test_a_weight_of_two_changes_the_model_more_than_one() -> None:
    light = online().partial_fit(X[:2], Y[:2], sample_weight=[1, 1])
    heavy = online().partial_fit(X[:2], Y[:2], sample_weight=[1, 2])
    light_p, heavy_p = (clf.predict_proba(X[1:2])[0, 1] for clf in (light, heavy))
    assert heavy_p > light_p


def test_an_indicator_keeps_its_columns() -> None:
    indicator = sparse.csr_array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]])
    clf = online().partial_fit(X[:3], indicator)
    assert clf.classes_.tolist() == [0, 1, 2, 3]
    assert clf.top_k(X[:1], 1)[0].tolist() == [[2]]
    assert clf.predict(X[:3]).shape == (3, 4)


def test_a_wider_indicator_adds_labels() -> None:
    clf = online().partial_fit(X[:2], sparse.csr_array([[1, 0], [0, 1]]))
    clf.partial_fit(X[2:4], sparse.csr_array([[0, 0, 1], [0, 0, 1]]))
    assert clf.predict(X[:1]).shape == (1, 3)


def test_given_classes_are_added_before_any_row() -> None:
    clf = online().partial_fit(X[:1], Y[:1], classes=["b", "a", "e"])
    assert clf.classes_.tolist() == ["b", "a", "e"]


def test_a_given_tree_is_kept() -> None:
    tree = LabelTree.from_nested([["a", "b"], ["c", "d"]])
    clf = PLTClassifier(tree=tree).partial_fit(X[:4], Y[:4])
    assert clf.tree_.to_nested() == tree.to_nested()


def test_classes_are_predicted_as_classes() -> None:
    clf = HSMClassifier().partial_fit(np.tile(X[:4], (3, 1)), ["a", "b", "c", "d"] * 3)
    assert clf.predict(X[:4]).tolist() == ["a", "b", "c", "d"]
    assert clf.predict_proba(X[:4]).sum(axis=1) == pytest.approx(1.0)


def test_one_label_alone_is_certain() -> None:
    assert online().partial_fit(X[:2], ["a", "a"]).predict_proba(X).min() == 1.0


def test_rows_without_labels_train_the_root() -> None:
    clf = online().partial_fit(np.tile(X[:2], (9, 1)), [["a"], []] * 9)
    assert clf.predict_labels(X[:2]) == [["a"], []]


def test_a_row_without_features_is_learned_by_the_bias() -> None:
    clf = online().partial_fit(np.zeros((3, 2)), [["a"], ["a"], ["b"]])
    assert clf.predict_labels(np.zeros((1, 2)))[0][0] == "a"


# Removing labels and rebuilding -------------------------------------------------------------------


def test_a_removed_label_is_not_predicted() -> None:
    clf = online(max_degree=2).partial_fit(X, Y).remove_labels(["c", "x"])
    assert sorted(clf.classes_.tolist()) == ["a", "b", "d"]
    assert clf.top_k(X[2:3], 5)[0].min() == -1


def test_a_removed_label_can_be_added_again() -> None:
    clf = online().partial_fit(X, Y).remove_labels(["c"]).partial_fit(X, Y)
    assert sorted(clf.classes_.tolist()) == ["a", "b", "c", "d", "x"]


def test_a_rebuilt_tree_is_not_more_expensive_and_can_predict() -> None:
    random = np.random.default_rng(0)
    labels = [[int(j), int(j) ^ 1] for j in random.integers(0, 30, 300)]
    rows = np.eye(30)[[row[0] for row in labels]]
    clf = online(max_degree=2, insert="score").partial_fit(rows, labels)
    before, hits = clf.tree_cost_, clf.top_k(rows, 2)[0]
    after = clf.rebuild_tree().tree_cost_
    assert after.lower_bound <= after.cost <= before.cost
    assert clf.top_k(rows, 2)[0].shape == hits.shape


def test_rebuild_tree_accepts_rows() -> None:
    clf = online(keep_rows=0).partial_fit(X, Y)
    assert clf.tree_cost_.n_rows == 0
    assert clf.rebuild_tree(X, Y, tree="huffman").tree_.max_degree <= 3


def test_rebuild_tree_refuses_tree_params_of_another_kind() -> None:
    clf = online(keep_rows=9).partial_fit(X, Y).set_params(tree="huffman", tree_params=3)
    with pytest.raises(TypeError, match="tree_params must be a mapping, but is 3"):
        clf.rebuild_tree()


def test_max_weights_limits_the_number_of_weights() -> None:
    clf = online(max_weights=20).partial_fit(np.tile(X, (5, 1)), Y * 5)
    assert clf._fitted.online.native.n_weights <= 20


# From and to a batch fit --------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_partial_fit_starts_from_a_batch_model(loss) -> None:
    clf = PLTClassifier(loss=loss, n_jobs=1).fit(np.tile(X, (5, 1)), Y * 5)
    clf.partial_fit(np.eye(4)[[0, 0, 0, 0]], [["new"]] * 4)
    assert clf.classes_[clf.top_k(X[1:4], 1)[0][:, 0]].tolist() == ["b", "c", "d"]
    assert clf.classes_.tolist() == ["a", "b", "c", "d", "x", "new"]
    assert "new" in clf.classes_[clf.top_k(X[:1], 2)[0][0]]


def test_a_batch_fit_may_use_the_grown_tree() -> None:
    clf = online(max_degree=2).partial_fit(X, Y)
    tree = clf.tree_
    clf.set_params(tree=tree).fit(X, Y)
    assert clf.tree_.to_nested() == tree.to_nested()
    assert clf._state is None or clf._state.learner is None


def test_a_forest_has_no_partial_fit() -> None:
    assert not hasattr(PLTClassifier(n_trees=2), "partial_fit")


# Files, pickles and copies ------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [Y, [row[0] for row in Y]])
@pytest.mark.parametrize("way", ["file", "pickle", "copy"])
def test_learning_continues_after_a_copy(way, labels, tmp_path) -> None:
    clf = online().partial_fit(X[:6], labels[:6])
    if way == "file":
        clf.save(tmp_path / "model.lt")
        other = lt.load(tmp_path / "model.lt")
    else:
        other = pickle.loads(pickle.dumps(clf)) if way == "pickle" else copy.deepcopy(clf)
    assert same_predictions(clf, other)
    assert same_predictions(clf.partial_fit(X, labels), other.partial_fit(X, labels))
    assert clf.tree_cost_ == other.tree_cost_


def test_columns_of_an_indicator_survive_a_file(tmp_path) -> None:
    indicator = sparse.csr_array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]])
    clf = online().partial_fit(X[:3], indicator)
    clf.save(tmp_path / "model.lt")
    other = lt.load(tmp_path / "model.lt")
    assert same_predictions(clf.partial_fit(X[:3], indicator), other.partial_fit(X[:3], indicator))


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"optimizer": "adam"}, "optimizer must be one of adagrad, ftrl, but is 'adam'"),
        ({"insert": "top"}, "insert must be one of cost, cost\\+score, score, but is 'top'"),
        ({"learning_rate": 0}, "learning_rate must be above 0, but is 0"),
        ({"smoothing": -1}, "smoothing must be above 0, but is -1"),
        ({"l2": -1}, "l2 must be at least 0, but is -1"),
        ({"max_degree": 1}, "max_degree must be at least 2, but is 1"),
        ({"max_weights": 0}, "max_weights must be at least 1, but is 0"),
        ({"speed": 1}, "online_params must be among .*, but one is 'speed'"),
    ],
)
def test_errors_name_invalid_parameters(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        OnlineParams.parse(options)


def test_online_params_must_be_a_mapping() -> None:
    with pytest.raises(TypeError, match="online_params must be a mapping or None, but is 3"):
        PLTClassifier(online_params=3).partial_fit(X, Y)


def test_another_number_of_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="X has 3 features, but PLTClassifier is expecting 4"):
        online().partial_fit(X, Y).partial_fit(X[:, :3], Y)


def test_another_form_of_labels_is_refused() -> None:
    with pytest.raises(ValueError, match="same form in all calls, but was sets and is now classes"):
        online().partial_fit(X, Y).partial_fit(X[:1], ["a"])


def test_nan_is_refused_and_nothing_is_learned() -> None:
    clf = online().partial_fit(X, Y)
    before = clf.n_rows_
    with pytest.raises(ValueError, match="X must not contain NaN"):
        clf.partial_fit([[np.nan, 0, 0, 0]], [["z"]])
    assert clf.n_rows_ == before
    assert "z" not in clf.classes_


def test_predicting_before_any_label_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one label, but no row has had one"):
        online().partial_fit(X[:1], [[]]).predict(X)


def test_removing_an_unknown_label_is_refused() -> None:
    with pytest.raises(ValueError, match="labels to remove must be in classes_, but 'q' is not"):
        online().partial_fit(X, Y).remove_labels(["q"])


def test_partial_fit_refuses_class_weight() -> None:
    with pytest.raises(ValueError, match="class_weight must be None for partial_fit"):
        PLTClassifier(class_weight="balanced").partial_fit(X, Y)


def test_rebuild_tree_requires_known_labels() -> None:
    with pytest.raises(ValueError, match="label 'q' is new"):
        online().partial_fit(X, Y).rebuild_tree(X[:1], [["q"]])


# Recent rows and folded columns -------------------------------------------------------------------


@pytest.mark.parametrize("indices", [[0, 0, 1], [0, 2, 1]])
def test_kept_rows_of_a_file_have_ascending_features(indices: list[int]) -> None:
    recent = RecentRows(3, 4)
    recent.add(lt.data.as_features([[1, 2, 3, 0]]), lt.data.as_labels([[1]], n_labels=2))
    arrays = recent.to_arrays()
    assert RecentRows.from_arrays(arrays, 3, 4, 2).features.nnz == 3
    arrays["indices"] = np.array(indices, np.int32)
    with pytest.raises(ValueError, match="features of a kept row must ascend"):
        RecentRows.from_arrays(arrays, 3, 4, 2)


def test_only_recent_rows_are_kept() -> None:
    recent = RecentRows(3, 4)
    for i in range(10):
        features = lt.data.as_features(np.eye(4)[[i % 4]])
        recent.add(features, lt.data.as_labels([[i % 2]], n_labels=2))
    assert recent.features.indices.tolist() == [3, 0, 1]
    assert recent.rows(2).indices.tolist() == [1, 0, 1]


def test_folding_requires_at_least_one_column() -> None:
    with pytest.raises(ValueError, match="n_features must be at least 1, but is 0"):
        fold_columns(X, 0)


# Texts --------------------------------------------------------------------------------------------

TEXTS = ["green tea", "rye bread", "black tea", "white bread"] * 3
TAGS = [["tea"], ["bread"], ["tea"], ["bread"]] * 3


def test_a_tagger_learns_new_words_and_tags() -> None:
    tagger = TextTagger(n_features=2**10, n_jobs=1).partial_fit(TEXTS, TAGS)
    tagger.partial_fit(["strawberry jam"] * 3, [["jam"]] * 3)
    assert tagger.predict(["jam", "tea"]) == [["jam"], ["tea"]]


def test_a_tagger_predicts_before_it_learns() -> None:
    tagger = TextTagger(n_features=2**10, n_jobs=1)
    predicted = tagger.predict_then_fit(TEXTS, TAGS, 1)
    assert predicted[0] == []
    assert [row[0][0] for row in predicted[8:]] == ["tea", "bread", "tea", "bread"]


def test_a_new_tagger_without_hashing_is_refused() -> None:
    with pytest.raises(ValueError, match="set n_features"):
        TextTagger().partial_fit(TEXTS, TAGS)


def test_a_fitted_tagger_continues_learning(tmp_path) -> None:
    tagger = TextTagger(n_jobs=1).fit(TEXTS, TAGS).partial_fit(["green"] * 5, [["leaf"]] * 5)
    tagger.save(tmp_path / "model.lt")
    other = lt.load(tmp_path / "model.lt").partial_fit(TEXTS, TAGS)
    assert other.classes_.tolist() == ["bread", "tea", "leaf"]


def test_a_tagger_removes_labels_and_rebuilds_its_tree() -> None:
    tagger = TextTagger(n_features=2**10, n_jobs=1).partial_fit(TEXTS, TAGS)
    assert tagger.rebuild_tree().remove_labels(["tea"]).classes_.tolist() == ["bread"]
    assert tagger.tree_cost_.n_rows == len(TEXTS)

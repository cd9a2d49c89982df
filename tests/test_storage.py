"""Estimators in model files: the same answers, and no file that is believed unseen."""

import copy
import json
import os
import pickle
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import BernoulliNB

import labeltree as lt
from labeltree import HSMClassifier, LabelTree, ModelFileError, PLTClassifier
from labeltree.storage.summary import summarize
from labeltree.trees import CostModel
from tests.model_files import edited, put, take_apart, with_array
from tests.models import write

MODELS = Path(__file__).parent / "models"
X = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]], np.float32)
Y = [["tea", "milk"], ["tea"], ["bread"], ["jam"], ["bread", "jam"]]
CLASSES = ["tea", "milk", "bread", "jam", "tea"]
TREE = LabelTree.from_nested([["tea", "milk"], ["bread", "jam"]])


def kept(clf: PLTClassifier, folder: Path) -> PLTClassifier:
    """The estimator, saved and loaded."""
    clf.save(folder / "model.lt")
    return lt.load(folder / "model.lt")


def assert_same(one: PLTClassifier, other: PLTClassifier) -> None:
    """Same answers to the last bit, same attributes, same parameters."""
    assert type(one) is type(other)
    found, expected = one.predict_proba(X), other.predict_proba(X)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    np.testing.assert_array_equal(one.top_k(X, 3)[0], other.top_k(X, 3)[0])
    assert one.predict_labels(X) == other.predict_labels(X)
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.classes_.dtype == other.classes_.dtype
    assert one.trees_ == other.trees_
    for name in ("label_kind_", "n_features_in_", "training_cost_", "n_visits_", "n_rows_"):
        assert getattr(one, name) == getattr(other, name)
    assert one.get_params() == other.get_params()


@pytest.fixture
def clf() -> PLTClassifier:
    return PLTClassifier(tree=TREE, n_jobs=1).fit(X, Y)


@pytest.fixture
def path(clf, tmp_path) -> Path:
    clf.save(tmp_path / "model.lt")
    return tmp_path / "model.lt"


# What is saved is loaded ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [
        PLTClassifier(),
        PLTClassifier(loss="logistic", threshold=0.3, normalize=False),
        PLTClassifier(tree="kmeans", n_trees=3, tree_options={"max_leaf": 1}),
        PLTClassifier(tree="cheapest", tree_options={"sweeps": 1}, class_weight={"tea": 2.0}),
        PLTClassifier(tree="blend", tree_options={"cost_model": CostModel(per_row=3.0)}),
        PLTClassifier(tree=TREE),
        PLTClassifier(tree=[TREE, TREE], row_sample=0.8),
        PLTClassifier(max_memory="1GB", n_jobs=2, C=np.float64(2.0), random_state=None),
    ],
)
def test_a_loaded_estimator_answers_as_the_saved_one(estimator, tmp_path) -> None:
    clf = estimator.fit(X, Y)
    loaded = kept(clf, tmp_path)
    assert_same(loaded, clf)
    assert loaded.peak_memory_ == clf.peak_memory_


def test_rows_without_labels_keep_the_classifier_of_the_root(tmp_path) -> None:
    clf = PLTClassifier().fit(X, [*Y[:4], []])
    assert_same(kept(clf, tmp_path), clf)


def test_weights_of_one_byte_come_back(clf, tmp_path) -> None:
    clf.model_ = clf.model_.rounded()
    assert_same(kept(clf, tmp_path), clf)


def test_weights_stay_in_the_map(path) -> None:
    layout = lt.load(path).model_.layouts[0]
    assert not layout.bytes.flags.owndata
    assert not layout.bytes.flags.writeable


def test_classes_of_a_hierarchical_softmax_come_back(tmp_path) -> None:
    clf = HSMClassifier().fit(X, CLASSES)
    loaded = kept(clf, tmp_path)
    assert_same(loaded, clf)
    assert loaded.predict(X).tolist() == clf.predict(X).tolist()


@pytest.mark.parametrize(
    "classes",
    [
        [0, 1, 2, 3, 0],
        [7, -1, 2, 3, 7],
        np.array([3, 1, 2, 9, 3], np.uint8),
        np.array([7, 1, 2, 3, 7], np.float32),
        [True, False, True, False, True],
        np.array(["a", "bb", "é", "日本語", "a"]),
        ["", "a\0b", "line\nbreak", "𝔘", ""],
    ],
)
def test_every_kind_of_names_comes_back(classes, tmp_path) -> None:
    clf = PLTClassifier().fit(X, classes)
    assert_same(kept(clf, tmp_path), clf)


def test_an_indicator_without_names_needs_no_array_for_them(tmp_path) -> None:
    clf = PLTClassifier().fit(X, np.eye(5, 4, dtype=int))
    assert_same(kept(clf, tmp_path), clf)
    parts, _ = take_apart((tmp_path / "model.lt").read_bytes())
    assert parts["header"]["label_names"] == "positions"
    assert not any(entry["name"].startswith("labels") for entry in parts["arrays"])


def test_names_of_features_come_back_and_are_compared(tmp_path) -> None:
    frame = pd.DataFrame(X, columns=["sweet", "warm", "größer"])
    loaded = kept(PLTClassifier().fit(frame, Y), tmp_path)
    assert loaded.feature_names_in_.tolist() == ["sweet", "warm", "größer"]
    loaded.predict(frame)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"sweet": "sour"}))


def test_names_are_made_when_they_are_asked_for(path) -> None:
    loaded = lt.load(path)
    assert "classes_" not in vars(loaded)
    assert loaded.top_k(X, 1)[0].shape == (5, 1)
    assert "classes_" not in vars(loaded)
    assert loaded.classes_ is loaded.classes_


def test_a_model_without_names_of_features_has_none(path) -> None:
    assert not hasattr(lt.load(path), "feature_names_in_")


def test_a_new_estimator_has_no_classes() -> None:
    with pytest.raises(AttributeError, match="'PLTClassifier' object has no attribute 'classes_'"):
        _ = PLTClassifier().classes_


def test_a_loaded_estimator_pickles_without_its_file(clf, path) -> None:
    pickled = pickle.dumps(lt.load(path))
    path.unlink()
    assert_same(pickle.loads(pickled), clf)


def test_a_loaded_estimator_copies(clf, path) -> None:
    assert_same(copy.deepcopy(lt.load(path)), clf)


def test_saving_a_loaded_estimator_gives_the_same_bytes(path, tmp_path) -> None:
    lt.load(path).save(tmp_path / "again.lt")
    assert (tmp_path / "again.lt").read_bytes() == path.read_bytes()


def test_a_loaded_estimator_may_be_saved_over_its_own_file(clf, path) -> None:
    lt.load(path).save(path)
    assert_same(lt.load(path), clf)


def test_a_loaded_estimator_may_be_fitted_again(tmp_path) -> None:
    frame = pd.DataFrame(X, columns=["sweet", "warm", "round"])
    loaded = kept(PLTClassifier().fit(frame, Y), tmp_path)
    loaded.fit(X[:3], ["a", "b", "a"])
    assert not hasattr(loaded, "feature_names_in_")
    assert_same(loaded, PLTClassifier().fit(X[:3], ["a", "b", "a"]))


def test_a_file_tells_nothing_about_the_machine(tmp_path) -> None:
    clf = PLTClassifier(checkpoint=str(tmp_path / "secret-folder")).fit(X, Y)
    loaded = kept(clf, tmp_path)
    assert loaded.checkpoint is None
    assert b"secret-folder" not in (tmp_path / "model.lt").read_bytes()


def test_a_file_of_each_format_still_opens_and_answers_the_same() -> None:
    files = sorted(MODELS.glob("*.lt"))
    assert files
    for file in files:
        answers = json.loads(file.with_suffix(".json").read_text())
        loaded = lt.load(file)
        assert loaded.classes_.tolist() == answers["classes"]
        found = loaded.predict_proba(write.X).toarray()
        np.testing.assert_allclose(found, answers["probabilities"], rtol=1e-6)


# What no file holds -----------------------------------------------------------------------------


def test_a_new_estimator_cannot_be_saved(tmp_path) -> None:
    with pytest.raises(NotFittedError):
        PLTClassifier().save(tmp_path / "model.lt")


@pytest.mark.parametrize("labels", [["a", 1], [("a", "b"), ("c", "d")], [b"a", b"b"]])
def test_names_of_other_kinds_are_refused(labels, tmp_path) -> None:
    clf = PLTClassifier().fit(X[:2], [[label] for label in labels])
    with pytest.raises(ValueError, match="labels that are all text or all numbers"):
        clf.save(tmp_path / "model.lt")
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_no_unicode_are_refused(tmp_path) -> None:
    clf = PLTClassifier().fit(X[:2], [["\ud800"], ["b"]])
    with pytest.raises(ValueError, match="labels must be Unicode text"):
        clf.save(tmp_path / "model.lt")


def test_python_objects_in_nodes_are_refused(tmp_path) -> None:
    clf = PLTClassifier(node_estimator=BernoulliNB()).fit(X, Y)
    with pytest.raises(ValueError, match="node_estimator= holds Python objects"):
        clf.save(tmp_path / "model.lt")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"node_estimator": BernoulliNB()}, "node_estimator must be a plain value"),
        ({"random_state": np.random.RandomState(0)}, "random_state must be a plain value"),
        ({"tree_options": {"key": len}}, "tree_options must be a plain value .* is a builtin"),
        ({"C": np.inf}, "C must be finite to be saved"),
        ({"tree": TREE}, "tree must be what the model was fitted with"),
        ({"threshold": 2.0}, "threshold must lie in 0..1, but is 2.0"),
        ({"normalize": None}, "normalize must be True or False"),
    ],
)
def test_parameters_that_no_file_holds_are_refused(parameters, message, tmp_path) -> None:
    clf = PLTClassifier(tree="star").fit(X, Y).set_params(**parameters)
    with pytest.raises(ValueError, match=message):
        clf.save(tmp_path / "model.lt")
    assert list(tmp_path.iterdir()) == []


def test_an_estimator_of_ones_own_is_refused(tmp_path) -> None:
    class Mine(PLTClassifier):
        pass

    with pytest.raises(ValueError, match="but this is a Mine; pickle it"):
        Mine().fit(X, Y).save(tmp_path / "model.lt")


def test_weights_beyond_float32_are_refused_when_read_back(tmp_path, monkeypatch) -> None:
    clf = PLTClassifier().fit(X, Y)
    meta, arrays = clf.model_.to_arrays()
    arrays["tree0.bias"] = np.full_like(arrays["tree0.bias"], np.inf)
    monkeypatch.setattr(type(clf.model_), "to_arrays", lambda self: (meta, arrays))
    with pytest.raises(ModelFileError, match=r"bias, .* must be finite"):
        kept(clf, tmp_path)


def test_ctrl_c_while_saving_keeps_the_old_model(clf, path, monkeypatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        PLTClassifier().fit(X, CLASSES).save(path)
    assert list(path.parent.iterdir()) == [path]
    assert_same(lt.load(path), clf)


# Hostile files ----------------------------------------------------------------------------------
# TREE has node 0 with children 1 and 2, and leaves 3, 4 under 1 and 5, 6 under 2.


def is_refused(path: Path, file: bytes, match: str) -> None:
    attacked = put(path.parent, file)
    with pytest.raises(ModelFileError, match=match) as failure:
        lt.load(attacked)
    assert str(failure.value).startswith(str(attacked))


@pytest.mark.parametrize(
    ("parent", "message"),
    [
        ([-1, 2, 1, 1, 1, 2, 2], "tree0: a tree has no cycle"),
        ([-1, 0, 2, 1, 1, 2, 2], "tree0: a tree has no cycle, but node 2 is its own ancestor"),
        ([1, 0, 0, 1, 1, 2, 2], "tree0: a tree has one root, but no node has parent -1"),
        ([-1, -1, 0, 1, 1, 2, 2], "tree0: a tree has one root, but node 0 and node 1"),
        ([-1, 0, 0, 1, 1, 2, 7], "tree0: parents must lie in -1..6, but node 6 has 7"),
        ([-1, 0, 0, 1, 1, 2, -2], "tree0: parent lies in -1.."),
        ([-1, 0, 0, 2, 2, 1, 1], "tree0: nodes must be numbered breadth first"),
        ([-1, 0, 0, 1, 1, 1, 1], "tree0: every leaf has a label, but node 2"),
    ],
)
def test_a_hostile_tree_is_refused(parent, message, path) -> None:
    content = np.array(parent, np.int32).tobytes()
    is_refused(path, with_array(path.read_bytes(), "tree0.parent", content), message)


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ([-1, -1, -1, 0, 1, 2, 2], "a label sits on one leaf, but label 2"),
        ([-1, -1, -1, 0, 1, 2, 4], "labels of 4 leaves are 0..3"),
        ([-1, -1, -1, 0, 1, 2, -1], "every leaf has a label"),
        ([-1, -1, -1, 0, 1, 2, -5], "labels? "),
        ([-1, 3, -1, 0, 1, 2, 3], "labels sit on leaves, but node 1"),
    ],
)
def test_hostile_labels_of_a_tree_are_refused(label, message, path) -> None:
    content = np.array(label, np.int32).tobytes()
    is_refused(path, with_array(path.read_bytes(), "tree0.label", content), message)


def array_of(path: Path, name: str) -> np.ndarray:
    return lt.storage.read_file(path).arrays[name].copy()


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("tree0.bias", 2, -np.inf, "bias, .* must be finite, but are not in node 2"),
        ("tree0.bias", 0, np.nan, "bias, .* must be finite, but are not in node 0"),
        ("tree0.shift", 0, 17, "shift must be at most 16, but is 17"),
        ("tree0.bucket_begin", 1, -1, "bucket_begin must lie within buckets, but is -1"),
        ("tree0.bucket_begin", 1, 2**62, "bucket_begin must lie within buckets"),
        ("tree0.byte_begin", 1, -(2**62), "byte_begin must lie within bytes"),
        ("tree0.byte_begin", 1, 2**40, "byte_begin must lie within bytes"),
        ("labels.ends", 1, 2**40, r"labels.ends must not decrease"),
        ("labels.ends", -1, 3, r"labels.ends must begin with 0 and end with"),
        ("labels.text", 0, 0xFF, r"labels.text must be UTF-8"),
        ("labels.text", 2, 0xC3, r"labels.text must be UTF-8|within a character"),
    ],
)
def test_hostile_arrays_are_refused(name, place, value, message, path) -> None:
    array = array_of(path, name)
    array[place] = value
    is_refused(path, with_array(path.read_bytes(), name, array.tobytes()), message)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_found_and_give_no_nan(value, clf, path) -> None:
    weight = clf.model_.weights().values[0].tobytes()
    content = array_of(path, "tree0.bytes").tobytes()
    assert weight in content
    content = content.replace(weight, np.float32(value).tobytes())
    attacked = with_array(path.read_bytes(), "tree0.bytes", content)
    put(path.parent, attacked)
    with pytest.raises(ModelFileError, match=r"attacked.lt: tree0.bytes: weights must be finite"):
        summarize(path.parent / "attacked.lt", verify=True)
    probabilities = lt.load(path.parent / "attacked.lt").predict_proba(X).data
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


@pytest.mark.parametrize(
    ("n_columns", "name", "value", "message"),
    [
        (3, "tree0.buckets", 2**32 - 1, "buckets must lie within bytes"),
        (300, "tree0.buckets", 2**32 - 1, "buckets must lie within bytes"),
        (300, "tree0.bytes", 255, "must"),  # where features share a bucket, it says how many
    ],
)
def test_weights_that_lie_outside_are_found_and_never_read(
    n_columns, name, value, message, tmp_path
) -> None:
    wide = np.pad(X, ((0, 0), (0, n_columns - 3)))
    PLTClassifier(tree=TREE, n_jobs=1).fit(wide, Y).save(tmp_path / "model.lt")
    array = array_of(tmp_path / "model.lt", name)
    array[0] = value
    content = with_array((tmp_path / "model.lt").read_bytes(), name, array.tobytes())
    attacked = put(tmp_path, content)
    with pytest.raises(ModelFileError, match=rf"attacked.lt: tree0.bytes: .*{message}"):
        summarize(attacked, verify=True)
    probabilities = lt.load(attacked).predict_proba(wide).data
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


def test_names_may_not_end_within_a_character(tmp_path) -> None:
    clf = PLTClassifier().fit(X[:2], [["é"], ["zz"]])
    clf.save(tmp_path / "model.lt")
    ends = np.array([0, 3, 4])  # of zz and é
    assert array_of(tmp_path / "model.lt", "labels.ends").tolist() == [0, 2, 4]
    attacked = with_array((tmp_path / "model.lt").read_bytes(), "labels.ends", ends.tobytes())
    is_refused(tmp_path / "model.lt", attacked, r"labels.ends must not lie within a character")


def header_edit(*keys: str, value: object):
    def edit(parts) -> None:
        inner = parts["header"]
        for key in keys[:-1]:
            inner = inner[key]
        if value is None:
            del inner[keys[-1]]
        else:
            inner[keys[-1]] = value

    return edit


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["estimator"], None, "'estimator' of the header is missing"),
        (["estimator"], "OSError", "estimator 'OSError' is unknown"),
        (["estimator"], ["PLTClassifier"], "estimator of the header is of the wrong kind"),
        (["magic"], 1, "'magic' of the header is unknown to this release"),
        (["label_kind"], "rows", "label_kind must be one of"),
        (["label_names"], "pickled", "unknown kind 'pickled'"),
        (["label_names"], "numbers", r"array labels.values is missing"),
        (["feature_names"], "text", r"array features.text is missing"),
        (["trees_have_names"], 1, "wrong kind"),
        (["training", "n_rows"], -1, "n_rows must be an integer of at least 0, but is -1"),
        (["training", "n_rows"], True, "n_rows must be an integer"),
        (["training", "n_rows"], None, "training must have"),
        (["written_by", "labeltree"], "\x1b[2J", "printable"),
        (["written_by", "labeltree"], 1, "printable"),
        (["model", "n_trees"], 0, "n_trees must be an integer in 1.."),
        (["model", "n_trees"], 2, r"array tree1.parent is missing"),
        (["model", "n_trees"], 10**9, "n_trees must be an integer in 1.."),
        (["model", "n_trees"], 1.0, "n_trees must be an integer"),
        (["model", "n_features"], 10**12, "n_features must be an integer in 1.."),
        (["model", "n_features"], True, "n_features must be an integer"),
        (["model", "n_features"], 2**31 - 1, "bucket_begin must lie within buckets"),
        (["model", "link"], "cosine", "link must be one of"),
        (["model", "link"], ["logistic"], "link must be one of"),
        (["model", "has_root"], 1, "has_root must be a boolean, but is 1"),
        (["model", "siblings"], "cover", "a model must have n_trees"),
        (["model", "has_root"], None, "a model must have n_trees"),
        (["parameters", "beam"], 10, "parameter 'beam' is unknown to this release. Upgrade"),
        (["parameters", "threshold"], 2, "threshold must lie in 0..1"),
        (["parameters", "threshold"], "0.5", "threshold must be a number"),
        (["parameters", "normalize"], "yes", "normalize must be True or False"),
        (["parameters", "n_jobs"], 0, "n_jobs must be a number of threads"),
        (["parameters", "n_jobs"], "all", "n_jobs must be an integer"),
        (["parameters", "tree"], {"given trees": [7]}, "parameter tree is of an unknown kind"),
        (["parameters", "C"], {"given trees": 1}, "parameter C is of an unknown kind"),
        (["parameters", "C"], {"a": 1, "b": 2}, "parameter C is of an unknown kind"),
        (["parameters", "C"], {"mapping": [[[], 1]]}, "C must be a list of pairs"),
        (["parameters", "C"], {"cost model": {"mapping": []}}, "C must be a price list"),
        (["parameters"], [1], "parameters of the header is of the wrong kind"),
    ],
)
def test_a_hostile_header_of_a_model_is_refused(keys, value, message, path) -> None:
    edit = header_edit(*keys, value=value)
    is_refused(path, edited(path.read_bytes(), edit), message)


def test_a_price_list_of_a_file_is_checked(path) -> None:
    prices = {"cost model": {"mapping": [["per_row", -1], ["per_pair", 1.0]]}}
    edit = header_edit("parameters", "C", value=prices)
    is_refused(path, edited(path.read_bytes(), edit), "per_row must be finite and at least 0")


def test_a_parameter_that_an_older_file_lacks_has_its_default(path) -> None:
    edit = header_edit("parameters", "sum_to_one", value=None)
    assert lt.load(put(path.parent, edited(path.read_bytes(), edit))).sum_to_one is True


def test_trees_of_different_labels_are_refused(tmp_path) -> None:
    clf = PLTClassifier(tree=[TREE, TREE]).fit(X, Y)
    meta, arrays = clf.model_.to_arrays()
    small = PLTClassifier(tree="star").fit(X[:2], Y[:2]).model_.to_arrays()[1]
    arrays |= {name.replace("tree0", "tree1"): array for name, array in small.items()}
    with pytest.raises(ValueError, match="all trees must have the same labels"):
        type(clf.model_).from_arrays(meta, arrays)


@pytest.mark.parametrize("method", ["isotonic", "depth", "depth_isotonic", None])
@pytest.mark.parametrize("objective", ["macro_f1", "expected_f1", None])
def test_calibration_and_thresholds_are_kept(tmp_path, method, objective) -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.random((80, 6)), (rng.random((80, 5)) < 0.3).astype(np.uint8)
    clf = PLTClassifier(n_trees=2, tree="random").fit(X[:60], Y[:60])
    clf.calibrate(X[60:], Y[60:], method=method)
    if objective is not None:
        clf.tune_thresholds(X[60:], Y[60:], objective)
    clf.save(tmp_path / "model.lt")
    opened = lt.load(tmp_path / "model.lt")
    np.testing.assert_array_equal(opened.predict_proba(X).toarray(), clf.predict_proba(X).toarray())
    np.testing.assert_array_equal(opened.predict(X).toarray(), clf.predict(X).toarray())
    assert opened.model_.calibration.objective == objective

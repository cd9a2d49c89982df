"""Estimators in model files: the same predictions, and what no file holds."""

import copy
import json
import os
import pickle
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import BernoulliNB

import labeltree as lt
from labeltree import HSMClassifier, ModelFileError, PLTClassifier
from labeltree.storage.parameters import RUN_ONLY
from labeltree.trees import CostModel
from tests.fitted import with_model
from tests.models import write
from tests.reference import storage as reference
from tests.storage.small_model import TREE, X, Y

MODELS = Path(__file__).parent.parent / "models"
CLASSES = ["tea", "milk", "bread", "jam", "tea"]


def kept(clf: PLTClassifier, folder: Path) -> PLTClassifier:
    """The estimator, saved and loaded."""
    clf.save(folder / "model.lt")
    return lt.load(folder / "model.lt")


def kept_parameters(estimator) -> dict[str, object]:
    """Parameters without those that describe a run."""
    given = estimator.get_params()
    return {name: value for name, value in given.items() if name not in RUN_ONLY}


def assert_same(one: PLTClassifier, other: PLTClassifier) -> None:
    """Same answers to the last bit, same attributes, same parameters."""
    assert type(one) is type(other)
    found, expected = one.predict_proba(X), other.predict_proba(X)
    assert type(found) is type(expected)
    np.testing.assert_array_equal(*(sparse.csr_array(p).toarray() for p in (found, expected)))
    np.testing.assert_array_equal(one.top_k(X, 3)[0], other.top_k(X, 3)[0])
    assert one.predict_labels(X) == other.predict_labels(X)
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.classes_.dtype == other.classes_.dtype
    assert one.trees_ == other.trees_
    for name in ("label_kind_", "n_features_in_", "training_cost_", "n_visits_", "n_rows_"):
        assert getattr(one, name) == getattr(other, name)
    assert kept_parameters(one) == kept_parameters(other)


# What is saved is loaded ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [
        PLTClassifier(),
        PLTClassifier(loss="logistic", threshold=0.3, normalize=False),
        PLTClassifier(tree="kmeans", n_trees=3, tree_params={"max_leaf_size": 1}),
        PLTClassifier(tree="cheapest", tree_params={"sweeps": 1}, class_weight={"tea": 2.0}),
        PLTClassifier(tree="blend", tree_params={"cost_model": CostModel(per_row=3.0)}),
        PLTClassifier(tree=TREE),
        PLTClassifier(tree=[TREE, TREE], max_samples=0.8),
        PLTClassifier(tree=[TREE, "kmeans", TREE], max_samples=0.8),
        PLTClassifier(max_memory="1GB", n_jobs=2, C=np.float64(2.0), random_state=None),
    ],
)
def test_a_loaded_estimator_answers_as_the_saved_one(estimator, tmp_path) -> None:
    clf = estimator.fit(X, Y)
    loaded = kept(clf, tmp_path)
    assert_same(loaded, clf)


def test_rows_without_labels_keep_the_classifier_of_the_root(tmp_path) -> None:
    clf = PLTClassifier().fit(X, [*Y[:4], []])
    assert_same(kept(clf, tmp_path), clf)


def test_weights_of_one_byte_come_back(clf, tmp_path) -> None:
    with_model(clf, clf.model_.quantized())
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
    labels = reference.read_sections((tmp_path / "model.lt").read_bytes())["labels"]
    assert labels["content"]["names"] == "positions"
    assert labels["arrays"] == {}


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
    with pytest.raises(AttributeError, match="This PLTClassifier instance is not fitted yet"):
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
    clf = PLTClassifier(checkpoint_dir=str(tmp_path / "secret-folder")).fit(X, Y)
    loaded = kept(clf, tmp_path)
    assert loaded.checkpoint_dir is None
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
    with pytest.raises(ValueError, match="a model file is for native nodes"):
        clf.save(tmp_path / "model.lt")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"node_estimator": BernoulliNB()}, "node_estimator must be a plain value"),
        ({"random_state": np.random.RandomState(0)}, "random_state must be a plain value"),
        ({"tree_params": {"key": len}}, "tree_params must be a plain value .* is a builtin"),
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
    np.testing.assert_array_equal(opened.predict_proba(X), clf.predict_proba(X))
    np.testing.assert_array_equal(opened.predict(X), clf.predict(X))
    assert opened.model_.calibration.objective == objective

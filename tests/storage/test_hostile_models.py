"""Hostile model files: nothing in them is trusted."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import labeltree as lt
from labeltree import ModelFileError, PLTClassifier
from labeltree.estimators.summary import summarize
from tests.model_files import (
    content_edit,
    edited,
    put,
    section,
    with_array,
    with_section,
)
from tests.storage.refusals import array_of, is_refused, online_file, rename_array
from tests.storage.small_model import TREE, X, Y


@pytest.mark.parametrize(
    ("parent", "message"),
    [
        ([-1, 2, 1, 1, 1, 2, 2], "tree0: a tree has no cycle"),
        ([-1, 0, 2, 1, 1, 2, 2], "tree0: a tree has no cycle, but node 2 is its own ancestor"),
        ([1, 0, 0, 1, 1, 2, 2], "tree0: a tree has one root, but no node has parent -1"),
        ([-1, -1, 0, 1, 1, 2, 2], "tree0: a tree has one root, but node 0 and node 1"),
        ([-1, 0, 0, 1, 1, 2, 7], "tree0: parents must lie in -1..6, but node 6 has 7"),
        ([-1, 0, 0, 1, 1, 2, -2], "tree0: parents must lie in -1..6, but node 6 has -2"),
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
        ("tree0.weight_bytes", 0, 3, "weight_bytes must be 1, 2 or 4, but is 3"),
        ("tree0.weight_bytes", 0, 4, "scale must have one number for each node, or none"),
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


@pytest.fixture
def floats() -> PLTClassifier:
    return PLTClassifier(tree=TREE, n_jobs=1, normalize=False).fit(X, Y)


@pytest.fixture
def float_path(floats, tmp_path) -> Path:
    floats.save(tmp_path / "model.lt")
    return tmp_path / "model.lt"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_found_and_give_no_nan(value, floats, float_path) -> None:
    weight = floats.model_.weights().values[0].tobytes()
    content = array_of(float_path, "tree0.bytes").tobytes()
    assert weight in content
    content = content.replace(weight, np.float32(value).tobytes())
    attacked = with_array(float_path.read_bytes(), "tree0.bytes", content)
    put(float_path.parent, attacked)
    with pytest.raises(ModelFileError, match=r"attacked.lt: tree0.bytes: weights must be finite"):
        summarize(float_path.parent / "attacked.lt", verify=True)
    probabilities = lt.load(float_path.parent / "attacked.lt").predict_proba(X).data
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


@pytest.mark.parametrize("continued", ["partial_fit", "fit"])
def test_weights_that_are_not_finite_are_not_learned_from(continued, floats, float_path) -> None:
    weight = floats.model_.weights().values[0].tobytes()
    content = (
        array_of(float_path, "tree0.bytes").tobytes().replace(weight, np.float32("nan").tobytes())
    )
    file = put(float_path.parent, with_array(float_path.read_bytes(), "tree0.bytes", content))
    loaded = lt.load(file).set_params(warm_start=True)
    with pytest.raises(ValueError, match="only continue from finite weights"):
        getattr(loaded, continued)(X, Y)


def test_weights_that_are_not_finite_are_not_explained(floats, float_path) -> None:
    weight = floats.model_.weights().values[0].tobytes()
    content = (
        array_of(float_path, "tree0.bytes").tobytes().replace(weight, np.float32(np.nan).tobytes())
    )
    attacked = put(float_path.parent, with_array(float_path.read_bytes(), "tree0.bytes", content))
    loaded, messages = lt.load(attacked), []
    for label in loaded.classes_.tolist():
        try:
            loaded.explain(X[:1] + 1, label)
        except ValueError as error:
            messages.append(str(error))
    assert any("weights must be finite to be explained" in message for message in messages)


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


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["kind"], None, "estimator None is unknown to this release"),
        (["kind"], "OSError", "estimator 'OSError' is unknown"),
        (["kind"], ["PLTClassifier"], "estimator \\['PLTClassifier'\\] is unknown"),
        (["kind"], "TextTagger", "section 'text' is missing"),
        (["magic"], 1, "section 'estimator': 'magic' is unknown to this release. Upgrade"),
        (["label_kind"], "rows", "label_kind must be one of"),
        (["label_kind"], None, "section 'estimator': 'label_kind' is missing"),
        (["label_kind"], 1, "section 'estimator': label_kind must be text, but is 1"),
        (["dense_labels"], None, "section 'estimator': 'dense_labels' is missing"),
        (["dense_labels"], 1, "section 'estimator': dense_labels must be true or false, but is 1"),
        (["parameters", "sparse_output"], "yes", 'sparse_output must be "auto", True or False'),
        (["training", "n_rows"], -1, r"n_rows must be an integer in 0\.\."),
        (["training", "n_rows"], 2**63 - 1, r"n_rows must be an integer in 0\.\.2\*\*62 - 1"),
        (["training", "n_rows"], True, "n_rows must be an integer"),
        (["training", "n_rows"], None, "training must have"),
        (["training", "seconds"], 1, "training must have .* and nothing else"),
        (["parameters", "beam"], 10, "parameter 'beam' is unknown to this release. Upgrade"),
        (["parameters", "threshold"], 2, "threshold must lie in 0..1"),
        (["parameters", "threshold"], "0.5", "threshold must be a number"),
        (["parameters", "normalize"], "yes", "normalize must be True or False"),
        (["parameters", "n_jobs"], 2, "parameter 'n_jobs' is unknown"),
        (["parameters", "tree"], {"given trees": [7]}, "parameter tree is of an unknown kind"),
        (["parameters", "tree"], [{"given tree": 7}], "parameter tree is of an unknown kind"),
        (["parameters", "tree"], [{"given tree": -1}], "parameter tree is of an unknown kind"),
        (["parameters", "C"], {"given trees": 1}, "parameter C is of an unknown kind"),
        (["parameters", "C"], {"a": 1, "b": 2}, "parameter C is of an unknown kind"),
        (["parameters", "C"], {"mapping": [[[], 1]]}, "C must be a list of pairs"),
        (["parameters", "C"], {"cost model": {"mapping": []}}, "C must be a cost model"),
        (["parameters"], [1], "section 'estimator': parameters must be an object"),
    ],
)
def test_a_hostile_estimator_section_is_refused(keys, value, message, path) -> None:
    edit = content_edit("estimator", *keys, value=value)
    is_refused(path, edited(path.read_bytes(), edit), message)


@pytest.mark.parametrize(
    ("name", "key", "value", "message"),
    [
        ("labels", "names", "pickled", "unknown kind 'pickled'"),
        ("labels", "names", "numbers", r"array labels.values is missing"),
        ("labels", "names", "positions", r"section 'labels': array labels.* is unknown"),
        ("labels", "names", None, "section 'labels': 'names' is missing"),
        ("labels", "trees_have_names", 1, "trees_have_names must be true or false, but is 1"),
        ("labels", "sizes", 1, "section 'labels': 'sizes' is unknown to this release"),
        ("written_by", "labeltree", "\x1b[2J", "printable"),
        ("settings", "tree", ["\x1b[2J"], "section 'settings': tree must be printable names"),
        ("settings", "tree", ["auto", "auto"], "section 'settings': tree must be printable names"),
        ("settings", "tree", [1], "section 'settings': tree must be printable names"),
        ("settings", "tree_params", [1], "tree_params must be the parameters of each"),
        ("settings", "max_iter", "9", "section 'settings': max_iter must be an integer"),
        ("settings", "depth", 1, "section 'settings': 'depth' is unknown"),
        ("written_by", "labeltree", 1, "section 'written_by': labeltree must be text, but is 1"),
        ("written_by", "python", "3", "section 'written_by': 'python' is unknown"),
        ("model", "n_trees", 0, "n_trees must be an integer in 1.."),
        ("model", "n_trees", 2, r"array tree1.parent is missing"),
        ("model", "n_trees", 10**9, "n_trees must be an integer in 1.."),
        ("model", "n_trees", 1.0, "n_trees must be an integer"),
        ("model", "n_features", 10**12, "n_features must be an integer in 1.."),
        ("model", "n_features", True, "n_features must be an integer"),
        ("model", "n_features", 2**31 - 1, "bucket_begin must lie within buckets"),
        ("model", "link", "cosine", "link must be one of"),
        ("model", "link", ["logistic"], "link must be one of"),
        ("model", "has_root", 1, "has_root must be a boolean, but is 1"),
        ("model", "siblings", "cover", "a model must have n_trees"),
        ("model", "has_root", None, "a model must have n_trees"),
        ("calibration", "objective", "accuracy", "objective must be null or one of"),
        ("calibration", "objective", None, "a calibration must have objective"),
        ("calibration", "method", "isotonic", "a calibration must have objective"),
    ],
)
def test_hostile_content_of_a_section_is_refused(name, key, value, message, path) -> None:
    edit = content_edit(name, key, value=value)
    is_refused(path, edited(path.read_bytes(), edit), message)


@pytest.mark.parametrize("name", ["estimator", "labels", "model"])
def test_a_section_that_every_model_has_may_not_be_missing(name, path) -> None:
    def rename(parts) -> None:
        section(parts, name).update(name="other", required=False)

    is_refused(path, edited(path.read_bytes(), rename), f"section '{name}' is missing")


@pytest.mark.parametrize(
    ("name", "before", "after", "message"),
    [
        ("calibration", "curve.x", "curve.z", "array curve.[yz] of the calibration is unknown"),
        ("calibration", "curve.y", "curve.z", "array curve.y is missing"),
        ("model", "tree0.bias", "tree0.slope", r"array tree0.bias is missing"),
        ("labels", "labels.text", "text", r"array labels.text is missing"),
    ],
)
def test_arrays_of_other_names_are_refused(name, before, after, message, path) -> None:
    edit = rename_array(before, after, name)
    is_refused(path, edited(path.read_bytes(), edit), message)


def move_arrays(source: str, target: str):
    """Let the section before take the arrays of the next one, which keeps them in order."""

    def edit(parts) -> None:
        section(parts, target)["arrays"] += section(parts, source)["arrays"]
        section(parts, source)["arrays"] = []

    return edit


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("labels", "written_by", r"array labels.text is missing|'written_by': array labels"),
        ("labels", "estimator", r"section 'estimator': array labels.\w+ is unknown"),
    ],
)
def test_arrays_of_another_section_are_refused(source, target, message, path) -> None:
    is_refused(path, edited(path.read_bytes(), move_arrays(source, target)), message)


def test_a_model_has_no_other_arrays_than_those_of_its_trees(tmp_path) -> None:
    path = online_file(tmp_path)
    file = edited(path.read_bytes(), move_arrays("online", "model"))
    is_refused(path, file, "must be those of its trees, but there are more")


def test_a_section_of_another_kind_of_estimator_is_refused(path) -> None:
    file = with_section(path.read_bytes(), "text", required=False)
    is_refused(path, file, "section 'text' does not belong to a PLTClassifier")


def test_a_cost_model_of_a_file_is_checked(path) -> None:
    prices = {"cost model": {"mapping": [["per_row", -1], ["per_pair", 1.0]]}}
    edit = content_edit("estimator", "parameters", "C", value=prices)
    is_refused(path, edited(path.read_bytes(), edit), "per_row must be at least 0")


def test_a_parameter_that_an_older_file_lacks_has_its_default(path) -> None:
    edit = content_edit("estimator", "parameters", "normalize_proba", value=None)
    assert lt.load(put(path.parent, edited(path.read_bytes(), edit))).normalize_proba == "auto"


def test_trees_of_different_labels_are_refused(tmp_path) -> None:
    clf = PLTClassifier(tree=[TREE, TREE]).fit(X, Y)
    meta, arrays = clf.model_.to_arrays()
    small = PLTClassifier(tree="star").fit(X[:2], Y[:2]).model_.to_arrays()[1]
    arrays |= {name.replace("tree0", "tree1"): array for name, array in small.items()}
    with pytest.raises(ValueError, match="all trees must have the same labels"):
        type(clf.model_).from_arrays(meta, arrays)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("names", "pickled", "names of features are of the unknown kind"),
        ("names", None, "section 'features': 'names' is missing"),
        ("units", "m", "section 'features': 'units' is unknown to this release"),
    ],
)
def test_hostile_names_of_features_are_refused(key, value, message, tmp_path) -> None:
    frame = pd.DataFrame(X, columns=["sweet", "warm", "round"])
    path = tmp_path / "model.lt"
    PLTClassifier(n_jobs=1).fit(frame, Y).save(path)
    is_refused(path, edited(path.read_bytes(), content_edit("features", key, value=value)), message)

"""Hostile states of online learning in model files."""

import numpy as np
import pytest

import labeltree as lt
from tests.model_files import (
    content_edit,
    edited,
    put,
    with_array,
)
from tests.storage.refusals import array_of, is_refused, online_file, rename_array
from tests.storage.small_model import X, Y


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("params", None, "section 'online': 'params' is missing"),
        ("params", [], "section 'online': params must be an object"),
        ("counts", "3", "section 'online': counts must be a list"),
        ("n_features", True, "section 'online': n_features must be an integer"),
        ("n_features", 2**40, "'online': n_features must be 3, as in the model, but is 10995"),
        ("learner", 1, "section 'online': 'learner' is unknown to this release"),
    ],
)
def test_hostile_online_content_is_refused(key, value, message, tmp_path) -> None:
    path = online_file(tmp_path)
    is_refused(path, edited(path.read_bytes(), content_edit("online", key, value=value)), message)


ONLINE_USES = {
    "save": lambda clf: clf.save("unused.lt"),
    "partial_fit": lambda clf: clf.partial_fit(X, Y),
    "rebuild_tree": lambda clf: clf.rebuild_tree(),
    "tree_cost_": lambda clf: clf.tree_cost_,
    "predict_proba_one": lambda clf: clf.predict_proba_one(np.zeros(1, "i4"), np.ones(1, "f4")),
}


@pytest.mark.parametrize("use", ONLINE_USES.values(), ids=ONLINE_USES)
@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("online.row_begin", 1, 2**40, "row_begin must ascend from 0 to"),
        ("online.row_begin", 1, -(2**40), "row_begin must ascend from 0 to"),
        ("online.row_begin", -1, 2**40, "row_begin must ascend from 0 to"),
        ("online.example_begin", -1, 2**40, "every example must have gradients"),
        ("online.loose_begin", 1, 2**40, "loose_begin must ascend from 0 to"),
        ("online.features", 1, 2**31 - 1, r"feature 2147483647 is outside 0\.\.2"),
        ("online.features", 0, 0, "the first feature of a node must be its bias"),
        ("online.features", 1, -1, "features of a node must ascend"),
        ("online.forms", 0, 0, "the first feature of a node must be its bias"),
        ("online.forms", 1, 4, r"forms must lie in 0\.\.3, but one is 4"),
        ("online.examples", 0, 2**31 - 1, r"example 2147483647 is outside 0\.\."),
        ("online.examples", 0, -1, r"example -1 is outside 0\.\."),
        ("online.values", 0, np.inf, "numbers of an online state must be finite"),
        ("online.gradients", 0, np.nan, "numbers of an online state must be finite"),
        ("online.loose_features", 0, 2**30, r"feature 1073741824 is outside 0\.\.2"),
        ("online.loose_lanes", 0, 2**31 - 1, "there is no lane 2147483647"),
        ("online.loose_lanes", 0, -(2**31), "there is no lane -2147483648"),
        ("online.loose_lanes", 0, 0, "loose numbers must be of a loose feature, but"),
        ("online.loose_numbers", 1, -1, "sums of squared gradients must be at least 0"),
        ("online.n_rows", 1, 2**63 - 1, "a node must have learned 0 to 5 rows, but one has 92233"),
        ("online.n_rows", 1, -1, "a node must have learned 0 to 5 rows, but one has -1"),
        ("online.numbers", 0, np.nan, "numbers of an online state must be finite"),
        ("online.numbers", 8, -1, "sums of squared gradients must be at least 0"),
        ("online.parent", 2, 7, "parents must lie in"),
        ("online.label", 2, 2**31 - 1, "labels of 4 leaves are"),
    ],
)
def test_a_hostile_online_state_is_refused_before_it_is_used(
    name, place, value, message, use, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = online_file(tmp_path)
    array = array_of(path, name)
    array[place] = value
    attacked = lt.load(put(tmp_path, with_array(path.read_bytes(), name, array.tobytes())))
    with pytest.raises(ValueError, match=message):
        use(attacked)


def test_an_unknown_array_of_the_online_state_is_refused(tmp_path) -> None:
    path = online_file(tmp_path)
    edit = rename_array("online.numbers", "online.floats", "online")
    message = "section 'online': array online.floats is unknown to this release"
    is_refused(path, edited(path.read_bytes(), edit), message)

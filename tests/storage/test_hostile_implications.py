"""Hostile implications in model files."""

from pathlib import Path

import numpy as np
import pytest

import labeltree as lt
from labeltree import PLTClassifier
from tests.model_files import content_edit, edited, with_array
from tests.storage.refusals import array_of, is_refused, rename_array
from tests.storage.small_model import TREE, X

Y = [["tea", "milk"], ["tea", "milk"], ["tea", "milk"], ["milk", "jam"], ["bread", "jam"]]


@pytest.fixture
def implied(tmp_path) -> Path:
    clf = PLTClassifier(tree=TREE, n_jobs=1, implications=True).fit(X, Y)
    assert clf.settings_["n_implications"] > 0
    clf.save(tmp_path / "implied.lt")
    return tmp_path / "implied.lt"


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("implications.indptr", 0, 1, "implications: indptr must start with 0"),
        ("implications.indptr", -1, 2**40, "implications: indptr must start with 0 and end with"),
        ("implications.indptr", 1, -1, "implications: indptr must not decrease"),
        ("implications.indices", 0, -1, r"implications: label -1 is outside 0\.\."),
        ("implications.indices", 0, 2**31 - 1, r"implications: label 2147483647 is outside 0\.\."),
    ],
)
def test_hostile_arrays_are_refused(name, place, value, message, implied) -> None:
    array = array_of(implied, name)
    array[place] = value
    is_refused(implied, with_array(implied.read_bytes(), name, array.tobytes()), message)


def test_unknown_content_is_refused(implied) -> None:
    edit = content_edit("implications", "min_rows", value=3)
    message = "implications must have 2 arrays, and nothing else"
    is_refused(implied, edited(implied.read_bytes(), edit), message)


def test_an_array_may_not_be_missing(implied) -> None:
    edit = rename_array("implications.indices", "implications.labels", "implications")
    message = "array implications.indices is missing"
    is_refused(implied, edited(implied.read_bytes(), edit), message)


def test_labels_that_imply_each_other_or_themselves_do_no_harm(implied) -> None:
    array = array_of(implied, "implications.indices")
    for label in range(TREE.n_labels):
        array[:] = label
        changed = implied.parent / "changed.lt"
        changed.write_bytes(
            with_array(implied.read_bytes(), "implications.indices", array.tobytes())
        )
        found = lt.load(changed).predict_proba(X)
        assert np.isfinite(found.toarray() if hasattr(found, "toarray") else found).all()

"""Hostile rankers in model files."""

from pathlib import Path

import numpy as np
import pytest

import labeltree as lt
from labeltree import ModelFileError, PLTClassifier
from labeltree.estimators.summary import summarize
from tests.model_files import (
    content_edit,
    edited,
    put,
    with_array,
)
from tests.storage.refusals import array_of, is_refused, rename_array
from tests.storage.small_model import TREE, X, Y


@pytest.fixture
def ranked(tmp_path) -> Path:
    PLTClassifier(tree=TREE, n_jobs=1, rerank=True).fit(X, Y).save(tmp_path / "ranked.lt")
    return tmp_path / "ranked.lt"


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("rankers.bias", 3, np.inf, "rankers: bias, .* must be finite, but are not in node 3"),
        ("rankers.shift", 0, 17, "rankers: shift must be at most 16, but is 17"),
        ("rankers.bucket_begin", 1, -1, "rankers: bucket_begin must lie within buckets"),
        ("rankers.bucket_begin", 1, 2**62, "rankers: bucket_begin must lie within buckets"),
        ("rankers.byte_begin", 1, 2**40, "rankers: byte_begin must lie within bytes"),
    ],
)
def test_hostile_arrays_of_rankers_are_refused(name, place, value, message, ranked) -> None:
    array = array_of(ranked, name)
    array[place] = value
    is_refused(ranked, with_array(ranked.read_bytes(), name, array.tobytes()), message)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("slope", "4", "slope of rankers must be a number"),
        ("slope", True, "slope of rankers must be a number"),
        ("slope", 1e300, "slope of rankers must be a number of at most"),
        ("intercept", None, "rankers must have slope, intercept, n_candidates"),
        ("n_candidates", 0, r"n_candidates must be an integer in 1\.\."),
        ("n_candidates", 2**40, r"n_candidates must be an integer in 1\.\."),
        ("n_candidates", 20.0, r"n_candidates must be an integer in 1\.\."),
        ("weight", 1, "rankers must have slope, intercept, n_candidates, and nothing else"),
    ],
)
def test_hostile_content_of_rankers_is_refused(key, value, message, ranked) -> None:
    edit = content_edit("rankers", key, value=value)
    is_refused(ranked, edited(ranked.read_bytes(), edit), message)


def test_rankers_may_not_lack_an_array(ranked) -> None:
    edit = rename_array("rankers.shift", "rankers.shifts", "rankers")
    is_refused(ranked, edited(ranked.read_bytes(), edit), "array rankers.shift is missing")


def test_weights_of_rankers_that_lie_outside_are_found_and_never_read(ranked) -> None:
    array = array_of(ranked, "rankers.buckets")
    array[0] = 2**32 - 1
    content = with_array(ranked.read_bytes(), "rankers.buckets", array.tobytes())
    attacked = put(ranked.parent, content)
    with pytest.raises(ModelFileError, match=r"rankers.bytes: .*buckets must lie within bytes"):
        summarize(attacked, verify=True)
    probabilities = lt.load(attacked).predict_proba(X).data
    assert ((probabilities >= 0) & (probabilities <= 1)).all()

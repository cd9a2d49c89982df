"""Which labels imply others in the training rows, and when a fit uses it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeltree import _core
from labeltree.data import as_labels
from labeltree.training.implied_labels import MIN_ROWS, find_implications
from tests.reference.implications import implied_by

LABEL_SETS = st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=12)


@given(LABEL_SETS, st.integers(1, 4))
def test_implied_labels_are_those_that_all_rows_of_a_label_have(sets, min_rows) -> None:
    rows = as_labels([[*map(str, own), "all"] for own in sets])
    numbers = {name: j for j, name in enumerate(rows.names.tolist())}
    numbered = [{numbers[name] for name in [*map(str, own), "all"]} for own in sets]
    indptr, indices = _core.implied_labels(rows.indptr, rows.indices, rows.n_labels, min_rows)
    for label in range(rows.n_labels):
        found = indices[indptr[label] : indptr[label + 1]].tolist()
        assert found == implied_by(label, numbered, min_rows)


@given(LABEL_SETS)
def test_what_an_implied_label_implies_is_implied(sets) -> None:
    found = find_implications(as_labels([[*own, 6] for own in sets]))
    for a in range(0 if found is None else len(found.indptr) - 1):
        implied = set(found.of(a).tolist())
        assert a not in implied
        assert all(set(found.of(b).tolist()) <= implied for b in implied)


def test_a_label_of_few_rows_implies_nothing() -> None:
    few, enough = [["cat", "pet"]] * (MIN_ROWS - 1), [["cat", "pet"]] * MIN_ROWS
    assert find_implications(as_labels([*few, ["pet"]])) is None
    assert len(find_implications(as_labels([*enough, ["pet"]]))) == 1


def test_labels_of_the_same_rows_do_not_imply_each_other() -> None:
    assert find_implications(as_labels([["cat", "pet"]] * 5)) is None


def test_classes_imply_nothing() -> None:
    assert find_implications(as_labels(["cat", "dog", "cat"] * 5)) is None


def test_rows_with_a_weight_of_0_do_not_count() -> None:
    rows = as_labels([*[["cat", "pet"]] * 4, ["pet"], ["cat"]])
    assert find_implications(rows) is None
    weight = np.array([1, 1, 1, 1, 1, 0], np.float32)
    assert find_implications(rows, weight).of(0).tolist() == [1]


def test_labels_of_a_row_that_is_too_long_imply_nothing() -> None:
    # All pairs of the labels of the long row would be more than a fit walks through.
    long = list(range(40_000))
    rows = as_labels([long, long, long, [0], [0, 1], [0, 1], [0, 1]])
    found = find_implications(rows)
    assert found is None or len(found) == 0


def test_no_rows_imply_nothing() -> None:
    indptr, indices = _core.implied_labels(np.zeros(1, np.int64), np.empty(0, np.int32), 3, 1)
    assert indptr.tolist() == [0, 0, 0, 0]
    assert not len(indices)


@pytest.mark.parametrize("n_labels", [-1, 0, 1])
def test_labels_outside_are_refused(n_labels: int) -> None:
    rows = as_labels([[0, 1]])
    with pytest.raises(ValueError, match=r"outside|must not be negative"):
        _core.implied_labels(rows.indptr, rows.indices, n_labels, 1)

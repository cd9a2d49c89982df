"""Properties of label rows, row selection and renumbering."""

import numpy as np
import pytest

from labeltree.data import as_labels
from tests.data.label_sets import DENSE, named, sets


def test_label_rows_are_returned_unchanged() -> None:
    rows = as_labels([["a"], ["b"]])
    assert as_labels(rows) is rows
    assert as_labels(rows, n_labels=2) is rows


def test_label_rows_with_another_number_of_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="Y has 2 labels, but 3 are expected"):
        as_labels(as_labels([["a"], ["b"]]), n_labels=3)


def test_label_rows_are_renumbered_by_names() -> None:
    rows = as_labels(as_labels([["a", "b"], ["b"]]), names=["b", "a"])
    assert (sets(rows), named(rows)) == ([[0, 1], [0]], [["b", "a"], ["b"]])


def test_label_sets_without_names_are_renumbered_by_names() -> None:
    assert sets(as_labels(as_labels([[0], [1]]), names=[1, 0])) == [[1], [0]]


def test_counts_are_rows_of_each_label() -> None:
    assert as_labels(DENSE).counts.tolist() == [1, 1, 1]
    assert as_labels([[1], [1]], n_labels=3).counts.dtype == np.int64


def test_labeled_rows_are_those_with_a_label() -> None:
    assert as_labels(DENSE).n_labeled == 2


def test_to_csr_is_the_indicator() -> None:
    Y = as_labels(DENSE).to_csr()
    assert (Y.toarray().tolist(), Y.dtype) == (DENSE.tolist(), np.uint8)


def test_name_is_a_plain_python_value() -> None:
    assert type(as_labels([[7], [3]]).name(0)) is int
    assert type(as_labels([[0], [1]]).name(1)) is int
    assert type(as_labels(np.array(["b", "a"])).name(1)) is str


def test_name_of_a_label_out_of_range_is_refused() -> None:
    with pytest.raises(IndexError, match=r"labels are 0\.\.2, but j is -1"):
        as_labels(DENSE).name(-1)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([2, 0, 0], [[0], [1, 2], [1, 2]]),
        ([-1], [[0]]),
        (slice(1, None), [[], [0]]),
        (np.array([True, False, True]), [[1, 2], [0]]),
        ([], []),
    ],
)
def test_select_accepts_indices_masks_and_slices(rows, expected) -> None:
    chosen = as_labels(DENSE, names=["a", "b", "c"]).select(rows)
    assert (sets(chosen), chosen.n_labels, chosen.name(0)) == (expected, 3, "a")


def test_select_of_a_row_out_of_range_is_refused() -> None:
    with pytest.raises(IndexError):
        as_labels(DENSE).select([3])

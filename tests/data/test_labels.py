import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree.data import as_labels
from tests.data.label_sets import DENSE, named, sets

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


# Indicators


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("suffix", ["_array", "_matrix"])
def test_every_sparse_format_gives_the_same_rows(form: str, suffix: str) -> None:
    rows = as_labels(getattr(sparse, form + suffix)(DENSE))
    assert sets(rows) == [[1, 2], [], [0]]
    assert (rows.n_labels, rows.names, rows.kind) == (3, None, "indicator")
    assert (rows.indptr.dtype, rows.indices.dtype) == (np.int64, np.int32)


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", object])
def test_dense_indicator_of_any_type_is_accepted(dtype) -> None:
    assert sets(as_labels(DENSE.astype(dtype))) == [[1, 2], [], [0]]


def test_canonical_indicator_keeps_its_memory() -> None:
    Y = sparse.csr_matrix(DENSE)
    assert np.shares_memory(as_labels(Y).indices, Y.indices)


def test_explicit_zeros_are_ignored() -> None:
    Y = sparse.csr_array(([1, 0], [0, 1], [0, 2]), shape=(1, 2))
    assert sets(as_labels(Y)) == [[0]]


def test_unsorted_and_duplicate_entries_collapse() -> None:
    Y = sparse.csr_array(([1, 1, 1], [2, 0, 2], [0, 3]), shape=(1, 3))
    assert sets(as_labels(Y)) == [[0, 2]]
    assert Y.indices.tolist() == [2, 0, 2]


def test_duplicate_coordinates_collapse() -> None:
    Y = sparse.coo_array(([1, 1], ([0, 0], [1, 1])), shape=(1, 2))
    assert sets(as_labels(Y)) == [[1]]


@pytest.mark.parametrize("value", [2, -1, 0.5, np.nan, np.inf])
@pytest.mark.parametrize("form", [np.array, sparse.csr_array, sparse.coo_array, pd.DataFrame])
def test_values_other_than_0_and_1_are_refused_with_their_position(form, value: float) -> None:
    with pytest.raises(ValueError, match=f"must be 0 or 1, but row 1, column 0 is {value}"):
        as_labels(form([[1.0, 0.0], [value, 1.0]]))


def test_data_frame_columns_become_label_names() -> None:
    rows = as_labels(pd.DataFrame({"tea": [1, 0], "milk": [1, 1]}))
    assert named(rows) == [["tea", "milk"], ["milk"]]
    assert rows.kind == "indicator"


def test_sparse_data_frame_is_accepted() -> None:
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(DENSE), columns=["a", "b", "c"])
    assert named(as_labels(frame)) == [["b", "c"], [], ["a"]]


def test_equal_column_names_are_refused() -> None:
    with pytest.raises(ValueError, match="label names must be unique, but 'a' occurs twice"):
        as_labels(pd.DataFrame([[1, 0]], columns=["a", "a"]))


def test_broken_index_arrays_are_refused() -> None:
    Y = sparse.csr_array(DENSE)
    Y.indices[0] = 3
    with pytest.raises(
        ValueError, match=r"Y has column index 3 in row 0, but its columns are 0\.\.2"
    ):
        as_labels(Y)


def test_indicator_with_other_columns_than_n_labels_is_refused() -> None:
    with pytest.raises(ValueError, match="Y has 3 labels, but 4 are expected"):
        as_labels(DENSE, n_labels=4)


def test_indicator_of_text_is_refused() -> None:
    with pytest.raises(TypeError, match="must be 0/1 numbers, but has dtype <U1"):
        as_labels(np.array([["a", "b"]]))


# Label lists


def test_names_are_sorted() -> None:
    rows = as_labels([["tea", "milk"], [], ["tea"]])
    assert (sets(rows), rows.names.tolist()) == ([[0, 1], [], [1]], ["milk", "tea"])
    assert rows.kind == "sets"


def test_names_that_cannot_be_sorted_keep_their_order() -> None:
    rows = as_labels([["tea", 3], [("a", 1)], [3]])
    assert (sets(rows), list(rows.names)) == ([[0, 1], [2], [1]], ["tea", 3, ("a", 1)])


@pytest.mark.parametrize(
    "row", [["b", "a"], ("b", "a"), {"a", "b"}, frozenset("ab"), np.array(["a", "b"])]
)
def test_rows_may_be_any_collection(row) -> None:
    assert named(as_labels([row])) == [["a", "b"]]


def test_series_of_lists_is_label_lists() -> None:
    assert named(as_labels(pd.Series([["b"], ["a", "b"]]))) == [["b"], ["a", "b"]]


def test_labels_0_to_m_have_no_names() -> None:
    rows = as_labels([[2, 0], [1]])
    assert (sets(rows), rows.names, rows.n_labels) == ([[0, 2], [1]], None, 3)


def test_other_integers_are_names() -> None:
    rows = as_labels([[7, 3], [7]])
    assert (sets(rows), rows.names.tolist(), rows.names.dtype) == ([[0, 1], [1]], [3, 7], np.int64)


def test_integers_beyond_64_bits_are_names() -> None:
    assert named(as_labels([[2**70], [1]])) == [[2**70], [1]]


def test_labels_that_numpy_would_equate_stay_distinct() -> None:
    assert named(as_labels([["1"], [1]])) == [["1"], [1]]


def test_duplicate_label_in_a_row_counts_once() -> None:
    assert sets(as_labels([["a", "b", "a"]])) == [[0, 1]]


def test_no_rows_have_no_labels() -> None:
    rows = as_labels([])
    assert (rows.n_rows, rows.n_labels, rows.kind, rows.names) == (0, 0, "sets", None)


def test_rows_may_all_be_without_labels() -> None:
    rows = as_labels([[], []])
    assert (rows.n_rows, rows.n_labels, rows.n_labeled, rows.counts.tolist()) == (2, 0, 0, [])


def test_integers_are_label_numbers_with_n_labels() -> None:
    rows = as_labels([[3], [1, 3], []], n_labels=5)
    assert (sets(rows), rows.n_labels, rows.names) == ([[3], [1, 3], []], 5, None)


def test_zero_rows_keep_n_labels() -> None:
    assert as_labels([], n_labels=5).n_labels == 5


@pytest.mark.parametrize("label", [5, -1, 2**70])
def test_integer_outside_n_labels_is_refused(label: int) -> None:
    with pytest.raises(ValueError, match=rf"labels must lie in 0\.\.4, but row 2 of Y has {label}"):
        as_labels([[0, 1], [], [3, label]], n_labels=5)


@pytest.mark.parametrize("label", ["a", 1.0, True, None, [1]])
def test_other_than_integers_with_n_labels_is_refused(label) -> None:
    with pytest.raises(TypeError, match=r"must be integers 0\.\.4, but row 1 of Y has"):
        as_labels([[0], [label]], n_labels=5)


def test_labels_are_looked_up_in_names() -> None:
    rows = as_labels([["b"], ["a", "b"]], names=["b", "c", "a"])
    assert (sets(rows), rows.n_labels) == ([[0], [0, 2]], 3)
    assert rows.names.tolist() == ["b", "c", "a"]


def test_unknown_label_is_refused_with_its_row() -> None:
    with pytest.raises(
        ValueError, match="row 1 of Y has label 'x', which is not among the 2 known"
    ):
        as_labels([["a"], ["x"]], names=["a", "b"])


def test_equal_names_are_refused() -> None:
    with pytest.raises(ValueError, match="unique, but 'a' occurs twice"):
        as_labels([["a"]], names=["a", "a"])


def test_names_must_match_n_labels() -> None:
    with pytest.raises(ValueError, match="must have n_labels = 3 entries, but has 1"):
        as_labels([["a"]], names=["a"], n_labels=3)


def test_indicator_uses_the_names_given() -> None:
    assert named(as_labels(DENSE, names=["a", "b", "c"])) == [["b", "c"], [], ["a"]]


def test_columns_of_a_data_frame_are_looked_up_in_names() -> None:
    frame = pd.DataFrame({"tea": [1, 0], "milk": [1, 1]})
    rows = as_labels(frame, names=["milk", "oil", "tea"])
    assert (sets(rows), rows.n_labels) == ([[0, 2], [0]], 3)


def test_unknown_column_of_a_data_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="row 1 of Y has label 'milk', which is not among the 1"):
        as_labels(pd.DataFrame({"tea": [1, 0], "milk": [0, 1]}), names=["tea"])


@pytest.mark.parametrize(
    ("label", "word"), [(None, "None"), (float("nan"), "NaN"), (pd.NA, "<NA>")]
)
def test_missing_label_is_refused(label, word: str) -> None:
    with pytest.raises(ValueError, match=f"row 1 of Y has label {word}; leave it out"):
        as_labels([["a"], ["b", label]])


def test_label_that_cannot_be_hashed_is_refused() -> None:
    with pytest.raises(TypeError, match="must be hashable, but row 1 of Y has dict"):
        as_labels([["a"], [{}]])


# Classes


@pytest.mark.parametrize(
    "Y", [["b", "a", "b"], np.array(["b", "a", "b"]), pd.Series(["b", "a", "b"])]
)
def test_classes_are_one_label_per_row(Y) -> None:
    rows = as_labels(Y)
    assert (named(rows), rows.kind, rows.names.tolist()) == (
        [["b"], ["a"], ["b"]],
        "classes",
        ["a", "b"],
    )
    assert (rows.indptr.dtype, rows.indices.dtype) == (np.int64, np.int32)


def test_integer_classes_keep_their_type() -> None:
    rows = as_labels(np.array([5, 9, 5], np.int16))
    assert (rows.indices.tolist(), rows.names.tolist(), rows.names.dtype) == (
        [0, 1, 0],
        [5, 9],
        np.int16,
    )


def test_classes_0_to_m_have_no_names() -> None:
    assert as_labels(np.array([1, 0, 2])).names is None


def test_zero_classes_are_zero_rows() -> None:
    rows = as_labels(np.array([], np.int64))
    assert (rows.n_rows, rows.n_labels, rows.kind) == (0, 0, "classes")


def test_class_outside_n_labels_is_refused() -> None:
    with pytest.raises(ValueError, match=r"labels must lie in 0\.\.1, but row 1 of Y has 2"):
        as_labels(np.array([0, 2]), n_labels=2)


def test_fractional_class_with_n_labels_is_refused() -> None:
    with pytest.raises(TypeError, match=r"must be integers 0\.\.1, but row 0 of Y has"):
        as_labels(np.array([0.5, 1]), n_labels=2)


def test_classes_are_looked_up_in_names() -> None:
    rows = as_labels(np.array([9, 5]), names=np.array([5, 7, 9]))
    assert rows.indices.tolist() == [2, 0]


@pytest.mark.parametrize("Y", [np.array([1, np.nan]), [1.0, float("nan")], pd.Series([1, np.nan])])
def test_missing_class_is_refused(Y) -> None:
    with pytest.raises(ValueError, match="row 1 of Y has label NaN; leave it out"):
        as_labels(Y)


# Invalid Y


@pytest.mark.parametrize("Y", ["tea", b"tea", None, 5, {"a": 1}, iter([["a"]])])
def test_other_types_are_refused(Y) -> None:
    with pytest.raises(TypeError, match=f"but is {type(Y).__name__}"):
        as_labels(Y)


@pytest.mark.parametrize("Y", [[["a"], "b"], ["b", ["a"]], [1, {2}]])
def test_mixed_rows_are_refused(Y) -> None:
    with pytest.raises(TypeError, match="label lists or classes, not both, but row 0 is"):
        as_labels(Y)


@pytest.mark.parametrize("row", [None, {"a": 1}])
def test_rows_of_other_types_are_refused(row) -> None:
    with pytest.raises(TypeError, match="but row 1 is"):
        as_labels([["a"], row])


def test_rows_that_are_all_none_are_refused() -> None:
    with pytest.raises(TypeError, match="but row 0 is None"):
        as_labels([None, None])


def test_rows_with_two_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="must have 1 dimension, but row 0 of Y has 2"):
        as_labels([np.zeros((2, 2))])


def test_three_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="Y must have 1 or 2 dimensions, but has 3"):
        as_labels(np.zeros((1, 1, 1)))


@pytest.mark.parametrize(
    ("Y", "options"),
    [
        ([["x" * 5000]], {"n_labels": 6}),
        ([["x" * 5000]], {"names": ["a"]}),
        ([["a"]], {"names": ["x" * 5000] * 2}),
        ([["a"], [["x"] * 5000]], {}),
        ([["a"], {"x" * 5000: 1}], {}),
    ],
)
def test_long_labels_are_cut_short_in_errors(Y, options) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        as_labels(Y, **options)
    assert "xxx" in str(refused.value) or "'x'" in str(refused.value)
    assert len(str(refused.value)) < 200


def test_negative_n_labels_is_refused() -> None:
    with pytest.raises(ValueError, match=r"n_labels must lie in 0\.\.100000000, but is -1"):
        as_labels([], n_labels=-1)


label_lists = st.lists(st.lists(st.sampled_from("abcdef"), max_size=4), max_size=8)


@settings(deadline=None, max_examples=100)
@given(label_lists)
def test_names_of_label_lists_match_the_input(Y: list[list[str]]) -> None:
    assert named(as_labels(Y)) == [sorted(set(row)) for row in Y]


@settings(deadline=None, max_examples=100)
@given(label_lists, st.sampled_from(FORMATS))
def test_indicator_and_label_lists_agree(Y: list[list[str]], form: str) -> None:
    rows = as_labels(Y, names=list("abcdef"))
    again = as_labels(rows.to_csr().asformat(form))
    assert sets(again) == sets(rows)

import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree.data import as_features, compressed

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
DENSE = np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, -3]], np.float32)


def broken(kind=sparse.csr_array, *, indptr=(0, 1, 2), indices=(0, 1), data=(1.0, 1.0)):
    """Return a 2 x 2 matrix with these arrays, some of which scipy's constructor would reject."""
    matrix = kind((2, 2), dtype=np.float32)
    matrix.indptr = np.array(indptr, np.int32)
    matrix.indices = np.array(indices, np.int32)
    matrix.data = np.array(data, np.float32)
    return matrix


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("suffix", ["_array", "_matrix"])
def test_every_sparse_format_gives_the_same_rows(form: str, suffix: str) -> None:
    X = as_features(getattr(sparse, form + suffix)(DENSE))
    assert isinstance(X, sparse.csr_array)
    assert X.toarray().tolist() == DENSE.tolist()
    assert (X.data.dtype, X.indices.dtype, X.has_canonical_format) == (np.float32, np.int32, True)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint64", "float16", "float64", "longdouble", object]
)
def test_dense_numbers_of_any_type_are_accepted(dtype) -> None:
    assert as_features(np.eye(2).astype(dtype)).toarray().tolist() == [[1, 0], [0, 1]]


def test_lists_of_numbers_are_accepted() -> None:
    assert as_features([[1, 0], [0, 2]]).toarray().tolist() == [[1, 0], [0, 2]]


def test_data_frame_is_accepted() -> None:
    frame = pd.DataFrame({"a": [1, 0], "b": [True, False], "c": [0.5, 0.0]})
    assert as_features(frame).toarray().tolist() == [[1, 1, 0.5], [0, 0, 0]]


def test_sparse_data_frame_is_accepted() -> None:
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(DENSE))
    assert as_features(frame).toarray().tolist() == DENSE.tolist()


def test_dense_float32_rows_without_zeros_keep_their_memory() -> None:
    X = np.ones((3, 2), np.float32)
    assert np.shares_memory(as_features(X).data, X)


@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_rows_converted_in_several_blocks_are_the_same(order: str, monkeypatch) -> None:
    monkeypatch.setattr(compressed, "_BLOCK", 7)
    X = np.random.default_rng(0).integers(0, 3, (11, 3)).astype(np.float32, order=order)
    assert as_features(X).toarray().tolist() == X.tolist()


def test_dense_rows_take_two_and_a_half_times_their_size_at_most_while_they_are_converted() -> None:
    X = np.random.default_rng(0).integers(0, 5, (4000, 1000)).astype(np.float32)
    tracemalloc.start()
    as_features(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * X.nbytes  # indices, values, and one block


def test_canonical_float32_rows_keep_their_memory() -> None:
    X = sparse.csr_matrix(DENSE)
    result = as_features(X)
    for part in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(result, part), getattr(X, part))


def test_mapped_files_stay_mapped(tmp_path: Path) -> None:
    X = sparse.csr_array(DENSE)
    for part in ("data", "indices", "indptr"):
        np.save(tmp_path / part, getattr(X, part))
        setattr(X, part, np.load(tmp_path / f"{part}.npy", mmap_mode="r"))
    result = as_features(X)
    assert np.shares_memory(result.data, X.data)
    assert np.shares_memory(result.indices, X.indices)


def test_rows_with_wide_indices_become_int32() -> None:
    X = sparse.csr_array(DENSE)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert as_features(X).indices.dtype == np.int32


def test_unsorted_rows_are_sorted_in_a_copy() -> None:
    X = broken(indptr=(0, 2, 2), indices=(1, 0), data=(5, 7))
    result = as_features(X)
    assert (result.indices.tolist(), result.data.tolist()) == ([0, 1], [7, 5])
    assert (X.indices.tolist(), X.data.tolist()) == ([1, 0], [5, 7])


def test_a_wrong_sorted_flag_is_not_trusted() -> None:
    X = broken(indptr=(0, 2, 2), indices=(1, 0), data=(5, 7))
    X.has_sorted_indices = X.has_canonical_format = True
    assert as_features(X).indices.tolist() == [0, 1]


def test_duplicates_are_summed_in_a_copy() -> None:
    X = broken(indptr=(0, 2, 2), indices=(1, 1), data=(5, 7))
    result = as_features(X)
    assert (result.indices.tolist(), result.data.tolist()) == ([1], [12])
    assert X.nnz == 2


def test_duplicates_of_small_integers_do_not_overflow() -> None:
    X = sparse.coo_array((np.array([100, 100], np.int8), ([0, 0], [0, 0])), shape=(1, 1))
    assert as_features(X).data.tolist() == [200]


def test_duplicates_that_sum_beyond_float32_are_refused() -> None:
    X = broken(indptr=(0, 0, 2), indices=(1, 1), data=(3e38, 3e38))
    with pytest.raises(ValueError, match="but row 1, column 1 is inf"):
        as_features(X)


def test_unused_capacity_after_the_last_entry_is_ignored() -> None:
    X = broken(indptr=(0, 1, 1), indices=(0, 9), data=(5, np.nan))
    assert as_features(X).toarray().tolist() == [[5, 0], [0, 0]]


def test_zero_rows_and_zero_columns_are_accepted() -> None:
    assert as_features(np.zeros((0, 3))).shape == (0, 3)
    assert as_features(sparse.csr_array((2, 0))).shape == (2, 0)


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")])
@pytest.mark.parametrize("form", [np.array, sparse.csr_array, sparse.csc_array, sparse.coo_array])
def test_nonfinite_values_are_refused_with_their_position(form, value: float, word: str) -> None:
    X = form([[1.0, 0.0], [0.0, value]])
    with pytest.raises(ValueError, match=f"NaN or inf, but row 1, column 1 is {word}"):
        as_features(X)


def test_infinities_that_cancel_are_refused() -> None:
    with pytest.raises(ValueError, match="row 0, column 0 is inf"):
        as_features(np.array([[np.inf, -np.inf]]))


def test_values_beyond_float32_are_refused() -> None:
    with pytest.raises(ValueError, match=r"fit into float32, but row 0, column 1 is 1e\+39"):
        as_features(np.array([[0, 1e39]]))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"indices": (0, 2)}, r"index 2 in .* 1, but its .* are 0\.\.1"),
        ({"indices": (-1, 1)}, r"index -1 in .* 0, but its .* are 0\.\.1"),
        ({"indptr": (0, 2, 1)}, r"indptr must not decrease, but does at .* 1"),
        ({"indptr": (0, -1, 2)}, r"indptr must not decrease, but does at .* 0"),
        ({"indptr": (1, 1, 2)}, r"indptr must start with 0, but starts with 1"),
        ({"indptr": (0, 1, 3)}, r"indptr ends with 3, but X\.indices has 2 entries"),
        ({"data": (1,)}, r"indptr ends with 2, but X\.data has 1 entries"),
        ({"indptr": (0, 1)}, r"indptr must have 3 entries, .* but has 2"),
    ],
)
def test_broken_index_arrays_are_refused(kind, arrays, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_features(broken(kind, **arrays))


def test_fractional_index_arrays_are_refused() -> None:
    X = broken()
    X.indices = X.indices.astype(np.float64)
    with pytest.raises(ValueError, match=r"X\.indices must be a one-dimensional integer array"):
        as_features(X)


def test_broken_blocks_are_refused() -> None:
    X = sparse.bsr_array(np.ones((2, 2)), blocksize=(1, 1))
    X.indices[0] = 7
    with pytest.raises(ValueError, match="block column index 7 in block row 0"):
        as_features(X)


@pytest.mark.parametrize(("part", "word"), [(0, "row"), (1, "column")])
@pytest.mark.parametrize("index", [-1, 2])
def test_broken_coordinates_are_refused(part: int, word: str, index: int) -> None:
    X = sparse.coo_array(np.eye(2))
    X.coords[part][1] = index
    with pytest.raises(
        ValueError, match=rf"X has {word} index {index}, but its {word}s are 0\.\.1"
    ):
        as_features(X)


def test_a_number_of_columns_unlike_the_model_is_refused() -> None:
    with pytest.raises(ValueError, match="X has 3 columns, but the model was trained with 5"):
        as_features(DENSE, n_features=5)


def test_the_number_of_columns_of_the_model_is_accepted() -> None:
    assert as_features(DENSE, n_features=3).shape == (3, 3)


@pytest.mark.parametrize("X", [[1, 2], 5 * [[[1]]], np.float64(3), sparse.coo_array(np.ones(3))])
def test_wrong_number_of_dimensions_is_refused(X) -> None:
    with pytest.raises(ValueError, match="X must have 2 dimensions, but has"):
        as_features(X)


@pytest.mark.parametrize("X", [None, "text", 5, {"a": [1]}, np.array([["a"]]), iter([[1]])])
def test_other_than_numbers_is_refused(X) -> None:
    with pytest.raises(TypeError, match="X must be a matrix of numbers"):
        as_features(X)


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="Complex data not supported"):
        as_features(np.array([[1j]]))


def test_too_many_columns_are_refused() -> None:
    X = sparse.coo_array(([1.0], ([0], [2**31])), shape=(1, 2**31 + 1))
    with pytest.raises(ValueError, match="at most 2147483647 columns"):
        as_features(X)


small = st.integers(0, 3)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(small, small, st.integers(-5, 5)), max_size=12), st.sampled_from(FORMATS))
def test_any_entries_in_any_format_sum_to_the_dense_matrix(entries, form: str) -> None:
    dense = np.zeros((4, 4))
    for row, column, value in entries:
        dense[row, column] += value
    row, column, value = np.array(entries, np.int64).reshape(-1, 3).T
    X = sparse.coo_array((value, (row, column)), shape=(4, 4)).asformat(form)
    result = as_features(X)
    assert result.toarray().tolist() == dense.tolist()
    for i in range(4):
        indices = result.indices[result.indptr[i] : result.indptr[i + 1]].tolist()
        assert indices == sorted(set(indices))


def test_a_data_frame_without_columns_has_no_features() -> None:
    pandas = pytest.importorskip("pandas")
    assert as_features(pandas.DataFrame(index=range(3))).shape == (3, 0)


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="X must be a matrix, but its rows have different lengths"):
        as_features([[1.0], [1.0, 2.0]])


def test_objects_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="X must be a matrix of numbers: "):
        as_features(np.array([[object()]], object))

import io
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree.data import as_labels, read_npz, read_npz_labels, write_npz

DENSE = np.array([[0, 1.5, 0], [2, 0, -3]], np.float32)


def saved(matrix) -> bytes:
    file = io.BytesIO()
    sparse.save_npz(file, matrix)
    return file.getvalue()


def test_features_are_read_back(tmp_path: Path) -> None:
    write_npz(tmp_path / "X.npz", DENSE)
    X = read_npz(tmp_path / "X.npz")
    assert (X.toarray().tolist(), X.dtype) == (DENSE.tolist(), np.float32)


def test_labels_are_read_back(tmp_path: Path) -> None:
    write_npz(tmp_path / "Y.npz", as_labels([[0, 2], [], [1]]))
    Y = read_npz_labels(tmp_path / "Y.npz")
    assert (Y.indptr.tolist(), Y.indices.tolist(), Y.n_labels) == ([0, 2, 2, 3], [0, 2, 1], 3)


def test_no_suffix_is_added_to_the_file_name(tmp_path: Path) -> None:
    write_npz(tmp_path / "X", DENSE)
    assert [path.name for path in tmp_path.iterdir()] == ["X"]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_every_format_that_scipy_saves_is_read(form: str) -> None:
    file = io.BytesIO(saved(sparse.coo_matrix(DENSE).asformat(form)))
    assert read_npz(file).toarray().tolist() == DENSE.tolist()


def test_broken_indices_are_refused_with_the_path(tmp_path: Path) -> None:
    X = sparse.csr_array(DENSE)
    X.indices[2] = 9
    (tmp_path / "X.npz").write_bytes(saved(X))
    with pytest.raises(ValueError, match=r"X\.npz: X has column index 9 in row 1"):
        read_npz(tmp_path / "X.npz")


def test_a_matrix_that_is_not_an_indicator_is_refused_with_the_path(tmp_path: Path) -> None:
    (tmp_path / "Y.npz").write_bytes(saved(sparse.csr_array(DENSE)))
    with pytest.raises(ValueError, match=r"Y\.npz: an indicator Y must be 0 or 1, but row 0"):
        read_npz_labels(tmp_path / "Y.npz")


def test_truncated_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "X.npz").write_bytes(saved(sparse.csr_array(DENSE))[:-30])
    with pytest.raises(ValueError, match=r"X\.npz: not a sparse matrix in npz format"):
        read_npz(tmp_path / "X.npz")


def test_other_npz_files_are_refused() -> None:
    file = io.BytesIO()
    np.savez(file, data=DENSE)
    file.seek(0)
    with pytest.raises(ValueError, match="not a sparse matrix in npz format"):
        read_npz(file)


def test_pickles_are_not_loaded() -> None:
    with pytest.raises(ValueError, match="not a sparse matrix in npz format"):
        read_npz(io.BytesIO(pickle.dumps([1])))


def test_empty_file_is_refused() -> None:
    with pytest.raises(ValueError, match="not a sparse matrix in npz format"):
        read_npz(io.BytesIO(b""))


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_damaged_files_are_read_or_refused(data) -> None:
    content = bytearray(saved(sparse.csr_array(DENSE)))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        X = read_npz(io.BytesIO(content))
    except ValueError:
        return
    assert X.indices.max(initial=-1) < X.shape[1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["row", "col"])
def test_numbers_of_rows_and_columns_must_be_integers(name: str) -> None:
    arrays = {"row": np.array([0, 1]), "col": np.array([0, 1]), "data": np.ones(2)}
    arrays[name] = np.array([0.0, np.inf])
    file = io.BytesIO()
    np.savez(file, format=b"coo", shape=(2, 2), **arrays)
    file.seek(0)
    with pytest.raises(ValueError, match=f"{name}.npy must hold integers, but holds 'float64'"):
        read_npz(file)

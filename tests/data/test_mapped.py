"""Folders of mapped rows."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from labeltree import PLTClassifier
from labeltree.data import as_labels, read_mapped, write_mapped
from labeltree.data.mapped import select_mapped
from labeltree.training.memory import is_mapped


def sample(n_rows: int = 50) -> tuple[sparse.csr_array, sparse.csr_array]:
    rng = np.random.default_rng(0)
    X = sparse.random_array((n_rows, 12), density=0.3, rng=rng, dtype=np.float32, format="csr")
    return X, sparse.csr_array((rng.random((n_rows, 5)) < 0.4).astype(np.uint8))


def parts_of(X, Y, size: int):
    return ((X[i : i + size], Y[i : i + size]) for i in range(0, X.shape[0], size))


@pytest.fixture
def folder(tmp_path) -> Path:
    write_mapped(tmp_path / "rows.mapped", parts_of(*sample(), 20))
    return tmp_path / "rows.mapped"


def test_rows_written_in_parts_are_read_as_a_whole(folder) -> None:
    X, Y = sample()
    found, rows = read_mapped(folder)
    np.testing.assert_array_equal(found.toarray(), X.toarray())
    np.testing.assert_array_equal(rows.to_csr().toarray(), Y.toarray())


def test_rows_are_mapped_and_not_read(folder) -> None:
    assert is_mapped(read_mapped(folder)[0])


def test_a_model_of_mapped_rows_is_the_same(folder) -> None:
    X, Y = sample()
    mapped, plain = PLTClassifier().fit(*read_mapped(folder)), PLTClassifier().fit(X, Y)
    np.testing.assert_array_equal(mapped.top_k(X, 3)[1], plain.top_k(X, 3)[1])


def test_names_have_the_same_number_in_all_parts(tmp_path) -> None:
    parts = [([[1.0, 0]], [["tea"]]), ([[0, 1.0], [1, 1]], [["jam", "tea"], ["bread"]])]
    write_mapped(tmp_path / "rows", parts)
    _, rows = read_mapped(tmp_path / "rows")
    named = [sorted(rows.name(int(j)) for j in rows.row(i)) for i in range(3)]
    assert named == [["tea"], ["jam", "tea"], ["bread"]]


def test_numbers_of_labels_are_those_of_the_parts(tmp_path) -> None:
    write_mapped(tmp_path / "rows", [([[1.0]], [[3, 1]]), ([[2.0]], [[0]])], n_labels=6)
    _, rows = read_mapped(tmp_path / "rows")
    assert (rows.n_labels, rows.names, rows.indices.tolist()) == (6, None, [1, 3, 0])


def test_columns_that_do_not_occur_are_kept(tmp_path) -> None:
    write_mapped(tmp_path / "rows", [([[1.0]], [[0]])], n_features=9)
    assert read_mapped(tmp_path / "rows")[0].shape == (1, 9)


def test_numbers_and_names_do_not_mix(tmp_path) -> None:
    with pytest.raises(ValueError, match="numbers in all parts, or strings in all parts"):
        write_mapped(tmp_path / "rows", [([[1.0]], [["tea"]]), ([[1.0]], [[0]])])


def test_a_failed_write_leaves_nothing(tmp_path) -> None:
    with pytest.raises(ValueError, match="X has 1 rows, but Y has 2"):
        write_mapped(tmp_path / "rows", [([[1.0]], [[0], [1]])])
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_kept(folder) -> None:
    with pytest.raises(FileExistsError, match="must not exist, but does"):
        write_mapped(folder, [])
    assert read_mapped(folder)[0].shape == (50, 12)


def test_selected_rows_are_mapped(folder) -> None:
    X, Y = sample()
    numbers = np.array([1, 7, 8, 30])
    found, rows = select_mapped(*read_mapped(folder), numbers)
    assert is_mapped(found)
    np.testing.assert_array_equal(found.toarray(), X[numbers].toarray())
    np.testing.assert_array_equal(rows.to_csr().toarray(), Y[numbers].toarray())


def test_names_of_selected_rows_are_those_of_all(tmp_path) -> None:
    write_mapped(tmp_path / "rows", [([[1.0], [2.0]], [["tea"], ["jam"]])])
    _, rows = select_mapped(*read_mapped(tmp_path / "rows"), np.array([1]))
    assert (rows.n_labels, rows.name(int(rows.row(0)[0])), rows.kind) == (2, "jam", "sets")


def edit_sizes(folder: Path, **changes) -> None:
    sizes = json.loads((folder / "sizes.json").read_text())
    (folder / "sizes.json").write_text(json.dumps(sizes | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_features": 3}, "X has column index .* but its columns are 0..2"),
        ({"n_labels": 2}, "Y has column index"),
        ({"n_features": -1}, "n_features must lie in 0"),
        ({"n_features": 1.5}, "n_features must lie in 0"),
        ({"n_features": 10**8}, "features"),
        ({"names": ["a"]}, "names must be a list of n_labels different names"),
        ({"names": ["a"] * 5}, "names must be a list of n_labels different names"),
        ({"more": 1}, "must have n_features, n_labels and names"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(changes, message, folder) -> None:
    edit_sizes(folder, **changes)
    with pytest.raises(ValueError, match=message):
        read_mapped(folder)


@pytest.mark.parametrize("name", ["X.indptr", "X.indices", "X.data", "Y.indices", "Y.indptr"])
@pytest.mark.parametrize(
    "array",
    [np.arange(3.0), np.zeros((2, 2)), np.empty(0, np.int32), np.array([5, -1], np.int64), b"no"],
)
def test_files_that_do_not_fit_are_refused(name, array, folder) -> None:
    path = folder / f"{name}.npy"
    if isinstance(array, bytes):
        path.write_bytes(array)
    else:
        np.save(path, array)
    with pytest.raises(ValueError, match=r"rows\.mapped"):
        read_mapped(folder)


def test_pickles_are_never_loaded(folder) -> None:
    np.save(folder / "X.data.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(ValueError, match="not a NumPy file, or damaged"):
        read_mapped(folder)


def test_values_that_are_not_finite_are_refused(folder) -> None:
    values = np.load(folder / "X.data.npy")
    values[3] = np.nan
    np.save(folder / "X.data.npy", values)
    with pytest.raises(ValueError, match="X must not contain NaN"):
        read_mapped(folder)


def test_label_rows_can_be_parts(tmp_path) -> None:
    X, Y = sample(4)
    write_mapped(tmp_path / "rows", [(X, as_labels(Y))])
    np.testing.assert_array_equal(read_mapped(tmp_path / "rows")[1].to_csr().toarray(), Y.toarray())

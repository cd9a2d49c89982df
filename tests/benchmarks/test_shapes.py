"""Generated data sets of hard shapes."""

from __future__ import annotations

import numpy as np

from benchmarks import shapes
from labeltree.data import read_npz, read_npz_labels


def test_every_label_of_the_singletons_has_one_row() -> None:
    (X, Y), (X_test, _) = shapes.singletons(3000)
    assert Y.sum(axis=0).tolist() == [1] * 3000
    assert X.shape[1] == X_test.shape[1]


def test_dense_rows_have_every_feature() -> None:
    (X, _), _ = shapes.dense(1000)
    assert X.nnz == X.shape[0] * 768


def test_training_and_test_rows_differ() -> None:
    (X, _), (X_test, _) = shapes.singletons(1000)
    assert not np.array_equal(X[:1000].toarray(), X_test[:1000].toarray())


def test_a_shape_is_written_as_the_folder_of_a_data_set(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(shapes.SHAPES, "dense", lambda: shapes.dense(100))
    shapes.main([str(tmp_path), "dense"])
    assert read_npz(tmp_path / "dense" / "X.trn.npz").shape == (100, 768)
    assert read_npz_labels(tmp_path / "dense" / "Y.tst.npz").n_rows == shapes.N_TEST

"""Rows with all features, as an array and as a sparse matrix."""

import numpy as np
from scipy import sparse

from labeltree import PLTClassifier


def saved(X, Y, path) -> bytes:
    PLTClassifier(n_jobs=1).fit(X, Y).save(path)
    return path.read_bytes()


def test_an_array_and_a_full_sparse_matrix_give_the_same_model_file(tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((300, 40), np.float32) + np.float32(0.1)
    Y = sparse.csr_array((rng.random((300, 25)) < 0.1).astype(np.float32))
    assert saved(X, Y, tmp_path / "a.lt") == saved(sparse.csr_array(X), Y, tmp_path / "b.lt")


def test_a_missing_value_changes_the_model_little() -> None:
    rng = np.random.default_rng(1)
    X = rng.random((300, 40), np.float32) + np.float32(0.1)
    Y = sparse.csr_array((X[:, :25] > 0.9).astype(np.float32))
    holed = X.copy()
    holed[0, 39] = 0
    full, sparser = (
        PLTClassifier(n_jobs=1, max_iter=200, tol=1e-5, validation_fraction=None).fit(x, Y)
        for x in (X, sparse.csr_array(holed))
    )
    found, expected = (clf.predict_proba(X[1:]).toarray() for clf in (full, sparser))
    np.testing.assert_allclose(found, expected, atol=0.05)

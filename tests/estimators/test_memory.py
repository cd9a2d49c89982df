"""The memory use of a fit."""

import numpy as np
import pytest
from scipy import sparse

from labeltree import PLTClassifier
from labeltree.data import as_features
from labeltree.data.row_scaling import UNIT
from tests.estimators.few_rows import data, dense


def test_x_is_used_without_a_copy(monkeypatch) -> None:
    X, Y = data()
    X = UNIT(as_features(X))
    seen = []

    def spy(tree, features, *rest, **options):
        seen.append(features)
        return train_nodes(tree, features, *rest, **options)

    from labeltree.training import fit as fitting

    train_nodes = fitting.train_nodes
    monkeypatch.setattr(fitting, "train_nodes", spy)
    PLTClassifier(max_samples=0.5, n_trees=2).fit(X, Y)
    for features in seen:
        assert np.shares_memory(features.data, X.data)
        assert np.shares_memory(features.indices, X.indices)


def test_mapped_files_stay_mapped(tmp_path, monkeypatch) -> None:
    X, Y = data()
    X = UNIT(as_features(X))
    for part in ("data", "indices", "indptr"):
        np.save(tmp_path / part, getattr(X, part))
    parts = [np.load(tmp_path / f"{part}.npy", mmap_mode="r") for part in ("data", "indices")]
    mapped = sparse.csr_array((*parts, X.indptr), shape=X.shape)
    from labeltree.training import fit as fitting

    seen = []
    make = fitting.train_nodes
    monkeypatch.setattr(
        fitting, "train_nodes", lambda t, x, *a, **k: (seen.append(x), make(t, x, *a, **k))[1]
    )
    clf = PLTClassifier().fit(mapped, Y)
    assert np.shares_memory(seen[0].data, parts[0])
    assert np.shares_memory(seen[0].indices, parts[1])
    np.testing.assert_array_equal(dense(clf, mapped), dense(PLTClassifier().fit(X, Y), X))


def test_mapped_rows_that_do_not_fit_into_max_memory_give_the_same_model(tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = as_features(sparse.csr_array(rng.random((25_000, 100), np.float32)))
    labels = rng.integers(60, size=(25_000, 1)).tolist()
    parts = []
    for part in ("data", "indices", "indptr"):
        np.save(tmp_path / part, getattr(X, part))
        parts.append(np.load(tmp_path / f"{part}.npy", mmap_mode="r"))
    mapped = sparse.csr_array(tuple(parts), shape=X.shape)
    options = {"max_iter": 3, "C": 0.01, "tol": 1.0}
    limited = PLTClassifier(max_memory="20MB", **options).fit(mapped, labels)
    free = PLTClassifier(**options).fit(X, labels)
    np.testing.assert_array_equal(dense(limited, X[:50]), dense(free, X[:50]))
    with pytest.raises(ValueError, match="max_memory must be at least"):
        PLTClassifier(max_memory="10MB", **options).fit(mapped, labels)


def test_max_memory_accepts_bytes_and_strings() -> None:
    X, Y = data()
    free, limited = (PLTClassifier(max_memory=m).fit(X, Y) for m in (None, "500MB"))
    np.testing.assert_array_equal(dense(free, X), dense(limited, X))
    for too_little in (1000, "1kB"):
        with pytest.raises(ValueError, match="max_memory must be at least"):
            PLTClassifier(max_memory=too_little).fit(X, Y)


def test_peak_memory_is_that_of_the_process() -> None:
    before = np.ones(3_000_000)
    assert PLTClassifier().fit([[1], [2]], [0, 1]).fit_report_.peak_memory > before.nbytes

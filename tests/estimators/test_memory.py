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

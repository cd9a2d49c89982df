"""The C library predicts what Python predicts, bit for bit."""

import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier
from tests.c.library import Model, needs_library
from tests.crossed_words import crossed
from tests.fuzz.seed_models import label_sets, rows
from tests.model_files import put, with_array

pytestmark = needs_library
FROZEN = Path(__file__).parent.parent / "models" / "format-1.lt"


@cache
def data() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X, Y = rows(rng), label_sets(rng)
    return X, Y, [row[0] if row else "none" for row in Y]


def with_pairs(**settings: Any) -> PLTClassifier:
    clf = PLTClassifier(interactions=3.0, n_jobs=1, **settings).fit(*crossed(1000))
    assert len(clf.interactions_) > 100
    return clf


def with_implications(**settings: Any) -> PLTClassifier:
    X, Y, _ = data()
    clf = PLTClassifier(implications=True, n_jobs=1, **settings)
    clf.fit(X, [[*row, "animal"] for row in Y])
    assert clf.settings_["n_implications"] > 3
    return clf


def fitted(name: str) -> Any:
    X, Y, classes = data()
    plain = PLTClassifier(n_jobs=1)
    numbers = np.arange(X.shape[0]) % 5
    makers = {
        "default": lambda: plain.fit(X, Y),
        "logistic": lambda: PLTClassifier(loss="logistic", n_jobs=1).fit(X, Y),
        "forest": lambda: PLTClassifier(n_trees=3, n_jobs=1).fit(X, Y),
        "rankers": lambda: PLTClassifier(rerank=True, n_jobs=1).fit(X, Y),
        "forest with rankers": lambda: PLTClassifier(n_trees=3, rerank=True, n_jobs=1).fit(X, Y),
        "calibrated": lambda: plain.fit(X, Y).calibrate(X, Y),
        "isotonic": lambda: plain.fit(X, Y).calibrate(X, Y, method="isotonic"),
        "thresholds": lambda: plain.fit(X, Y).tune_thresholds(X, Y),
        "quantized": lambda: plain.fit(X, Y).quantize(),
        "weights of labels": lambda: PLTClassifier(label_weighting=1.0, n_jobs=1).fit(X, Y),
        "feature weights": lambda: PLTClassifier(feature_weighting=(0.5, 0.7), n_jobs=1).fit(X, Y),
        "pairs": lambda: with_pairs(),
        "pairs, unweighted": lambda: with_pairs(feature_weighting=None),
        "pairs, forest with rankers": lambda: with_pairs(n_trees=2, rerank=True, C=1.0),
        "implications": lambda: with_implications(),
        "implications, weights of labels": lambda: with_implications(label_weighting=1.0),
        "implications, forest": lambda: with_implications(n_trees=3, rerank=True),
        "as they are": lambda: PLTClassifier(normalize=False, n_jobs=1).fit(X, Y),
        "classes": lambda: plain.fit(X, classes),
        "softmax": lambda: HSMClassifier(n_jobs=1).fit(X, classes),
        "softmax with rankers": lambda: HSMClassifier(rerank=True, n_jobs=1).fit(X, classes),
        "siblings": lambda: PLTClassifier(normalize_proba=True, n_jobs=1).fit(X, Y),
        "online": lambda: plain.partial_fit(X, Y),
        "positions": lambda: plain.fit(X, numbers),
        "integers": lambda: plain.fit(X, numbers.astype(np.int16) * 1000 - 2000),
        "floats": lambda: plain.fit(X, [[0.1 * number] for number in numbers.tolist()]),
        "booleans": lambda: plain.fit(X, numbers > 2),
        "fixed text": lambda: plain.fit(X, np.array(["tea", "Grüße", "", "日本", "x"])[numbers]),
        "one label": lambda: plain.fit(X, [["tea"]] * X.shape[0]),
    }
    return makers[name]()


MODELS = [
    *("default", "logistic", "forest", "rankers", "forest with rankers", "calibrated", "isotonic"),
    *("thresholds", "quantized", "weights of labels", "feature weights", "as they are", "classes"),
    *("softmax", "softmax with rankers", "siblings", "online", "positions", "integers", "floats"),
    *("booleans", "fixed text", "one label", "pairs", "pairs, unweighted"),
    *("pairs, forest with rankers", "implications", "implications, weights of labels"),
    "implications, forest",
]


def queries(n_features: int) -> Iterator[tuple[Any, Any]]:
    """Rows of several lengths, one without features among them."""
    rng = np.random.default_rng(1)
    yield np.zeros(0, np.int32), np.zeros(0, np.float32)
    for _ in range(40):
        n = int(rng.integers(1, min(n_features, 12) + 1))
        features = rng.choice(n_features, n, replace=False).astype(np.int32)
        yield features, (rng.normal(size=n) * 10.0 ** rng.integers(-3, 3)).astype(np.float32)


def are_same(model: Model, clf: Any, k: int) -> None:
    for features, values in queries(clf.n_features_in_):
        expected, probabilities = clf.top_k_row(features, values, k)
        labels, found = model.top_k(features, values, k)
        assert labels.tolist() == expected.tolist()
        assert found.tobytes() == probabilities.tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_those_of_python(name, tmp_path) -> None:
    clf = fitted(name)
    clf.save(tmp_path / "model.lt")
    with Model(tmp_path / "model.lt") as model:
        assert (model.n_labels, model.n_features) == (len(clf.classes_), clf.n_features_in_)
        for k in {1, min(3, len(clf.classes_)), len(clf.classes_)}:
            are_same(model, clf, k)


@pytest.mark.parametrize("name", MODELS)
def test_names_are_those_of_python(name, tmp_path) -> None:
    clf, kind = fitted(name), float if name == "floats" else str
    clf.save(tmp_path / "model.lt")
    with Model(tmp_path / "model.lt") as model:
        assert [kind(name) for name in model.names()] == clf.classes_.astype(kind).tolist()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_names_that_are_floats_are_read_back_as_they_were(dtype, tmp_path) -> None:
    PLTClassifier().fit(np.eye(6), np.arange(6, dtype=dtype)).save(tmp_path / "model.lt")
    numbers = np.array([0.1, -2.5, 6e-8, 65504.0, 0.0, 1e-4], dtype)
    changed = with_array((tmp_path / "model.lt").read_bytes(), "labels.values", numbers.tobytes())
    with Model(put(tmp_path, changed)) as model:
        assert [float(name) for name in model.names()] == numbers.astype(float).tolist()


def test_a_frozen_file_opens_in_the_library() -> None:
    with Model(FROZEN) as model:
        are_same(model, lt.load(FROZEN), k=2)


def test_wide_rows_are_searched_as_in_python(tmp_path) -> None:
    rng = np.random.default_rng(2)
    X = sparse.random_array((300, 5000), density=0.01, rng=rng, dtype=np.float32).tocsr()
    clf = PLTClassifier(n_jobs=1).fit(X, [rng.choice(400, 3).tolist() for _ in range(300)])
    clf.save(tmp_path / "model.lt")
    with Model(tmp_path / "model.lt") as model:
        are_same(model, clf, k=5)


def test_rows_of_pairs_are_searched_as_in_python(tmp_path) -> None:
    """Rows like those of training have several pairs each, in any order of their features."""
    clf, (X, _) = fitted("pairs"), crossed(200, seed=1)
    clf.save(tmp_path / "model.lt")
    rng = np.random.default_rng(0)
    with Model(tmp_path / "model.lt") as model:
        for i in range(X.shape[0]):
            row, order = X[[i]], rng.permutation(X[[i]].nnz)
            features, values = row.indices[order].copy(), row.data[order].copy()
            expected, probabilities = clf.top_k_row(features, values, 3)
            labels, found = model.top_k(features, values, 3)
            assert labels.tolist() == expected.tolist()
            assert found.tobytes() == probabilities.tobytes()


def test_threads_share_a_model(tmp_path) -> None:
    clf = fitted("forest with rankers")
    clf.save(tmp_path / "model.lt")
    finished = []
    with Model(tmp_path / "model.lt") as model:

        def ask() -> None:
            are_same(model, clf, k=2)
            finished.append(True)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(finished) == 4


def test_a_replaced_file_stays_open(tmp_path) -> None:
    clf = fitted("default")
    clf.save(tmp_path / "model.lt")
    with Model(tmp_path / "model.lt") as model:
        fitted("softmax").save(tmp_path / "model.lt")
        are_same(model, clf, k=2)

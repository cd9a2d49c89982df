"""Small model files of every kind, from which mutated ones are made."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier, TextTagger
from tests.animals import LABELS, PAIRS

N_FEATURES = 24
TEXTS = ["grüner tee with milk", "black tea", "white bread", "rye bread 麵包", "tea and bread"]
TAGS = [["tea"], ["tea", "black"], ["bread"], ["bread", "rye"], ["tea", "bread"]]
_FTRL = {"optimizer": "ftrl", "keep_rows": 4, "max_degree": 2, "max_weights": 200}


def rows(rng: np.random.Generator, n_rows: int = 12) -> sparse.csr_array:
    """Return random features."""
    X = sparse.random_array((n_rows, N_FEATURES), density=0.2, rng=rng, dtype=np.float32)
    return X.tocsr()


def label_sets(rng: np.random.Generator, n_rows: int = 12) -> list[list[str]]:
    """Return random labels of a small taxonomy."""
    names = np.array(LABELS)
    return [names[row].tolist() for row in rng.random((n_rows, len(LABELS))) < 0.4]


def seed_models() -> dict[str, bytes]:
    """Return the files by name."""
    rng = np.random.default_rng(0)
    X, Y = rows(rng), label_sets(rng)
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.lt")
        for name, estimator in (*_classifiers(X, Y), *_online(X, Y), *_taggers()):
            estimator.save(path)
            files[name] = path.read_bytes()
    return files


def _classifiers(X: Any, Y: Any) -> Iterator[tuple[str, Any]]:
    common: dict[str, Any] = {"n_jobs": 1, "max_iter": 1000}
    dense = np.asarray([[name in row for name in LABELS] for row in Y], dtype=np.uint8)
    yield "sparse", PLTClassifier(tree="cheapest", **common).fit(X, Y)
    yield "dense", PLTClassifier(tree="star", **common).fit(X.toarray(), dense)
    yield "wide", PLTClassifier(tree="star", **common).fit(_wide(X), Y)
    yield "trees", PLTClassifier(n_trees=3, tree="random", loss="logistic", **common).fit(X, Y)
    weighted = PLTClassifier(class_weight={"cat": 2.0}, feature_weighting=(0.5, 0.5), **common)
    yield "weighted", weighted.fit(X, Y, sample_weight=np.linspace(0.5, 2, X.shape[0]))
    yield "pairs", _with_pairs(**common)
    yield "rankers", PLTClassifier(rerank=True, **common).fit(X, Y)
    yield "implications", _with_implications(X, Y, **common)
    yield "calibrated", PLTClassifier(**common).fit(X, Y).calibrate(X, Y)
    yield "isotonic", PLTClassifier(**common).fit(X, Y).calibrate(X, Y, method="isotonic")
    yield "thresholds", PLTClassifier(**common).fit(X, Y).tune_thresholds(X, Y)
    yield "hierarchy", PLTClassifier(tree=lt.trees.from_hierarchy(PAIRS, Y), **common).fit(X, Y)
    yield "quantized", PLTClassifier(tree="star", **common).fit(X, Y).quantize()
    yield "numbers", PLTClassifier(**common).fit(X, [i % 4 for i in range(X.shape[0])])
    classes = [row[0] if row else "none" for row in Y]
    yield "softmax", HSMClassifier(**common).fit(X, classes)


def _with_pairs(**common: Any) -> PLTClassifier:
    """Rows with pairs of features, which need several rows each."""
    rng = np.random.default_rng(1)
    X, Y = rows(rng, n_rows=80), label_sets(rng, n_rows=80)
    clf = PLTClassifier(interactions=2.0, feature_weighting=(0.5, 0.5), **common).fit(X, Y)
    assert len(clf.interactions_) > 3
    return clf


def _with_implications(X: Any, Y: Any, **common: Any) -> PLTClassifier:
    """Labels that come with that of all animals."""
    clf = PLTClassifier(implications=True, **common).fit(X, [[*row, "animal"] for row in Y])
    assert clf.settings_["n_implications"] > 3
    return clf


def _wide(X: Any) -> Any:
    """Features that share buckets of weights."""
    wide = sparse.csr_array((X.data, X.indices * 37, X.indptr), shape=(len(X.indptr) - 1, 900))
    return wide


def _online(X: Any, Y: Any) -> Iterator[tuple[str, Any]]:
    yield "adagrad", PLTClassifier(n_jobs=1).partial_fit(X, Y)
    yield "ftrl", PLTClassifier(n_jobs=1, online_params=_FTRL).partial_fit(X, Y)
    fitted = PLTClassifier(n_jobs=1, online_params={"keep_rows": 0}).fit(X, Y)
    yield "fitted_first", fitted.partial_fit(X[:4], Y[:4])
    classes = [row[0] if row else "none" for row in Y]
    yield "online_softmax", HSMClassifier(n_jobs=1).partial_fit(X, classes)


def _taggers() -> Iterator[tuple[str, Any]]:
    make: Callable[..., Any] = TextTagger
    yield "tagger", make(n_jobs=1, stop_words=["with"]).fit(TEXTS, TAGS)
    options = {"analyzer": "char_wb", "ngram_range": (2, 3), "lowercase": False, "min_df": 1}
    yield "characters", make(n_jobs=1, unicode_form=None, **options).fit(TEXTS, TAGS)
    embedded = make(n_jobs=1, max_features=9, stop_words="english")
    yield "embedded", embedded.fit(TEXTS, TAGS, embeddings=np.eye(5, 3, dtype=np.float32))
    hashed = make(n_jobs=1, n_features=64, online_params={"keep_rows": 3})
    yield "online_tagger", hashed.partial_fit(TEXTS, TAGS)
    later = make(n_jobs=1).fit(TEXTS, TAGS)
    yield "tagger_later", later.partial_fit(["green tea"], [["tea", "green"]])
    classes = HSMClassifier(n_jobs=1)
    yield "one_class", make(classifier=classes).fit(TEXTS, [row[0] for row in TAGS])

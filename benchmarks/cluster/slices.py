"""Accuracy and CPU time of fits whose root is trained in slices of the rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.cluster import shapes
from benchmarks.generator import Generator
from labeltree import PLTClassifier
from labeltree.data import LabelRows, as_features
from labeltree.data.features import FeatureMatrix
from labeltree.estimators import classifiers
from labeltree.training.solver_settings import SolverSettings
from labeltree.trees import spread

N_SLICES = (1, 2, 4, 8)
TOP_STEP = 8  # rows of which one is used for the top of the tree
_UNSEEN = 20_000  # rows of generated data that are predicted
#: By name: labels, features and training rows of generated data, about 100 rows for each feature.
_GENERATED = {
    "10,000 labels": (10_000, 1 << 12, 400_000),
    "2,000 labels": (2_000, 1 << 11, 200_000),
}
_N_FREQUENT = 500  # features of texts that are kept, so that there are many rows for each
_UNSEEN_SHARE = 6  # one row of so many, of the training rows of texts

#: Features and labels to learn from, and those that are predicted.
Data = tuple[FeatureMatrix, LabelRows, FeatureMatrix, LabelRows]


def read_all() -> Iterator[tuple[str, Data]]:
    """Yield data with many rows for each feature, by name."""
    for name, (n_labels, n_features, n_rows) in _GENERATED.items():
        rows = Generator(n_labels=n_labels, n_features=n_features).rows(n_rows + _UNSEEN)
        yield name, _divided(*rows, np.arange(n_rows + _UNSEEN) >= n_rows)
    if os.environ.get(shapes.FOLDER):
        X, Y = shapes.read("texts")
        counts = np.bincount(X.indices, minlength=X.shape[1])
        X = as_features(X[:, np.sort(np.argsort(-counts, kind="stable")[:_N_FREQUENT])])
        yield (
            "texts",
            _divided(X, Y, np.random.default_rng(0).random(X.shape[0]) < 1 / _UNSEEN_SHARE),
        )


def _divided(X: FeatureMatrix, Y: LabelRows, is_unseen: Any) -> Data:
    seen, unseen = np.flatnonzero(~is_unseen), np.flatnonzero(is_unseen)
    return X[seen], Y.select(seen), X[unseen], Y.select(unseen)


@contextmanager
def sliced(X: FeatureMatrix, n_slices: int) -> Iterator[None]:
    """Fits of these rows have so many slices, although they are short."""
    entries = X.nnz // n_slices if n_slices > 1 else 0

    @dataclass(frozen=True)
    class Settings(SolverSettings):
        slice_entries: int = entries
        slice_rows: float = 0.0
        slice_positive: int = 1

    with patch.object(classifiers, "SolverSettings", Settings):
        yield


def precision(model: PLTClassifier, X: FeatureMatrix, Y: LabelRows) -> list[float]:
    """Return P@1, P@3 and P@5 in percent."""
    labels, _ = model.top_k(X, k=5)
    hits = np.array([np.isin(found, Y.row(i)) for i, found in enumerate(np.asarray(labels))])
    return [100 * float(hits[:, :k].mean()) for k in (1, 3, 5)]


def _fitted(data: Data, n_slices: int, top_rows: int) -> dict[str, Any]:
    X, Y, *unseen = data
    start = process_time()
    with sliced(X, n_slices), patch.object(spread, "MAX_TOP_ROWS", top_rows):
        model = PLTClassifier(n_jobs=1, interactions=None).fit(X, Y)
    seconds = process_time() - start
    return {"precision": precision(model, *unseen), "cpu_seconds": seconds}


def compare() -> list[dict[str, Any]]:
    """Return accuracy and CPU time with each number of slices, and with a top of some rows."""
    found = []
    for name, data in read_all():
        n_rows, n_features = data[0].shape
        fits = {f"slices: {n}": _fitted(data, n, spread.MAX_TOP_ROWS) for n in N_SLICES}
        fits[f"top from 1/{TOP_STEP} of the rows"] = _fitted(data, 1, n_rows // TOP_STEP)
        found.append({"name": name, "n_rows": n_rows, "n_features": n_features, "fits": fits})
    return found

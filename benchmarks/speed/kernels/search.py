"""Speed of predictions: top 5, by threshold and one row at a time, one thread."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.speed.kernels import cluster
from benchmarks.speed.timing import timed
from labeltree import PLTClassifier

TREES = ("auto", "cheapest")
K = 5
THRESHOLD = 0.3
N_SINGLE = 500
N_CHECKED = 50  # rows compared with the probabilities of all labels


def check(model: PLTClassifier, X: Any) -> None:
    """Assert that predictions equal brute force, and are the same for one row as for many."""
    every = sparse.csr_array(model.predict_proba(X[:N_CHECKED])).toarray()
    labels, probabilities = model.top_k(X[:N_CHECKED], K)
    best = np.sort(every, axis=1)[:, : -K - 1 : -1]
    np.testing.assert_allclose(probabilities, best, rtol=1e-5)
    np.testing.assert_allclose(np.take_along_axis(every, labels, 1), probabilities, rtol=1e-5)
    above = sparse.csr_array(model.predict_proba(X[:N_CHECKED], threshold=THRESHOLD)).toarray() > 0
    clear = np.abs(every - THRESHOLD) > 1e-5
    np.testing.assert_array_equal(above[clear], every[clear] >= THRESHOLD)
    for i in range(N_CHECKED):
        np.testing.assert_array_equal(model.top_k(X[i : i + 1], K)[0][0], labels[i])


def measure(*, repeats: int = 5, seed: int = 0) -> dict[str, Any]:
    """Return the microseconds per row of each kind of prediction, after checking the results."""
    X, Y = cluster.generate(seed)
    figures: dict[str, Any] = {
        "name": "search",
        "threads": 1,
        "seed": seed,
        "n_rows": Y.n_rows,
        "n_labels": Y.n_labels,
        "features_per_row": round(X.nnz / X.shape[0], 1),
    }
    for tree in TREES:
        model = PLTClassifier(tree=tree, n_jobs=1, random_state=seed).fit(X, Y)
        check(model, X)
        figures[tree] = _figures(model, X, repeats)
    return figures


def _figures(model: PLTClassifier, X: Any, repeats: int) -> dict[str, Any]:
    found: dict[str, Any] = {"calls_per_row": round(float(model.prediction_cost(X, K).mean()), 2)}
    ways: dict[str, Callable[[], Any]] = {
        "top_5": lambda: model.top_k(X, K),
        "threshold": lambda: model.predict_proba(X, threshold=THRESHOLD),
    }
    for name, predict in ways.items():
        took, _ = timed(predict, repeats, time.process_time)
        found[f"{name}_us"] = round(took.median / X.shape[0] * 1e6, 2)
        found[f"{name}_us_slowest"] = round(max(took.seconds) / X.shape[0] * 1e6, 2)
    rows = [X[i : i + 1] for i in range(N_SINGLE)]
    times = []
    for row in rows:
        start = time.perf_counter()
        model.top_k(row, K)
        times.append(time.perf_counter() - start)
    found["one_row_us"] = round(statistics.median(times) * 1e6, 1)
    return found

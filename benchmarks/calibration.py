"""Do probabilities mean what they say: ways to calibrate, on rows kept back from training.

    python -m benchmarks.calibration DATA/eurlex-4k [--rows 100000] [--output results.json]

The rows of X.trn.npz are split into training rows, rows to calibrate by and rows to judge by; test
rows are not looked at.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import machine
from benchmarks.study import split
from labeltree import HSMClassifier, PLTClassifier, metrics
from labeltree.data import LabelRows, as_features
from labeltree.metrics.ranked_hits import judge
from labeltree.model import Calibration

K = 5
BINS = 10
#: Name, estimator options and method; "raw" is the fixed link without a curve, None what fit gives.
WAYS: list[tuple[str, dict[str, Any], str | None]] = [
    ("logistic nodes (C=10)", {"loss": "logistic", "C": 10.0}, "raw"),
    ("logistic nodes (C=10), isotonic", {"loss": "logistic", "C": 10.0}, "isotonic"),
    ("link (4, 1.5)", {}, "raw"),
    ("link (4, 1.5), fixed curve: default", {}, None),
    ("link (4, 1.5), sigmoid curve", {}, "sigmoid"),
    ("link (4, 1.5), isotonic curve", {}, "isotonic"),
    ("one fitted link", {}, "global"),
    ("a fitted link for each depth", {}, "depth"),
    ("a fitted link for each depth, isotonic curve", {}, "depth_isotonic"),
]
OBJECTIVES = (None, "micro_f1", "macro_f1", "expected_f1")


def halves(X: Any, Y: LabelRows) -> tuple[Any, LabelRows, Any, LabelRows]:
    """Return rows to calibrate by and rows to judge by."""
    order = np.random.default_rng(1).permutation(Y.n_rows)
    one, other = np.sort(order[: Y.n_rows // 2]), np.sort(order[Y.n_rows // 2 :])
    return as_features(X[one]), Y.select(one), as_features(X[other]), Y.select(other)


def figures(clf: Any, X: Any, Y: LabelRows) -> dict[str, Any]:
    """Return accuracy and calibration of the best K labels."""
    labels, probabilities = clf.top_k(X, k=K)
    judged = judge(Y, labels, K, probabilities=probabilities)
    p = np.clip(probabilities.astype(np.float64), 1e-6, 1 - 1e-6)
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1).ravel()
    n = np.bincount(bins, minlength=BINS)
    return {
        f"ECE@{K}": round(metrics.ece_at_k(Y, labels, K, probabilities), 4),
        "ECE@1": round(metrics.ece_at_k(Y, labels[:, :1], 1, probabilities[:, :1]), 4),
        "log_loss": round(float(-np.where(judged.hits, np.log(p), np.log1p(-p)).mean()), 4),
        **{f"P@{k}": round(100 * metrics.precision_at_k(Y, labels, k), 2) for k in (1, 3, 5)},
        "bins": n.tolist(),
        "bin_probability": _means(bins, probabilities.ravel(), n),
        "bin_share": _means(bins, judged.hits.ravel(), n),
    }


def _means(bins: Any, values: Any, n: Any) -> list[float]:
    sums = np.bincount(bins, weights=values, minlength=BINS)
    return [round(float(total), 4) for total in sums / np.maximum(n, 1)]


def study(folder: Path, n_rows: int | None) -> Iterator[dict[str, Any]]:
    """Yield the figures of every way on one data set, and of every objective for thresholds."""
    X, Y, X_kept, Y_kept = split(folder)
    if n_rows is not None and n_rows < Y.n_rows:
        chosen = np.sort(np.random.default_rng(0).choice(Y.n_rows, n_rows, replace=False))
        X, Y = as_features(X[chosen]), Y.select(chosen)
    X_val, Y_val, X_test, Y_test = halves(X_kept, Y_kept)
    is_class = bool((np.diff(Y.indptr) == 1).all())
    if is_class:
        Y, Y_val, Y_test = (replace(rows, kind="classes") for rows in (Y, Y_val, Y_test))
    make = HSMClassifier if is_class else PLTClassifier
    fitted: dict[str, Any] = {}
    for name, options, method in WAYS:
        key = str(options)
        if key not in fitted:
            fitted[key] = make(n_jobs=1, **options).fit(X, Y)
        clf = fitted[key]
        if method == "raw":
            clf.model_ = clf.model_.calibrated(Calibration())
        else:
            clf.calibrate(X_val, Y_val, method=method)
        yield {"data": folder.name, "way": name, **figures(clf, X_test, Y_test)}
    if is_class:
        return
    clf = fitted["{}"].calibrate(X_val, Y_val)
    for objective in OBJECTIVES:
        clf.tune_thresholds(X_val, Y_val, objective)
        predicted = clf.predict(X_test)
        yield {
            "data": folder.name,
            "objective": objective or "none: 0.5 for all",
            "macro_f1": round(100 * metrics.macro_f1(Y_test, predicted), 2),
            "micro_f1": round(100 * metrics.micro_f1(Y_test, predicted), 2),
            "row_f1": round(100 * row_f1(Y_test, predicted), 2),
            "labels_a_row": round(predicted.nnz / Y_test.n_rows, 2),
        }


def row_f1(Y: LabelRows, predicted: Any) -> float:
    """Return the mean F1 of the rows."""
    right = np.asarray(Y.to_csr().multiply(predicted).sum(axis=1)).ravel()
    sizes = np.diff(Y.indptr) + np.diff(predicted.indptr)
    return float(np.mean(2 * right / np.maximum(sizes, 1)))


def main() -> None:
    """Study the folders on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--rows", type=int, help="train with so many rows at most")
    parser.add_argument("--output", type=Path, help="JSON file to write")
    options = parser.parse_args()
    results = []
    for folder in options.folders:
        for row in study(folder, options.rows):
            print(json.dumps(row), flush=True)
            results.append(row)
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"machine": machine(), "results": results}, indent=1)
        options.output.write_text(text + "\n")


if __name__ == "__main__":
    main()

"""How well probabilities are calibrated by each method, on rows held out from training.

The rows of X.trn.npz are split into training rows, rows for calibration and rows for evaluation;
test rows are not used.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from benchmarks.pages.places import Picture, Place, Record, Table, measured_on
from benchmarks.pages.style import LINES, finish, new_panels, shared_legend
from benchmarks.rows import RANKS, read_rows, shuffled_split
from labeltree import HSMClassifier, PLTClassifier, metrics
from labeltree.data import LabelRows, as_features
from labeltree.metrics.ranked_hits import ranked_hits
from labeltree.plot.style import GRAY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

K = 5
BINS = 10
MAX_HELD_OUT = 20_000
#: Name, estimator options and method; "raw" is the fixed link without a curve, None the fixed curve
#: and "fit" the curve that `fit` learns.
WAYS: list[tuple[str, dict[str, Any], str | None]] = [
    ("logistic nodes (C=10)", {"loss": "logistic", "C": 10.0}, "raw"),
    ("logistic nodes (C=10), isotonic", {"loss": "logistic", "C": 10.0}, "isotonic"),
    ("link (4, 1.5)", {}, "raw"),
    ("link (4, 1.5), fixed curve", {}, None),
    ("link (4, 1.5), curve of fit: default", {}, "fit"),
    ("link (4, 1.5), sigmoid curve", {}, "sigmoid"),
    ("link (4, 1.5), isotonic curve", {}, "isotonic"),
    ("one fitted link", {}, "global"),
    ("a fitted link for each depth", {}, "depth"),
    ("a fitted link for each depth, isotonic curve", {}, "depth_isotonic"),
]
OBJECTIVES = (None, "micro_f1", "macro_f1", "expected_f1")
#: Methods in the plot, and what they are called there.
DRAWN = {
    "link (4, 1.5)": "link alone",
    "link (4, 1.5), curve of fit: default": "curve of fit (default)",
    "link (4, 1.5), isotonic curve": "isotonic curve",
}
_COLUMNS = {
    "ECE@5": "{ECE@5:.3f}",
    "ECE@1": "{ECE@1:.3f}",
    "log-loss of the best 5": "{log_loss:.3f}",
    "P@1 / 3 / 5": "{P@1:.1f} / {P@3:.1f} / {P@5:.1f}",
}
_THRESHOLD_COLUMNS = {
    "macro-F1": "{macro_f1:.1f}",
    "micro-F1": "{micro_f1:.1f}",
    "mean F1 of rows": "{row_f1:.1f}",
    "labels per row": "{labels_a_row:.1f}",
}


RUNS = {name: f"DATA/{name}" for name in ("eurlex-4k", "tib-gnd", "wordnet-hypernyms")} | {
    "debian-files": "DATA/debian-files --max-rows 300000"
}
MINUTES = {"eurlex-4k": 0.3, "tib-gnd": 0.7, "wordnet-hypernyms": 0.4, "debian-files": 0.8}
MINUTES_FROM = dict.fromkeys(RUNS, "CPU times in results")
MINUTES_FROM |= dict.fromkeys(("eurlex-4k", "tib-gnd"), "CPU time, measured once")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--max-rows", type=int, help="maximum number of training rows")


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the figures of every method and every objective of thresholds."""
    for folder in asked.folders:
        parts = split(folder, asked.max_rows)
        is_class = bool((np.diff(parts[0][1].indptr) == 1).all())
        if is_class:
            parts = [(X, replace(Y, kind="classes")) for X, Y in parts]
        fitted: dict[str, Any] = {}
        make = HSMClassifier if is_class else PLTClassifier
        ways = [calibrated(way, make, fitted, parts) for way in WAYS]
        thresholds = [] if is_class else objectives(fitted["{}"][0], parts)
        yield {"data": folder.name, "ways": ways, "thresholds": thresholds}


def split(folder: Path, max_rows: int | None) -> list[tuple[Any, LabelRows]]:
    """Return rows for training, for calibration and for evaluation."""
    X, Y = read_rows(folder)
    held, rest = shuffled_split(Y.n_rows, min(MAX_HELD_OUT, Y.n_rows // 5))
    if max_rows is not None and max_rows < len(rest):
        rest = np.sort(np.random.default_rng(0).choice(rest, max_rows, replace=False))
    held = held[np.diff(Y.indptr)[held] > 0]
    halves = shuffled_split(len(held), len(held) // 2, seed=1)
    return [(as_features(X[rows]), Y.select(rows)) for rows in (rest, *(held[h] for h in halves))]


def calibrated(
    way: tuple[str, dict[str, Any], str | None],
    make: Any,
    fitted: dict[str, Any],
    parts: list[tuple[Any, LabelRows]],
) -> Record:
    """Return the figures of one method; models are shared by methods with the same options."""
    name, options, method = way
    train, validation, test = parts
    if str(options) not in fitted:
        made = make(n_jobs=1, **options).fit(*train)
        fitted[str(options)] = made, made.model_.calibration
    clf, of_fit = fitted[str(options)]
    # Other methods start from what `fit` learned, not from each other.
    clf._calibrated(clf._fitted, replace(of_fit, curve=None) if method == "raw" else of_fit)
    if method not in ("raw", "fit"):
        clf.calibrate(*validation, method=method)
    return {"way": name, **figures(clf, *test)}


def figures(clf: Any, X: Any, Y: LabelRows) -> dict[str, Any]:
    """Return accuracy and calibration of the top K labels."""
    labels, probabilities = clf.top_k(X, k=K)
    predictions = ranked_hits(Y, labels, K, probabilities=probabilities)
    p = np.clip(probabilities.astype(np.float64), 1e-6, 1 - 1e-6)
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1).ravel()
    n = np.bincount(bins, minlength=BINS)
    return {
        f"ECE@{K}": round(metrics.ece_at_k(Y, labels, K, probabilities), 4),
        "ECE@1": round(metrics.ece_at_k(Y, labels[:, :1], 1, probabilities[:, :1]), 4),
        "log_loss": round(float(-np.where(predictions.hits, np.log(p), np.log1p(-p)).mean()), 4),
        **{f"P@{k}": round(100 * metrics.precision_at_k(Y, labels, k), 2) for k in RANKS},
        "bins": n.tolist(),
        "bin_probability": _means(bins, probabilities.ravel(), n),
        "bin_share": _means(bins, predictions.hits.ravel(), n),
    }


def _means(bins: Any, values: Any, n: Any) -> list[float]:
    sums = np.bincount(bins, weights=values, minlength=BINS)
    return [round(float(total), 4) for total in sums / np.maximum(n, 1)]


def objectives(clf: Any, parts: list[tuple[Any, LabelRows]]) -> list[Record]:
    """Return the figures of thresholds tuned for each objective."""
    _, validation, (X, Y) = parts
    clf.calibrate(*validation)
    found = []
    for objective in OBJECTIVES:
        clf.tune_thresholds(*validation, objective)
        predicted = clf.predict(X)
        found.append(
            {
                "objective": objective or "none: 0.5 for all",
                "macro_f1": round(100 * metrics.macro_f1(Y, predicted), 2),
                "micro_f1": round(100 * metrics.micro_f1(Y, predicted), 2),
                "row_f1": round(100 * row_f1(Y, predicted), 2),
                "labels_a_row": round(predicted.nnz / Y.n_rows, 2),
            }
        )
    return found


def row_f1(Y: LabelRows, predicted: Any) -> float:
    """Return the mean F1 of the rows."""
    right = np.asarray(Y.to_csr().multiply(predicted).sum(axis=1)).ravel()
    sizes = np.diff(Y.indptr) + np.diff(predicted.indptr)
    return float(np.mean(2 * right / np.maximum(sizes, 1)))


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tables of all data sets, and the reliability diagram."""
    parts = []
    for record in records:
        for kind, key, columns in (
            ("ways", "way", _COLUMNS),
            ("thresholds", "objective", _THRESHOLD_COLUMNS),
        ):
            rows = [
                [row[key], *(cell.format_map(row) for cell in columns.values())]
                for row in record[kind]
            ]
            if rows:
                title = f"**{record['data']}: {'calibration' if kind == 'ways' else kind}**"
                parts.append(f"{title}\n\n{table([key, *columns], rows)}")
        parts.append(measured_on(record))
    yield Table("calibration", "\n\n".join(parts))
    yield Picture("reliability.png", draw(records))


def draw(records: list[Record]) -> Figure:
    """Return the reliability diagrams, one panel per data set."""
    figure, panels = new_panels(len(records), 1.15)
    for axes, record in zip(panels, records, strict=True):
        axes.plot([0, 1], [0, 1], color=GRAY, linewidth=1)
        ways = [row for row in record["ways"] if row["way"] in DRAWN]
        for line, row in zip(LINES, ways, strict=False):
            known = [b for b, n in enumerate(row["bins"]) if n >= 20]
            x, y = ([row[key][b] for b in known] for key in ("bin_probability", "bin_share"))
            axes.plot(x, y, label=DRAWN[row["way"]], **line)
        errors = " / ".join(f"{row['ECE@5']:.3f}" for row in ways)
        axes.set_xlabel("predicted probability")
        axes.set_ylabel("fraction of true labels")
        finish(axes, f"{record['data']}\nECE@5 {errors}", grid="both")
    shared_legend(figure, panels[0], len(DRAWN))
    return figure

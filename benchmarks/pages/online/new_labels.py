"""New labels for a trained model: learning time, and accuracy on old and new labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pages.online import streams
from benchmarks.rows import cpu_timed, percent_at
from labeltree import PLTClassifier
from labeltree.data import LabelRows

N_NEW = 10_000
K = 5
#: Narrow nodes, because an online learner stores numbers for all siblings of a feature.
TREE = {"width": 0.2}


def measure_new_labels(folder: Path, n_new: int = N_NEW, seed: int = 0) -> dict[str, Any]:
    """Fit a model without some labels, then learn these; compare with a fit to all rows.

    Old and new labels are evaluated separately, with predictions and truth of one kind only.
    """
    stream = streams.of(str(folder), None, seed)
    X, Y = stream.X, stream.Y
    rng = np.random.default_rng(seed)
    used = np.unique(Y.indices)
    is_new = np.zeros(Y.n_labels, bool)
    is_new[rng.choice(used, n_new, replace=False)] = True
    has_new = np.add.reduceat(np.append(is_new[Y.indices], 0), Y.indptr[:-1]) > 0
    has_new &= np.diff(Y.indptr) > 0
    first, later = np.flatnonzero(~has_new), np.flatnonzero(has_new)

    old, new = used[~is_new[used]], used[is_new[used]]
    made: dict[str, Any] = {"data": stream.name, "old_labels": len(old), "new_labels": len(new)}
    made |= {"first_rows": len(first), "later_rows": len(later)}
    clf = PLTClassifier(n_jobs=1, tree_params=TREE)
    made["fit_cpu_s"] = _timed(lambda: clf.fit(X[first], _sets(Y, first)))
    made["before"] = {"old": _accuracy(clf, stream, old)}
    made["partial_fit_cpu_s"] = _timed(lambda: clf.partial_fit(X[later], _sets(Y, later)))
    made["state_mb"] = round(clf._fitted.online.native.n_bytes / 1e6)
    made["after"] = {"old": _accuracy(clf, stream, old), "new": _accuracy(clf, stream, new)}
    clf.set_params(warm_start=True)
    made["warm_fit_cpu_s"] = _timed(lambda: clf.fit(X[later], _sets(Y, later)))
    made["finished"] = {"old": _accuracy(clf, stream, old), "new": _accuracy(clf, stream, new)}
    full = PLTClassifier(n_jobs=1, tree_params=TREE)
    made["full_fit_cpu_s"] = _timed(lambda: full.fit(X, _sets(Y, np.arange(X.shape[0]))))
    made["full"] = {"old": _accuracy(full, stream, old), "new": _accuracy(full, stream, new)}
    return made


def _sets(Y: LabelRows, rows: NDArray[np.int64]) -> list[list[int]]:
    """Return labels by name, so that labels of other rows are unknown."""
    return [Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tolist() for i in rows.tolist()]


def _timed(work: Callable[[], Any]) -> float:
    return round(cpu_timed(work)[0], 1)


def _accuracy(clf: PLTClassifier, stream: streams.Stream, labels: NDArray[Any]) -> list[float]:
    """Return P@1/3/5 of test rows that have some of the labels, among these labels."""
    truth = stream.Y_test
    kept = np.isin(truth.indices, labels)
    ends = np.concatenate([[0], np.cumsum(kept)])[truth.indptr]
    rows = np.flatnonzero(np.diff(ends))
    among = LabelRows(ends, truth.indices[kept], truth.n_labels, None, "indicator")
    known = labels[np.isin(labels, clf.classes_)]
    found, _ = clf.top_k(stream.X_test[rows], K, labels=known.tolist())
    named = np.where(found < 0, -1, clf.classes_[found])
    return percent_at(streams.some(among, rows), named)

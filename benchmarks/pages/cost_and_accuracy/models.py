"""Accuracy, training time, size and prediction cost of each tree, on rows held back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np

from benchmarks.pages.cost_and_accuracy.builds import BUILDS, affordable
from benchmarks.pages.places import Record
from benchmarks.rows import cpu_timed, percent_at, read_rows, shuffled_split
from labeltree import LabelTree, PLTClassifier, cost
from labeltree.data import LabelRows, as_features
from labeltree.model import Model
from labeltree.planning.training_times import operation_counts
from labeltree.training.feature_weighting import learn_scaling
from labeltree.training.nodes import make_trainer
from labeltree.training.solver_settings import SolverSettings

MAX_ROWS, MAX_HELD_BACK = 100_000, 10_000
BEAM = 10
K = 5


def measure_models(folder: Path) -> Record:
    """Train all trees on a sample of the training rows; evaluate them on other training rows."""
    X, Y = read_rows(folder)
    n_held = min(MAX_HELD_BACK, Y.n_rows // 5)
    held, others = shuffled_split(Y.n_rows, n_held)
    drawn = others[np.sort(np.random.default_rng(1).permutation(len(others))[:MAX_ROWS])]
    rows = with_labels(Y.select(drawn), Y.select(drawn).counts > 0)
    truth = with_labels(Y.select(held), Y.select(drawn).counts > 0)
    scaling = learn_scaling(as_features(X[drawn]), rows)
    train, queries = scaling(as_features(X[drawn])), scaling(as_features(X[held]))
    return {
        "n_rows": rows.n_rows,
        "n_held_back": n_held,
        "n_labels": rows.n_labels,
        "features_per_row": round(train.nnz / rows.n_rows, 1),
        "lower_bound_per_row": round(cost.lower_bound(rows) / rows.n_rows, 2),
        "trees": [evaluate(name, train, rows, queries, truth) for name in affordable(train, rows)],
    }


def with_labels(Y: LabelRows, is_kept: Any) -> LabelRows:
    """Return the rows with some of the labels only, numbered again; rows may become empty."""
    number = np.cumsum(is_kept) - 1
    stays = is_kept[Y.indices]
    row = np.repeat(np.arange(Y.n_rows), np.diff(Y.indptr))[stays]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=Y.n_rows))])
    indices = number[Y.indices[stays]].astype(np.int32)
    return LabelRows(indptr.astype(np.int64), indices, int(is_kept.sum()))


def evaluate(name: str, X: Any, Y: LabelRows, queries: Any, truth: LabelRows) -> dict[str, Any]:
    """Build and train one tree, and evaluate it on rows held back."""
    build_seconds, tree = cpu_timed(lambda: BUILDS[name](X, Y))
    seconds, clf = cpu_timed(lambda: fitted(tree, X, Y))
    query_seconds, (labels, _) = cpu_timed(lambda: clf.top_k(queries, k=K))
    model = cast(Model, clf.model_)
    _, exact_calls = model.search(queries, k=K)
    beam, beam_calls = model.search(queries, k=K, beam=BEAM)
    inner_rows, pairs = operation_counts(tree, Y)
    return {
        "tree": name,
        "cost_per_row": round(cost.training_cost(tree, Y) / Y.n_rows, 2),
        "unseen_cost_per_row": round(cost.training_cost(tree, truth) / truth.n_rows, 2),
        "inner_rows": inner_rows,
        "pairs": pairs,
        "work": float(make_trainer(tree, X, Y, SolverSettings()).costs().sum()),
        "build_cpu_s": round(build_seconds, 3),
        "train_cpu_s": round(seconds, 3),
        "query_cpu_us": round(1e6 * query_seconds / queries.shape[0], 2),
        "model_mb": round(model.n_bytes / 1e6, 3),
        "P": percent_at(truth, labels, 2),
        "beam_P": percent_at(truth, ranked(beam, K), 2),
        "exact_calls": round(float(exact_calls.mean()), 1),
        "beam_calls": round(float(beam_calls.mean()), 1),
        "n_nodes": tree.n_nodes,
        "depth": tree.depth,
        "max_degree": tree.max_degree,
    }


def fitted(tree: LabelTree, X: Any, Y: LabelRows, **settings: Any) -> PLTClassifier:
    """Return a model of a tree whose training time has no part in common with other trees."""
    chosen = {"C": 1.0, "feature_weighting": None, "interactions": None}
    chosen |= {"validation_fraction": None, "n_jobs": 1}
    return PLTClassifier(tree=tree, **(chosen | settings)).fit(X, Y)


def ranked(found: Any, k: int) -> Any:
    """Return the labels of a search, best first, padded with -1: (n_rows, k)."""
    lengths = np.minimum(np.diff(found.indptr), k)
    labels = np.full((found.shape[0], k), -1)
    is_filled = np.arange(k) < lengths[:, None]
    starts = found.indptr[:-1][:, None] + np.arange(k)
    labels[is_filled] = found.indices[starts[is_filled]]
    return labels

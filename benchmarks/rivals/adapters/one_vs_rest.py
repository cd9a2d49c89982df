"""scikit-learn's linear support vector machine, one for each label: the baseline."""

from __future__ import annotations

from typing import Any

from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.rivals.adapters.matrices import (
    Ranking,
    among_used,
    as_it_is,
    dump,
    in_blocks,
    load_dumped,
    read_matrices,
    used_labels,
)

read = read_matrices
query = as_it_is
load = load_dumped


def train(data: tuple[Any, Any], model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, but for the settings."""
    X, Y = data
    # Labels without a training row would each raise a warning and answer nothing.
    used = used_labels(Y)
    model = OneVsRestClassifier(LinearSVC(**settings), n_jobs=threads).fit(X, Y[:, used])
    dump((model, used), model_path)


def ask(model: Any, query: Any, k: int) -> Ranking:
    """Answer one row."""
    classifier, used = model
    return among_used(classifier.decision_function(query), used, k)


def predict(model: Any, X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""
    return in_blocks(lambda rows: ask(model, rows, k), X)

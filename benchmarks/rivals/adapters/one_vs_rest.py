"""scikit-learn's linear support vector machine, one for each label: the baseline."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.rivals.adapters.matrices import (
    Ranking,
    as_it_is,
    from_all_scores,
    in_blocks,
    read_matrices,
)

read = read_matrices
query = as_it_is


def train(data: tuple[Any, Any], model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, but for the settings."""
    X, Y = data
    # Labels without a training row would each raise a warning and answer nothing.
    used = np.flatnonzero(Y.sum(axis=0).A1)
    model = OneVsRestClassifier(LinearSVC(**settings), n_jobs=threads).fit(X, Y[:, used])
    with Path(model_path).open("wb") as file:
        pickle.dump((model, used), file, protocol=5)


def load(model_path: str, threads: int) -> Any:
    """Open the model."""
    with Path(model_path).open("rb") as file:
        return pickle.load(file)


def ask(model: Any, query: Any, k: int) -> Ranking:
    """Answer one row."""
    classifier, used = model
    best, scores = from_all_scores(classifier.decision_function(query), k)
    return used[best], scores


def predict(model: Any, X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""
    return in_blocks(lambda rows: ask(model, rows, k), X)

"""scikit-learn's linear support vector machine, one for each label: the baseline."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.rivals.adapters.matrices import Ranking, read_matrices

read = read_matrices
_BLOCK = 256  # rows whose scores for all labels are held at once


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


def predict(model: Any, X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""
    classifier, used = model
    labels, scores = [], []
    for first in range(0, X.shape[0], _BLOCK):
        all_scores = classifier.decision_function(X[first : first + _BLOCK])
        best = np.argsort(-all_scores, axis=1, kind="stable")[:, :k]
        labels.append(used[best])
        scores.append(np.take_along_axis(all_scores, best, axis=1))
    return np.concatenate(labels), np.concatenate(scores).astype(np.float32)

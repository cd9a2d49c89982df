"""scikit-learn's linear support vector machine, one for each label: the baseline."""

from __future__ import annotations

from typing import Any

from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.rivals.adapters.matrices import AllScores, dump, used_labels

_scores = AllScores(lambda model, rows: model.decision_function(rows))
read, load = _scores.read, _scores.load
query, prepare, ranking = _scores.query, _scores.prepare, _scores.ranking
predict_one, predict = _scores.predict_one, _scores.predict


def train(data: tuple[Any, Any], model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, except for the settings."""
    X, Y = data
    # Labels without a training row would each raise a warning and are never predicted.
    used = used_labels(Y)
    model = OneVsRestClassifier(LinearSVC(**settings), n_jobs=threads).fit(X, Y[:, used])
    dump((model, used), model_path)

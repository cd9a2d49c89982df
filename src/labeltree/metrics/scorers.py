"""Metrics in the form that scikit-learn's searches and cross-validation take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labeltree.metrics.at_k import precision_at_k


def precision_scorer(k: int = 1) -> Callable[[Any, Any, Any], float]:
    """Return P@k as a scorer for `GridSearchCV`, `cross_val_score` and their like.

    Labels may come in any form, by name too. Labels that a model did not meet in training count as
    missed.

    Parameters
    ----------
    k
        How many labels of each row are judged.

    Examples
    --------
    >>> from labeltree import PLTClassifier
    >>> clf = PLTClassifier().fit([[1, 0], [0, 1]], [["tea"], ["bread"]])
    >>> precision_scorer(k=1)(clf, [[1, 0]], [["tea"]])
    1.0
    """
    return _PrecisionScorer(k)


class _PrecisionScorer:
    """A class and no closure, so that processes can send it to each other."""

    def __init__(self, k: int) -> None:
        self._k = k

    def __call__(self, estimator: Any, X: Any, Y: Any) -> float:
        # The estimators stand above the metrics.
        from labeltree.data.targets import true_labels

        classifier = estimator
        if hasattr(estimator, "steps"):  # a pipeline has no top_k of its own
            X, classifier = estimator[:-1].transform(X), estimator[-1]
        labels, _ = classifier.top_k(X, self._k)
        return precision_at_k(true_labels(Y, classifier.classes_), labels, self._k)

    def __repr__(self) -> str:
        return f"precision_scorer(k={self._k})"

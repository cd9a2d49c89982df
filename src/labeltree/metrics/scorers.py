"""Scorers for scikit-learn's parameter search and cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labeltree.arguments import checked
from labeltree.data.targets import true_labels
from labeltree.metrics.at_k import precision_at_k


@checked
def precision_scorer(k: int = 1) -> Callable[[Any, Any, Any], float]:
    """Return P@k as a scorer for `GridSearchCV`, `cross_val_score` and similar functions.

    Labels may be given in any form, including names. Labels that did not occur in training count as
    missed.

    Parameters
    ----------
    k
        Number of labels of each row to evaluate.

    Examples
    --------
    >>> from labeltree import PLTClassifier
    >>> clf = PLTClassifier().fit([[1, 0], [0, 1]], [["tea"], ["bread"]])
    >>> precision_scorer(k=1)(clf, [[1, 0]], [["tea"]])
    1.0
    """
    return _PrecisionScorer(k)


class _PrecisionScorer:
    """A class instead of a closure, so that it can be pickled."""

    def __init__(self, k: int) -> None:
        self._k = k

    def __call__(self, estimator: Any, X: Any, Y: Any) -> float:
        classifier = estimator
        if hasattr(estimator, "steps"):  # a pipeline has no top_k of its own
            classifier = estimator[-1]
            if len(estimator.steps) > 1:
                X = estimator[:-1].transform(X)
        labels, _ = classifier.top_k(X, self._k)
        truth = true_labels(Y, classifier.classes_, classifier.label_kind_)
        return precision_at_k(truth, labels, self._k)

    def __repr__(self) -> str:
        return f"precision_scorer(k={self._k})"

"""What scikit-learn expects of a classifier: its base classes, its tags and `score`."""

from __future__ import annotations

import copy
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

from labeltree.data import targets
from labeltree.estimators.scoring import class_accuracy, set_accuracy


# scikit-learn has no type information, so its classes are Any to mypy.
class SklearnClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of scikit-learn for rows with any number of labels."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class, or whose whole set of labels, is correct."""
        state = self._fitted
        if state.label_kind == "classes":
            return class_accuracy(super().score, X, y, sample_weight)
        rows = targets.true_labels(y, state.classes, state.label_kind)
        return set_accuracy(self._predicted(X), rows, sample_weight)

    # An executor is a connection to workers: copies share it, and pickles do not have it.
    def __sklearn_clone__(self) -> Any:
        without = copy.copy(self)
        without.executor = None
        cloned = super(SklearnClassifier, without).__sklearn_clone__()
        cloned.executor = self.executor
        return cloned

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "executor": None}

    def __copy__(self) -> Any:
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # the same before scikit-learn 1.6
        return {"multilabel": True}

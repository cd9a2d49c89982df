"""HSMClassifier, the classifier for rows with exactly one class."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import checked
from labeltree.data import LabelRows, targets
from labeltree.estimators import validation
from labeltree.estimators.classifiers import PLTClassifier
from labeltree.storage.registry import register
from labeltree.training.forest import ForestSettings


@register
class HSMClassifier(PLTClassifier):
    """Hierarchical softmax classifier: a label tree for rows with exactly one class.

    Parameters and attributes are those of `PLTClassifier`. Y has one class per row, and `predict`
    returns classes.

    Examples
    --------
    >>> clf = HSMClassifier().fit([[1, 0], [0, 1], [1, 0.1]], ["tea", "bread", "tea"])
    >>> clf.predict([[0.9, 0]]).tolist()
    ['tea']
    """

    @checked
    def predict(
        self,
        X: Any,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
    ) -> NDArray[Any]:
        """Return the most probable class of each row; `threshold` is not used."""
        found = super().predict(X, threshold, labels=labels, exclude_labels=exclude_labels)
        return np.asarray(found)

    def _labels(self, Y: Any, forest: ForestSettings) -> LabelRows:
        return validation.training_labels(targets.as_classes(Y), forest.given)

    def _online_labels(self, y: Any) -> LabelRows:
        return super()._online_labels(targets.as_classes(y))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"multilabel": False}

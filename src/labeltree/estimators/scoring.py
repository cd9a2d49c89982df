"""Accuracy of predictions, as in scikit-learn's `score`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labeltree.arguments import check_kind
from labeltree.data import LabelRows, targets


def class_accuracy(
    score: Callable[[Any, Any, Any], float], X: Any, y: Any, sample_weight: Any
) -> float:
    """Return what scikit-learn's `score` returns for classes; ValueError if y has others."""
    check_kind("sample_weight", sample_weight, "ArrayLike | None")
    try:
        with np.errstate(all="ignore"):  # numbers of different precision are compared
            return float(score(X, targets.as_classes(y), sample_weight))
    except (TypeError, OverflowError):
        raise ValueError("y must hold classes that can be compared with those of fit") from None


def set_accuracy(predicted: Any, rows: LabelRows, sample_weight: Any) -> float:
    """Return the share of rows whose whole set of labels is predicted."""
    check_kind("sample_weight", sample_weight, "ArrayLike | None")
    if sample_weight is not None and not np.isfinite(np.asarray(sample_weight, float)).all():
        raise ValueError("sample_weight must be finite, but is not")
    targets.check_same_rows(predicted, rows)
    if rows.n_rows == 0:
        raise ValueError("score needs at least one row, but X has none")
    truth = rows.to_csr()
    predicted.resize(truth.shape)  # labels that were not in training are never predicted
    is_correct = (truth != predicted).sum(axis=1) == 0
    return float(np.average(is_correct, weights=sample_weight))

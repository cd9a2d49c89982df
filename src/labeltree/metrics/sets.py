"""F1 of predicted label sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows, as_labels
from labeltree.metrics.ranked_hits import is_true


def micro_f1(Y_true: object, Y_pred: object) -> float:
    """Return 2·TP / (2·TP + FP + FN), counted over all rows and labels together.

    It is 0 if there are neither true nor predicted labels.

    Parameters
    ----------
    Y_true, Y_pred
        True and predicted labels, in any form that `labeltree.data.as_labels` accepts.

    Examples
    --------
    >>> micro_f1([["cat", "dog"], ["dog"]], [["cat"], ["dog", "fish"]])
    0.6666666666666666
    """
    right, true, predicted = _counts(Y_true, Y_pred)
    total = int(true.sum() + predicted.sum())
    return 2 * int(right.sum()) / total if total else 0.0


def macro_f1(Y_true: object, Y_pred: object) -> float:
    """Return the mean of the F1 of all labels.

    A label that is neither true nor predicted in any row counts as 0, as in scikit-learn. The
    parameters are those of `micro_f1`.

    Examples
    --------
    >>> macro_f1([["cat", "dog"], ["dog"]], [["cat"], ["dog", "fish"]])
    0.5555555555555555
    """
    right, true, predicted = _counts(Y_true, Y_pred)
    return float(np.mean(2 * right / np.maximum(true + predicted, 1)))


def _counts(
    Y_true: object, Y_pred: object
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of correct, true and predicted entries of each label."""
    truth, predicted = _same_labels(Y_true, Y_pred)
    if truth.n_rows != predicted.n_rows:
        raise ValueError(f"Y_true has {truth.n_rows} rows, but Y_pred has {predicted.n_rows}")
    right = predicted.indices[is_true(truth, predicted.indptr, predicted.indices)]
    return np.bincount(right, minlength=truth.n_labels), truth.counts, predicted.counts


def _same_labels(Y_true: object, Y_pred: object) -> tuple[LabelRows, LabelRows]:
    """Return both with the same label numbers; two label lists are numbered together."""
    if _is_listed(Y_true) and _is_listed(Y_pred):
        n_true = len(Y_true)  # type: ignore[arg-type]
        both = as_labels([*Y_true, *Y_pred])  # type: ignore[misc]
        return both.select(slice(0, n_true)), both.select(slice(n_true, None))
    if _is_listed(Y_true):
        predicted, truth = _same_labels(Y_pred, Y_true)
        return truth, predicted
    truth = as_labels(Y_true)
    if truth.names is None:
        return truth, as_labels(Y_pred, n_labels=truth.n_labels)
    return truth, as_labels(Y_pred, names=truth.names)


def _is_listed(Y: object) -> bool:
    """Return whether Y is label lists or classes, which do not define label numbers."""
    return isinstance(Y, list | tuple) or getattr(Y, "ndim", 2) == 1

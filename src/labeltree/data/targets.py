"""Validation of Y as scikit-learn users pass it: one class per row, or labels of a fitted model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import validation
from sklearn.utils.multiclass import check_classification_targets

from labeltree.data.features import FeatureMatrix
from labeltree.data.labels import Kind, LabelRows, as_labels
from labeltree.data.nested_lists import in_form


def is_column(Y: Any) -> bool:
    """Return whether Y is a single-column array, which scikit-learn treats as classes."""
    if isinstance(Y, list | tuple | LabelRows) or sparse.issparse(Y) or hasattr(Y, "columns"):
        return False
    array = np.asarray(Y)
    return array.ndim == 2 and array.shape[1] == 1


@np.errstate(invalid="ignore")  # scikit-learn converts large numbers to integers
def check_classes(Y: Any, rows: LabelRows) -> None:
    """Raise ValueError if classes are numbers that are infinite or not integers."""
    if rows.names is not None and rows.names.dtype.kind == "f":
        if not np.isfinite(rows.names).all():
            raise ValueError("classes must be finite, but Y contains infinity")
        check_classification_targets(Y)


def as_classes(Y: Any) -> Any:
    """Return one class per row as a one-dimensional array."""
    if Y is None:
        return None
    if sparse.issparse(Y) or isinstance(Y, LabelRows):
        return _classes_of_indicator(Y)
    if hasattr(Y, "columns"):  # scikit-learn refuses columns of the same name in words of its own
        Y = Y.to_numpy()
    classes = validation.column_or_1d(Y, warn=True) if not isinstance(Y, list | tuple) else Y
    if any(isinstance(label, list | tuple | set | np.ndarray) for label in classes):
        raise ValueError("Y must hold one class for each row, but has lists; use PLTClassifier")
    return classes


def _classes_of_indicator(Y: Any) -> LabelRows:
    rows = as_labels(Y)
    lengths = np.diff(rows.indptr)
    if (lengths != 1).any():
        row = int(np.argmax(lengths != 1))
        raise ValueError(
            f"Y must hold one class for each row, but row {row} has {lengths[row]}; "
            "use PLTClassifier"
        )
    return LabelRows(rows.indptr, rows.indices, rows.n_labels, rows.names, "classes")


def check_same_rows(X: FeatureMatrix, rows: LabelRows) -> None:
    """Raise ValueError if X and Y have different numbers of rows."""
    if X.shape[0] != rows.n_rows:
        raise ValueError(f"X has {X.shape[0]} rows, but Y has {rows.n_rows}")


def true_labels(Y: Any, classes: NDArray[Any], kind: Kind | None = None) -> LabelRows:
    """Return Y numbered like `classes`; labels that are not among them are numbered after them.

    `kind` is the form of Y in fit. It decides what nested lists are that could be two forms.

    Examples
    --------
    >>> true_labels([["tea", "wine"], ["milk"]], np.array(["milk", "tea"])).indices.tolist()
    [1, 2, 0]
    """
    rows = as_labels(Y if kind is None else in_form(Y, kind))
    if rows.kind == "indicator" and rows.names is None:
        return as_labels(rows, n_labels=len(classes))
    number = {name: j for j, name in enumerate(classes.tolist())}
    new = np.array([number.setdefault(rows.name(j), len(number)) for j in range(rows.n_labels)])
    ones = np.ones(len(rows.indices), np.uint8)
    matrix = sparse.csr_array(
        (ones, new[rows.indices], rows.indptr), shape=(rows.n_rows, len(number))
    )
    return as_labels(matrix)

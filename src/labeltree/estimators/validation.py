"""Validation of the arguments of estimators, with the messages that scikit-learn expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, validation

from labeltree.arguments import check_kind, check_largest, check_values, shown
from labeltree.data import LabelRows, as_features, as_labels, targets
from labeltree.data.features import FeatureMatrix
from labeltree.data.nested_lists import check_form
from labeltree.training.feature_weighting import NO_WEIGHTING, Powers
from labeltree.trees import LabelTree
from labeltree.trees.by_name import rows_of_tree


def check_params(estimator: Any) -> None:
    """Raise TypeError or ValueError if a parameter is not of the kind of its annotation."""
    check_values(type(estimator).__init__, estimator.get_params(deep=False))
    check_kind("verbose", estimator.verbose, "int | bool")
    check_kind("max_memory", estimator.max_memory, "float | str | None")
    check_kind("C", estimator.C, "float | str")
    check_kind("max_iter", estimator.max_iter, "int | str")
    check_kind("interactions", estimator.interactions, "float | str | None")
    check_kind("validation_fraction", estimator.validation_fraction, "float | str | None")


def training_features(X: Any) -> FeatureMatrix:
    """Return X with at least one row and one column."""
    features = as_features(X)
    for size, word in zip(features.shape, ("sample", "feature"), strict=True):
        if size == 0:
            # scikit-learn's estimator checks look for this message.
            raise ValueError(
                f"Found array with 0 {word}(s) (shape={features.shape}) while a minimum of 1 is "
                "required."
            )
    return features


def is_copy(features: FeatureMatrix, X: Any) -> bool:
    """Return whether the values of the features do not share memory with X.

    Examples
    --------
    >>> X = as_features([[1.0, 2.0]])
    >>> is_copy(X, X), is_copy(as_features(X.astype(float)), X.astype(float))
    (False, True)
    """
    if features.data.base is not None:  # a view, perhaps of X
        return False
    values = getattr(X, "data", None)
    return not (isinstance(values, np.ndarray) and np.may_share_memory(features.data, values))


def query_features(estimator: Any, X: Any, n_features: int) -> FeatureMatrix:
    """Return X with the columns, and their names, that the estimator was trained with."""
    if hasattr(validation, "_check_feature_names"):
        validation._check_feature_names(estimator, X, reset=False)
    else:  # scikit-learn before 1.6
        estimator._check_feature_names(X, reset=False)
    features = as_features(X)
    check_n_features(estimator, features, n_features)
    return features


def check_n_features(estimator: Any, X: FeatureMatrix, n_features: int) -> None:
    """Raise ValueError if X has another number of columns than in training."""
    if X.shape[1] != n_features:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{n_features} features as input"
        )


def feature_names(X: Any) -> NDArray[Any] | None:
    """Return the names of the columns of a DataFrame, or None."""
    names: NDArray[Any] | None = validation._get_feature_names(X)
    return names


def training_labels(Y: Any, trees: Sequence[LabelTree]) -> LabelRows:
    """Return Y with labels numbered as in the trees, if any are given."""
    if Y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    if targets.is_column(Y):
        Y = targets.as_classes(Y)
    if not trees or trees[0].names is None:
        check_form(Y)
    rows = as_labels(Y) if not trees else rows_of_tree(trees[0], Y)
    if rows.kind == "classes" and not isinstance(Y, LabelRows):
        targets.check_classes(Y, rows)
    if rows.n_labels == 0:
        raise ValueError("Y must have at least one label, but has none")
    for tree in trees:
        if tree.n_labels != rows.n_labels or tree.names != trees[0].names:
            raise ValueError("all trees must have the same labels, in the same order")
    # LabelRows are compressed, whatever they were made from.
    return replace(rows, is_dense=False) if isinstance(Y, LabelRows) else rows


def check_same_columns(X: FeatureMatrix, n_features: int) -> None:
    """Raise ValueError if X has another number of columns than the model of a warm start."""
    if X.shape[1] != n_features:
        raise ValueError(
            f"X must have {n_features} columns, as the model to start from, but has {X.shape[1]}; "
            "set warm_start=False to train from scratch"
        )


def check_share(name: str, value: float) -> None:
    """Raise ValueError if the value is not in 0..1."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie in 0..1, but is {value}")


def auto_or_integer(name: str, value: int | str) -> int | None:
    """Return an integer, at least 1, or None for "auto".

    Examples
    --------
    >>> auto_or_integer("max_iter", 20)
    20
    """
    if value == "auto":
        return None
    if isinstance(value, str):
        raise ValueError(f"{name} must be an integer or 'auto', but is {shown(value)}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, but is {value}")
    return value


def auto_or_number(name: str, value: float | str, auto: float) -> float:
    """Return a number, or that of "auto".

    Examples
    --------
    >>> auto_or_number("C", 2.0, auto=1.0), auto_or_number("C", "auto", auto=1.0)
    (2.0, 1.0)
    """
    if isinstance(value, str) and value != "auto":
        raise ValueError(f"{name} must be a number or 'auto', but is {shown(value)}")
    return auto if isinstance(value, str) else value


def checked_fraction(value: float | str | None) -> float | str | None:
    """Return a share of the rows to hold back, "auto" or None.

    Examples
    --------
    >>> checked_fraction("auto"), checked_fraction(0.1)
    ('auto', 0.1)
    """
    if value is None or value == "auto":
        return value
    if isinstance(value, str) or not 0 < value <= 0.5:
        raise ValueError(
            "validation_fraction must be 'auto', None, or above 0 and up to 0.5, but is "
            f"{shown(value)}"
        )
    return value


def as_seed(random_state: Any) -> int:
    """Return a seed: the number itself, or a number drawn from a generator."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state must be at least 0, but is {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def as_pair(name: str, pair: Any) -> tuple[float, float] | None:
    """Return two numbers, or None.

    Examples
    --------
    >>> as_pair("pos_neg_weight", [1, 0.25])
    (1.0, 0.25)
    """
    if pair is None:
        return None
    if not isinstance(pair, Sequence) or isinstance(pair, str):
        raise TypeError(f"{name} must be a pair of numbers, but is {pair!r:.40}")
    if len(pair) != 2:
        raise ValueError(f"{name} must be a pair of numbers, but has {len(pair)}")
    for value in pair:
        check_kind(f"each number of {name}", value, "float")
    return float(pair[0]), float(pair[1])


def feature_powers(feature_weighting: Any, normalize: bool) -> Powers | None:
    """Return the exponents of `feature_weighting`, or None to estimate them."""
    given = auto_or_pair("feature_weighting", feature_weighting)
    if given == "auto":
        return None
    powers = NO_WEIGHTING if given is None else Powers.checked(given)
    if powers != NO_WEIGHTING and not normalize:
        raise ValueError(
            "feature_weighting requires rows of length 1, but normalize is False; set it to "
            "None or normalize=True"
        )
    return powers


def check_interactions(estimator: Any) -> None:
    """Raise ValueError if `interactions` is no number of pairs, or rows are not scaled."""
    value = estimator.interactions
    if value is None or (isinstance(value, str) and value == "auto"):
        return
    if isinstance(value, str | bool) or not 0 <= value < np.inf:
        raise ValueError(
            f"interactions must be 'auto', None or a number from 0, but is {shown(value)}"
        )
    if value > 0 and not estimator.normalize:
        raise ValueError(
            "interactions requires rows of length 1, but normalize is False; set it to None or "
            "normalize=True"
        )


def check_rerank(estimator: Any) -> None:
    """Raise ValueError if `rerank` is not known, or set together with what has no rankers."""
    is_auto = isinstance(estimator.rerank, str) and estimator.rerank == "auto"
    if not (is_auto or isinstance(estimator.rerank, bool | np.bool_ | None)):
        raise ValueError(
            f'rerank must be "auto", True, False or None, but is {shown(estimator.rerank)}'
        )
    if estimator.rerank and estimator.node_estimator is not None:
        raise ValueError("rerank requires native nodes, but node_estimator is set")
    if estimator.rerank and estimator.warm_start:
        raise ValueError("rerank requires warm_start=False, but warm_start is True")


def check_implications(estimator: Any) -> None:
    """Raise ValueError if `implications` is not known, or set together with other nodes."""
    value = estimator.implications
    if not (isinstance(value, bool | np.bool_) or (isinstance(value, str) and value == "auto")):
        raise ValueError(f'implications must be "auto", True or False, but is {shown(value)}')
    if not isinstance(value, str) and value and estimator.node_estimator is not None:
        raise ValueError("implications requires native nodes, but node_estimator is set")


def auto_or_pair(name: str, value: Any) -> tuple[float, float] | Literal["auto"] | None:
    """Return a pair of numbers, "auto" or None.

    Examples
    --------
    >>> auto_or_pair("C_decay", "auto"), auto_or_pair("C_decay", [0, 0.25])
    ('auto', (0.0, 0.25))
    """
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(
                f"{name} must be 'auto', a pair of numbers or None, but is {shown(value)}"
            )
        return "auto"
    return as_pair(name, value)


def node_class_weight(class_weight: Any) -> Literal["balanced"] | None:
    """Return the part of class_weight that applies to nodes; a mapping applies to rows.

    Examples
    --------
    >>> node_class_weight("balanced"), node_class_weight({"tea": 3.0})
    ('balanced', None)
    """
    if class_weight is None or isinstance(class_weight, Mapping):
        return None
    if isinstance(class_weight, str):
        if class_weight == "balanced":
            return "balanced"
        raise ValueError(
            f'class_weight must be "balanced", a mapping or None, but is {shown(class_weight)}'
        )
    raise TypeError(
        f'class_weight must be "balanced", a mapping or None, but is '
        f"{type(class_weight).__name__}; set factors of C with pos_neg_weight=(positive, negative)"
    )


def row_weights(
    sample_weight: Any, rows: LabelRows, class_weight: Any
) -> NDArray[np.float32] | None:
    """Return the weight of each row, or None if all weights are 1."""
    weight = None
    if sample_weight is not None:
        check_kind("sample_weight", sample_weight, "ArrayLike")
        weight = np.asarray(sample_weight, np.float64)
        if weight.ndim == 0:
            weight = np.full(rows.n_rows, float(weight))
        if weight.shape != (rows.n_rows,):
            raise ValueError(
                f"sample_weight must have one number for each of {rows.n_rows} rows, but its "
                f"shape is {weight.shape}"
            )
        _check_weights("sample_weight", weight)
    if isinstance(class_weight, Mapping):
        by_label = _label_weights(class_weight, rows)
        by_row = _largest(by_label, rows)
        weight = by_row if weight is None else weight * by_row
    if weight is None or (weight == 1).all():
        return None
    if not (weight > 0).any():
        raise ValueError("at least one row must have a weight above 0, but all weights are zero")
    return weight.astype(np.float32)


def _check_weights(name: str, weight: NDArray[np.float64]) -> None:
    wrong = ~((weight >= 0) & (weight < np.inf))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"{name} must be finite and at least 0, but number {i} is {weight[i]}")
    check_largest(name, weight.max(initial=0.0))


def _label_weights(class_weight: Mapping[Any, float], rows: LabelRows) -> NDArray[np.float64]:
    weights = np.ones(rows.n_labels)
    names = range(rows.n_labels) if rows.names is None else rows.names.tolist()
    number = {name: j for j, name in enumerate(names)}
    for label, value in class_weight.items():
        if label not in number:
            raise ValueError(f"class_weight must name labels of Y, but {shown(label)} is not one")
        weights[number[label]] = value
    _check_weights("class_weight", weights)
    return weights


def _largest(by_label: NDArray[np.float64], rows: LabelRows) -> NDArray[np.float64]:
    """Return the largest weight of the labels of each row; 1 for rows without labels."""
    by_row = np.ones(rows.n_rows)
    labeled = np.diff(rows.indptr) > 0
    if labeled.any():
        starts = rows.indptr[:-1][labeled]
        by_row[labeled] = np.maximum.reduceat(by_label[rows.indices], starts)
    return by_row

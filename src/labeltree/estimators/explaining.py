"""The arguments of `explain`: one row, names of features and a label."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.arguments import check_kind, shown
from labeltree.data import as_features
from labeltree.data.features import FeatureMatrix
from labeltree.estimators import validation
from labeltree.estimators.state import FittedState, as_names
from labeltree.explain.explanation import Explanation
from labeltree.explain.paths import explain_label


def explain_prediction(
    estimator: Any,
    state: FittedState,
    x: Any,
    label: Hashable,
    top_features: int,
    feature_names: Any,
) -> Explanation:
    """Return the explanation of a label; called by `PLTClassifier.explain`."""
    names = names_of_features(state, feature_names)
    row = one_row(estimator, state, x, names)
    model, classes = state.model, state.model_classes
    return explain_label(
        model,
        state.row_scaling(row),
        classes,
        None if label is None else label_number(classes, label),
        feature_names=names,
        top_features=top_features,
        pairs=state.row_scaling.pairs,
    )


def one_row(
    estimator: Any, state: FittedState, x: Any, feature_names: Sequence[str] | None
) -> FeatureMatrix:
    """Return the only row of x: a matrix of one row, an array of numbers or a mapping by name."""
    if isinstance(x, Mapping):
        return _row_of_mapping(state, x, feature_names)
    if not sparse.issparse(x) and not hasattr(x, "columns"):
        check_kind("x", x, "ArrayLike")
    given: Any = x if sparse.issparse(x) else np.asarray(x)
    if given.ndim == 1:
        row = as_features(given.reshape(1, -1))
        validation.check_n_features(estimator, row, state.n_features)
        return row
    row = validation.query_features(estimator, x, state.n_features)
    if row.shape[0] != 1:
        raise ValueError(f"x must be one row, but has {row.shape[0]}; explain them one by one")
    return row


def _row_of_mapping(
    state: FittedState, x: Mapping[Any, float], feature_names: Sequence[str] | None
) -> FeatureMatrix:
    if feature_names is None:
        raise ValueError(
            "x must be a row of numbers if features have no names, but is a mapping; pass "
            "feature_names, such as vectorizer.get_feature_names_out()"
        )
    number = {name: column for column, name in enumerate(feature_names)}
    unknown = next((name for name in x if name not in number), None)
    if unknown is not None:
        raise ValueError(f"x must name known features, but {unknown!r} is not; remove it")
    columns = [number[name] for name in x]
    entries = (np.array(list(x.values()), np.float64), ([0] * len(x), columns))
    return as_features(sparse.coo_array(entries, shape=(1, state.n_features)))


def names_of_features(state: FittedState, feature_names: Any) -> Sequence[str] | None:
    """Return the given names of the features, else `feature_names_in_`, else None."""
    if feature_names is None and state.feature_names is not None:
        feature_names = as_names(state.feature_names)
    if feature_names is not None and len(feature_names) != state.n_features:
        raise ValueError(
            f"feature_names must have one name for each of {state.n_features} features, but has "
            f"{len(feature_names)}"
        )
    names: Sequence[str] | None = feature_names
    return names


def label_number(classes: NDArray[Any], label: Hashable) -> int:
    """Return the position of a label in the classes."""
    try:
        return int(classes.tolist().index(label))
    except ValueError:
        raise ValueError(
            f"label must be one of the {len(classes):,} in classes_, but is {shown(label)}"
        ) from None

"""Limits of a search by label: which labels it may return, and the weights that rank them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import check_kind, shown
from labeltree.model.label_limits import LabelLimits

#: Labels to return, and labels to leave out; None for no such limit.
Subset = tuple[tuple[Hashable, ...] | None, tuple[Hashable, ...] | None]


def as_subset(
    labels: Iterable[Hashable] | None, exclude_labels: Iterable[Hashable] | None
) -> Subset | None:
    """Return the labels of a call in a form that caches compare by value; None for all labels.

    Examples
    --------
    >>> as_subset(np.array(["tea", "jam"]), None)
    (('tea', 'jam'), None)
    """
    if labels is None and exclude_labels is None:
        return None
    return _as_key(labels), _as_key(exclude_labels)


def label_limits(
    classes: NDArray[Any],
    weights: Any,
    subset: Subset | None = None,
) -> LabelLimits:
    """Return the labels that a search may return, and the weights that rank them.

    Parameters
    ----------
    classes
        Names of all labels.
    weights
        One weight per label; None for 1.
    subset
        Labels to return, and labels to leave out, which may be unknown; None for all labels.
    """
    labels, exclude_labels = (None, None) if subset is None else subset
    check_kind("weights", weights, "ArrayLike | None")
    factors = np.ones(len(classes), np.float32) if weights is None else np.asarray(weights)
    if factors.shape != (len(classes),):
        raise ValueError(
            f"weights must be one for each of {len(classes)} labels, but have the shape "
            f"{factors.shape}"
        )
    if labels is not None:
        is_chosen = _is_among(classes, labels)
        if is_chosen.sum() < len(set(labels)):
            known = set(classes[is_chosen].tolist())
            unknown = next(label for label in labels if label not in known)
            raise ValueError(f"labels must be among classes_, but {shown(unknown)} is not")
        factors = np.where(is_chosen, factors, 0.0)
    if exclude_labels is not None:
        factors = np.where(_is_among(classes, exclude_labels), 0.0, factors)
    return LabelLimits(weights=factors, n_labels=len(classes))


def _as_key(labels: Iterable[Hashable] | None) -> tuple[Hashable, ...] | None:
    if labels is None:
        return None
    return tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)


def _is_among(classes: NDArray[Any], labels: Iterable[Hashable]) -> NDArray[np.bool_]:
    wanted = set(labels)
    return np.fromiter((name in wanted for name in classes.tolist()), np.bool_, len(classes))

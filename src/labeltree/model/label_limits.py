"""Limits of a search by label: thresholds, weights, and which labels to return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.model.curve import Curve
from labeltree.trees import LabelTree


class LabelLimits:
    """Thresholds and weights of all labels, prepared for searches over one set of trees.

    Parameters
    ----------
    thresholds
        Minimum probability at which each label is returned, in 0..1; None for 0.
    weights
        Labels are ranked by weight times probability; labels with a weight of 0 are never returned.
        None for 1.
    n_labels
        Number of labels, which is the required length of both arrays.

    Examples
    --------
    >>> LabelLimits(weights=[1.0, 0.0, 2.0], n_labels=3).weights.tolist()
    [1.0, 0.0, 2.0]
    """

    def __init__(
        self,
        *,
        thresholds: Any = None,
        weights: Any = None,
        n_labels: int,
    ) -> None:
        self.thresholds = _checked_array("thresholds", thresholds, n_labels, 1.0)
        self.weights = _checked_array("weights", weights, n_labels, np.inf)
        self._n_labels = n_labels
        self._native: list[_core.LabelLimits] = []
        self._trees: list[LabelTree] = []
        self._implied: _core.ImpliedLabels | None = None
        self._before: tuple[Curve, Self] | None = None

    def before(self, curve: Curve) -> Self:
        """Return the limits for a search whose results are mapped by a curve; cached."""
        if self.thresholds is None:
            return self
        if self._before is None or self._before[0] is not curve:
            thresholds = curve.before(self.thresholds)
            made = type(self)(thresholds=thresholds, weights=self.weights, n_labels=self._n_labels)
            self._before = curve, made
        return self._before[1]

    def native(
        self, trees: Sequence[LabelTree], implied: _core.ImpliedLabels | None = None
    ) -> list[_core.LabelLimits]:
        """Return the limits of all nodes of the trees, whose labels may imply others; cached."""
        if (
            self._implied is not implied
            or len(self._trees) != len(trees)
            or any(a is not b for a, b in zip(self._trees, trees, strict=True))
        ):
            unset = np.empty(0, np.float32)
            thresholds = unset if self.thresholds is None else self.thresholds
            weights = unset if self.weights is None else self.weights
            self._native = [
                _core.LabelLimits(tree._native, thresholds, weights, implied) for tree in trees
            ]
            self._trees, self._implied = list(trees), implied
        return self._native


def _checked_array(
    name: str, numbers: Any, n_labels: int, maximum: float
) -> NDArray[np.float32] | None:
    if numbers is None:
        return None
    array = np.ascontiguousarray(numbers, np.float32)
    if array.shape != (n_labels,):
        raise ValueError(
            f"{name} must have one number for each of {n_labels} labels, but the shape is "
            f"{array.shape}"
        )
    wrong = ~((array >= 0) & (array <= maximum) & np.isfinite(array))
    if wrong.any():
        j = int(np.argmax(wrong))
        rule = "lie in 0..1" if maximum == 1.0 else "be finite and at least 0"
        raise ValueError(f"{name} must {rule}, but the value of label {j} is {array[j]}")
    return array

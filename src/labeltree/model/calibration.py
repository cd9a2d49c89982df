"""What a model knows beside its weights: how scores become probabilities and those label sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data.arrays import take
from labeltree.model.curve import Curve, odds_curve

#: What `odds_curve` a loss has without validation rows, for labels that do not exclude each other;
#: measured on four data sets (docs/calibration.md). For one class a row nothing fits all sets.
FIXED_CURVES = {"squared_hinge": (0.8, -1.0)}

#: What thresholds can be tuned for.
OBJECTIVES = ("macro_f1", "micro_f1", "expected_f1")


@dataclass(frozen=True, eq=False)
class Calibration:
    """Plain arrays that say how a model answers; None where it does so as it was trained.

    Parameters
    ----------
    slope, intercept
        Of each node, [tree][node]; None for those of the loss.
    curve
        Map from products along paths, averaged over trees, to probabilities of labels.
    objective
        What thresholds were tuned for: "macro_f1", "micro_f1", "expected_f1" or None.
    thresholds
        Least probability at which each label is predicted; None for the estimator's threshold, and
        for "expected_f1".
    """

    slope: Sequence[NDArray[np.float32]] | None = None
    intercept: Sequence[NDArray[np.float32]] | None = None
    curve: Curve | None = None
    objective: str | None = None
    thresholds: NDArray[np.float32] | None = None

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, those that there are; `objective` is not among them."""
        arrays: dict[str, NDArray[Any]] = {}
        for name in ("slope", "intercept"):
            for t, array in enumerate(getattr(self, name) or ()):
                arrays[f"tree{t}.{name}"] = array
        if self.curve is not None:
            arrays |= {"curve.x": self.curve.x, "curve.y": self.curve.y}
        if self.thresholds is not None:
            arrays["thresholds"] = self.thresholds
        return arrays

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        *,
        n_nodes: Sequence[int],
        n_labels: int,
        objective: str | None,
    ) -> Calibration:
        """Return what `to_arrays` was called on, for trees of so many nodes and labels."""
        if objective not in (None, *OBJECTIVES):
            known = ", ".join(OBJECTIVES)
            raise ValueError(f"objective must be null or one of {known}, but is {objective!r:.40}")
        links = {
            name: [take(arrays, f"tree{t}.{name}", "f4", n) for t, n in enumerate(n_nodes)]
            for name in ("slope", "intercept")
            if f"tree0.{name}" in arrays
        }
        if len(links) == 1:
            raise ValueError("slope and intercept must both be there, or neither")
        curve = thresholds = None
        if "curve.x" in arrays:
            curve = Curve(take(arrays, "curve.x", "f8"), take(arrays, "curve.y", "f8"))
        if "thresholds" in arrays:
            thresholds = take(arrays, "thresholds", "f4", n_labels)
            if not ((thresholds >= 0) & (thresholds <= 1)).all():
                raise ValueError("thresholds must lie in 0..1, but some do not")
        return cls(links.get("slope"), links.get("intercept"), curve, objective, thresholds)


def fixed_calibration(loss: str | None, kind: str) -> Calibration:
    """Return what a fit gives without validation rows."""
    if loss not in FIXED_CURVES or kind == "classes":
        return Calibration()
    return Calibration(curve=odds_curve(*FIXED_CURVES[loss]))

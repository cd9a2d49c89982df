"""Calibration of a model: how scores become probabilities, and probabilities become label sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data.arrays import take
from labeltree.model.curve import Curve, odds_curve

#: Parameters of the `odds_curve` used without validation rows, by loss, for multi-label rows;
#: measured on four data sets (docs/calibration.md). With one class per row no curve fits them all.
FIXED_CURVES = {"squared_hinge": (0.8, -1.0)}

_PROBES = np.linspace(0.0, 1.0, 101)

#: Objectives that thresholds can be tuned for.
OBJECTIVES = ("macro_f1", "micro_f1", "expected_f1")


@dataclass(frozen=True, eq=False)
class Calibration:
    """Plain arrays that map scores to predictions; None for each part that was not calibrated.

    Parameters
    ----------
    slope, intercept
        Slope and intercept of the link of each node, [tree][node]; None for those of the loss.
    curve
        Map from products along paths, averaged over trees, to probabilities of labels.
    objective
        What thresholds were tuned for: "macro_f1", "micro_f1", "expected_f1" or None.
    thresholds
        Minimum probability at which each label is predicted; None for the estimator's threshold,
        and for "expected_f1".
    """

    slope: Sequence[NDArray[np.float32]] | None = None
    intercept: Sequence[NDArray[np.float32]] | None = None
    curve: Curve | None = None
    objective: str | None = None
    thresholds: NDArray[np.float32] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether there is none: the loss alone makes probabilities of scores."""
        parts = (self.slope, self.intercept, self.curve, self.objective, self.thresholds)
        return all(part is None for part in parts)

    @property
    def is_learned(self) -> bool:
        """Whether probabilities were fitted to validation rows; the fixed curves of `fit` are not.

        Examples
        --------
        >>> fixed_calibration("squared_hinge", "sets").is_learned
        False
        >>> Calibration(curve=odds_curve(1.1, -0.4)).is_learned
        True
        """
        if self.slope is not None:
            return True
        # Compared by value, because files do not store where a curve comes from.
        return self.curve is not None and not any(
            np.allclose(self.curve(_PROBES), odds_curve(*fixed)(_PROBES), rtol=0.0, atol=1e-6)
            for fixed in FIXED_CURVES.values()
        )

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a part that JSON can represent, and the arrays that there are by name."""
        arrays: dict[str, NDArray[Any]] = {}
        for name in ("slope", "intercept"):
            for t, array in enumerate(getattr(self, name) or ()):
                arrays[f"tree{t}.{name}"] = array
        if self.curve is not None:
            arrays |= {"curve.x": self.curve.x, "curve.y": self.curve.y}
        if self.thresholds is not None:
            arrays["thresholds"] = self.thresholds
        return {"objective": self.objective}, arrays

    @classmethod
    def from_arrays(
        cls,
        meta: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        n_nodes: Sequence[int],
        n_labels: int,
    ) -> Calibration:
        """Return what `to_arrays` was called on, for trees of these sizes.

        Raises
        ------
        ValueError
            If any part is missing, unknown or breaks a rule.
        """
        if meta.keys() != {"objective"}:
            raise ValueError("a calibration must have objective, and nothing else")
        objective = meta["objective"]
        if objective not in (None, *OBJECTIVES):
            known = ", ".join(OBJECTIVES)
            raise ValueError(f"objective must be null or one of {known}, but is {objective!r:.40}")
        links = {
            name: [take(arrays, f"tree{t}.{name}", "f4", n) for t, n in enumerate(n_nodes)]
            for name in ("slope", "intercept")
            if f"tree0.{name}" in arrays
        }
        if len(links) == 1:
            raise ValueError("slope and intercept must both be present, or neither")
        curve = thresholds = None
        if "curve.x" in arrays:
            curve = Curve(take(arrays, "curve.x", "f8"), take(arrays, "curve.y", "f8"))
        if "thresholds" in arrays:
            thresholds = take(arrays, "thresholds", "f4", n_labels)
            if not ((thresholds >= 0) & (thresholds <= 1)).all():
                raise ValueError("thresholds must lie in 0..1, but some do not")
        made = cls(links.get("slope"), links.get("intercept"), curve, objective, thresholds)
        unknown = min(arrays.keys() - made.to_arrays()[1].keys(), default=None)
        if unknown is not None:
            raise ValueError(f"array {unknown} of the calibration is unknown to this release")
        return made


def fixed_calibration(loss: str | None, kind: str) -> Calibration:
    """Return the calibration that `fit` uses, without validation rows."""
    if loss not in FIXED_CURVES or kind == "classes":
        return Calibration()
    return Calibration(curve=odds_curve(*FIXED_CURVES[loss]))

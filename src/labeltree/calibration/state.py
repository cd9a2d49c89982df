"""What a model knows beside its weights: how scores become probabilities and those label sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labeltree.calibration.curve import Curve, odds_curve

#: What `odds_curve` a loss has without validation rows, for labels that do not exclude each other;
#: measured on four data sets (docs/calibration.md). For one class a row nothing fits all sets.
FIXED_CURVES = {"squared_hinge": (0.8, 1.0, -0.5)}


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


def fixed_calibration(loss: str | None, kind: str) -> Calibration:
    """Return what a fit gives without validation rows."""
    if loss not in FIXED_CURVES or kind == "classes":
        return Calibration()
    return Calibration(curve=odds_curve(*FIXED_CURVES[loss]))

"""Increasing maps of probabilities, which preserve rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit, logit

Probabilities: TypeAlias = "sparse.csr_array[np.float32, tuple[int, int]]"

_N_KNOTS = 129  # of a smooth curve; linear interpolation between them is within 0.001 of it
_REACH = 16.0  # log-odds of the outermost knots


@dataclass(frozen=True, eq=False)
class Curve:
    """A strictly increasing map from 0..1 into 0..1, linear between its knots.

    Parameters
    ----------
    x
        Knots before the map: probabilities from 0 to 1, strictly increasing.
    y
        Knots after the map: probabilities within 0..1, strictly increasing.

    Examples
    --------
    >>> curve = Curve(np.array([0, 0.5, 1]), np.array([0, 0.2, 0.9]))
    >>> [f"{p:.2f}" for p in curve([0.25, 0.5, 1.0])]
    ['0.10', '0.20', '0.90']
    >>> curve.inverse(0.1)
    0.25
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), np.float64))
        if self.x.ndim != 1 or self.x.shape != self.y.shape or len(self.x) < 2:
            raise ValueError(
                "x and y must have the same length, at least 2, but have the shapes "
                f"{self.x.shape} and {self.y.shape}"
            )
        if self.x[0] != 0 or self.x[-1] != 1 or not (self.y[0] >= 0 and self.y[-1] <= 1):
            raise ValueError(
                "x must run from 0 to 1 and y must lie in 0..1, but the curve runs from "
                f"({self.x[0]:g}, {self.y[0]:g}) to ({self.x[-1]:g}, {self.y[-1]:g})"
            )
        if not all((knots[1:] > knots[:-1]).all() for knots in (self.x, self.y)):
            raise ValueError("the knots of a curve must be strictly increasing, in x and in y")

    def __call__(self, probabilities: ArrayLike) -> NDArray[np.float32]:
        """Return the mapped probabilities."""
        before = np.asarray(probabilities, np.float64)
        piece = np.searchsorted(self.x, before, side="right") - 1
        piece = np.clip(piece, 0, len(self.x) - 2)
        slopes = np.diff(self.y) / np.diff(self.x)
        after = self.y[piece] + (before - self.x[piece]) * slopes[piece]
        # Rounding must not raise the end of a piece above the start of the next one.
        return np.minimum(after, self.y[piece + 1]).astype(np.float32)

    def inverse(self, probability: float) -> float:
        """Return the smallest probability that is mapped to at least this one; 1 if none is."""
        return float(np.interp(probability, self.y, self.x))

    def before(self, thresholds: ArrayLike) -> NDArray[np.float64]:
        """Return thresholds before the map, slightly below the inverse to allow for rounding."""
        inverse = np.interp(np.asarray(thresholds, np.float64), self.y, self.x)
        return np.maximum(inverse * (1 - 1e-6) - 1e-12, 0.0)

    def apply(
        self, found: Probabilities, threshold: float, thresholds: NDArray[np.float32] | None = None
    ) -> Probabilities:
        """Map the results of a search; entries keep their order.

        Entries below the threshold, or below the threshold of their label, are dropped.
        """
        after = self(found.data)
        arrays = (after, found.indices, found.indptr)
        mapped: Probabilities = sparse.csr_array(arrays, shape=found.shape)
        kept = after >= np.float32(threshold)
        if thresholds is not None:
            kept &= after >= thresholds[found.indices]
        return keep_entries(mapped, kept)


def odds_curve(slope: float, shift: float) -> Curve:
    """Return the curve that maps log-odds l to slope * l + shift.

    Examples
    --------
    >>> f"{odds_curve(1.0, -1.0)(0.5):.3f}"
    '0.269'
    """
    odds = np.linspace(-_REACH, _REACH, _N_KNOTS)
    after = expit(slope * odds + shift)
    y, first = np.unique(after, return_index=True)  # near 0 and 1, neighbors can round to the same
    inside = (y > 0) & (y < 1)
    x = expit(odds[first[inside]])
    return Curve(np.concatenate([[0.0], x, [1.0]]), np.concatenate([[0.0], y[inside], [1.0]]))


def log_odds(probabilities: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return ln(p / (1 - p)), with p clipped to what float32 can distinguish from 0 and 1."""
    return np.asarray(logit(np.clip(probabilities.astype(np.float64), 1e-9, 1 - 1e-7)))


def keep_entries(found: Probabilities, kept: NDArray[np.bool_]) -> Probabilities:
    """Return the stored entries where `kept` is True, in the same order."""
    if kept.all():
        return found
    indptr = np.append(0, np.cumsum(kept))[found.indptr]
    return sparse.csr_array((found.data[kept], found.indices[kept], indptr), shape=found.shape)

"""Calibration of a model: how scores become probabilities, and probabilities become label sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data.arrays import take
from labeltree.model.curve import Curve, odds_curve
from labeltree.model.label_limits import LabelLimits

#: Parameters of the `odds_curve` used without held-out rows, by loss, for multi-label rows;
#: measured on seven data sets. With one class per row no curve fits them all.
FIXED_CURVES = {"squared_hinge": (0.8, -1.4)}
#: The same with rankers, which lower probabilities themselves.
RANKED_CURVES = {"squared_hinge": (0.8, -0.4)}
_FORMER_CURVES = ((0.8, -1.0),)  # of models without slope factors

#: Estimates of siblings: as they are; divided by their sum if it is below 1, as Theorem 6 of the
#: paper requires; divided by their sum, for rows with one label.
INDEPENDENT, AT_LEAST_ONE, ONE = SIBLINGS = ("independent", "at_least_one", "one")

_MAX_FACTOR = 1000  # far above those of `slope_factors`
# Arrays of each tree, by name in files, with the attribute that holds them.
_NODE_ARRAYS = {"slope": "slope", "intercept": "intercept", "factor": "factors"}

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
    factors
        Factors of the slope of the loss, [tree][node], larger for nodes with few positive rows. The
        probability of the score -1, which negative rows are trained for, stays the same. None for
        1, and for learned slopes.
    weights
        The best k labels are ranked by weight times probability; None for 1.
    curve
        Map from products along paths, averaged over trees, to probabilities of labels.
    siblings
        What becomes of the estimates of the children of a node, because at least one child of a
        positive node is positive; one of SIBLINGS.
    objective
        What thresholds were tuned for: "macro_f1", "micro_f1", "expected_f1" or None.
    thresholds
        Minimum probability at which each label is predicted; None for the estimator's threshold,
        and for "expected_f1".
    """

    slope: Sequence[NDArray[np.float32]] | None = None
    intercept: Sequence[NDArray[np.float32]] | None = None
    curve: Curve | None = None
    siblings: str = INDEPENDENT
    objective: str | None = None
    thresholds: NDArray[np.float32] | None = None
    factors: Sequence[NDArray[np.float32]] | None = None
    weights: NDArray[np.float32] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether there is none: the loss alone makes probabilities of scores."""
        parts = (self.slope, self.curve, self.thresholds, self.factors, self.weights)
        is_plain = self.siblings == INDEPENDENT and self.objective is None
        return is_plain and all(part is None for part in parts)

    @property
    def is_learned(self) -> bool:
        """Whether probabilities were fitted to held-out rows; fixed curves are not.

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
            for fixed in (*FIXED_CURVES.values(), *RANKED_CURVES.values(), *_FORMER_CURVES)
        )

    def kept_for(self, made: Calibration) -> Calibration:
        """Return the calibration that a fit has made, with the links and the curve of this one."""
        if self.siblings != made.siblings:
            return made
        return replace(made, slope=self.slope, intercept=self.intercept, curve=self.curve)

    def of_trees(self, numbers: Sequence[int]) -> Calibration:
        """Return the calibration of a forest of the trees with these numbers."""
        chosen: dict[str, Any] = {
            name: [arrays[t] for t in numbers]
            for name in _NODE_ARRAYS.values()
            if (arrays := getattr(self, name)) is not None
        }
        return replace(self, **chosen)

    def limits(self, n_labels: int) -> LabelLimits | None:
        """Return the weights of labels as limits of a search; None if there are none."""
        if self.weights is None:
            return None
        return LabelLimits(weights=self.weights, n_labels=n_labels)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a part that JSON can represent, and the arrays that there are by name."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, of_trees in _NODE_ARRAYS.items():
            for t, array in enumerate(getattr(self, of_trees) or ()):
                arrays[f"tree{t}.{name}"] = array
        if self.curve is not None:
            arrays |= {"curve.x": self.curve.x, "curve.y": self.curve.y}
        if self.thresholds is not None:
            arrays["thresholds"] = self.thresholds
        if self.weights is not None:
            arrays["weights"] = self.weights
        meta: dict[str, Any] = {"objective": self.objective}
        if self.siblings != INDEPENDENT:
            meta["siblings"] = self.siblings
        return meta, arrays

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
        if not {"objective"} <= meta.keys() <= {"objective", "siblings"}:
            raise ValueError(
                "a calibration must have objective, may have siblings, and nothing else"
            )
        siblings = checked_siblings(meta.get("siblings", INDEPENDENT))
        objective = meta["objective"]
        if objective not in (None, *OBJECTIVES):
            known = ", ".join(OBJECTIVES)
            raise ValueError(f"objective must be null or one of {known}, but is {objective!r:.40}")
        links = {
            name: [take(arrays, f"tree{t}.{name}", "f4", n) for t, n in enumerate(n_nodes)]
            for name in _NODE_ARRAYS
            if f"tree0.{name}" in arrays
        }
        if ("slope" in links) != ("intercept" in links):
            raise ValueError("slope and intercept must both be present, or neither")
        for factor in links.get("factor", ()):
            if not (factor.min() > 0 and factor.max() <= _MAX_FACTOR):  # NaN is neither
                raise ValueError(f"factors of slopes must lie above 0 and up to {_MAX_FACTOR}")
        curve = thresholds = None
        if "curve.x" in arrays:
            curve = Curve(take(arrays, "curve.x", "f8"), take(arrays, "curve.y", "f8"))
        if "thresholds" in arrays:
            thresholds = take(arrays, "thresholds", "f4", n_labels)
            if not ((thresholds >= 0) & (thresholds <= 1)).all():
                raise ValueError("thresholds must lie in 0..1, but some do not")
        made = cls(
            links.get("slope"),
            links.get("intercept"),
            curve,
            siblings,
            objective,
            thresholds,
            links.get("factor"),
            _taken_weights(arrays, n_labels) if "weights" in arrays else None,
        )
        unknown = min(arrays.keys() - made.to_arrays()[1].keys(), default=None)
        if unknown is not None:
            raise ValueError(f"array {unknown} of the calibration is unknown to this release")
        return made


def fixed_calibration(
    loss: str | None,
    kind: str,
    siblings: str = INDEPENDENT,
    factors: Sequence[NDArray[np.float32]] | None = None,
    weights: NDArray[np.float32] | None = None,
    *,
    has_rankers: bool = False,
) -> Calibration:
    """Return the calibration that `fit` uses if it holds no rows back."""
    curve = None
    curves = RANKED_CURVES if has_rankers else FIXED_CURVES
    if loss in curves and kind != "classes":
        curve = odds_curve(*curves[loss])
    return Calibration(curve=curve, siblings=siblings, factors=factors, weights=weights)


def _taken_weights(arrays: Mapping[str, NDArray[Any]], n_labels: int) -> NDArray[np.float32]:
    weights = take(arrays, "weights", "f4", n_labels)
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError("weights of labels must be finite and above 0, but some are not")
    return weights


def sibling_sums(normalize: bool | str, kind: str) -> str:
    """Return what becomes of sibling estimates, given `normalize_proba` and the kind of labels.

    Examples
    --------
    >>> sibling_sums("auto", "classes"), sibling_sums("auto", "sets"), sibling_sums(True, "sets")
    ('one', 'independent', 'at_least_one')
    """
    if normalize == "auto":
        normalize = kind == "classes"
    if not normalize:
        return INDEPENDENT
    return ONE if kind == "classes" else AT_LEAST_ONE


def checked_siblings(siblings: Any) -> str:
    """Return what becomes of sibling estimates; raise ValueError if it is not one of SIBLINGS."""
    if siblings not in list(SIBLINGS):
        raise ValueError(f"siblings must be one of {', '.join(SIBLINGS)}, but is {siblings!r:.40}")
    return str(siblings)

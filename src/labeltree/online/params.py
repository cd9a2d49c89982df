"""Parameters of online learning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from labeltree import _core
from labeltree.arguments import MAX_INT32, check_largest, check_values, shown

OPTIMIZERS = ("adagrad", "ftrl")
INSERTS = {
    "cost": _core.Insert.cost,
    "cost+score": _core.Insert.cost_and_score,
    "score": _core.Insert.score,
}


@dataclass(frozen=True)
class OnlineParams:
    """Parameters that `PLTClassifier(online_params={...})` accepts.

    Parameters
    ----------
    optimizer
        "adagrad", or "ftrl" (follow the regularized leader), which uses half as much memory again.
    learning_rate
        Step size of the updates.
    smoothing
        Greater than 0. With a smaller value, the first rows of a feature change its weights more.
        "adagrad" adds it to the sum of squared gradients, "ftrl" to the square root of this sum.
    l1, l2
        Regularization of the weights that a row updates.
    min_gradient
        Minimum error, in probability, for which a node learns from a row.
    insert
        Where a new label is placed if a node is full. "cost": under a child that the row visits
        anyway, or else under any child; in both cases the one with the fewest rows. "cost+score":
        the same, but if the row visits no child, under one with a high score, with a penalty for
        children with many labels. "score": under the child with the highest score; trees may become
        deep.
    max_degree
        Maximum number of children of a node when labels are added. One less than a multiple of 8
        makes the best use of vector instructions.
    keep_rows
        Number of recent rows that are kept for `rebuild_tree` and `tree_cost_`.
    max_weights
        Maximum number of weights; above it, the features with the smallest weights are dropped.
        None for no limit.
    weight_threshold
        Weights with an absolute value of at most this are not used in predictions; learning keeps
        them.
    warm_start_strength
        Resistance of the weights of `fit` to change, as an initial sum of squared gradients.

    Examples
    --------
    >>> OnlineParams.parse({"learning_rate": 0.5}).optimizer
    'adagrad'
    """

    optimizer: str = "adagrad"
    learning_rate: float = 1.0
    smoothing: float = 0.01
    l1: float = 0.0
    l2: float = 0.0
    min_gradient: float = 0.0
    insert: str = "cost"
    max_degree: int = 15
    keep_rows: int = 10_000
    max_weights: int | None = None
    weight_threshold: float = 0.0
    warm_start_strength: float = 0.1

    def __post_init__(self) -> None:
        check_values(type(self).__init__, vars(self))
        for name, known in (("optimizer", OPTIMIZERS), ("insert", INSERTS)):
            if getattr(self, name) not in known:
                choices = ", ".join(known)
                raise ValueError(
                    f"{name} must be one of {choices}, but is {shown(getattr(self, name))}"
                )
        for name in ("learning_rate", "smoothing"):
            value = getattr(self, name)
            check_largest(name, value)
            if not value > 0:
                raise ValueError(f"{name} must be above 0, but is {value}")
        for name in (
            "l1",
            "l2",
            "min_gradient",
            "weight_threshold",
            "warm_start_strength",
            "keep_rows",
        ):
            value = getattr(self, name)
            check_largest(name, value)
            if not value >= 0:
                raise ValueError(f"{name} must be at least 0, but is {value}")
        if self.max_degree < 2:
            raise ValueError(f"max_degree must be at least 2, but is {self.max_degree}")
        if self.max_weights is not None and self.max_weights < 1:
            raise ValueError(f"max_weights must be at least 1, but is {self.max_weights}")

    @classmethod
    def parse(cls, given: Mapping[str, Any] | None) -> Self:
        """Return the parameters in a mapping; all others have their defaults."""
        if given is None:
            return cls()
        if not isinstance(given, Mapping):
            raise TypeError(
                f"online_params must be a mapping or None, but is {type(given).__name__}"
            )
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise ValueError(
                    f"online_params must be among {', '.join(known)}, but one is {name!r}"
                )
        return cls(**given)

    def native(self, intercept_scaling: float) -> _core.OnlineSettings:
        """Return the settings of the native model."""
        return _core.OnlineSettings(
            optimizer=_core.Optimizer[self.optimizer],
            learning_rate=self.learning_rate,
            smoothing=self.smoothing,
            l1=self.l1,
            l2=self.l2,
            intercept_scaling=intercept_scaling,
            min_gradient=self.min_gradient,
            insert=INSERTS[self.insert],
            max_degree=min(self.max_degree, MAX_INT32),
        )

"""How a tree learns row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from labeltree import _core

OPTIMIZERS = ("adagrad", "ftrl")
INSERTS = {
    "cost": _core.Insert.cost,
    "cost+score": _core.Insert.cost_and_score,
    "score": _core.Insert.score,
}


@dataclass(frozen=True)
class OnlineParams:
    """What `PLTClassifier(online_params={...})` may hold.

    Parameters
    ----------
    optimizer
        "adagrad", or "ftrl" (follow the regularised leader; a half more memory).
    learning_rate
        How far a row moves the weights.
    smoothing
        Above 0; less lets the first rows of a feature move its weights further. Added to the sum of
        squared gradients by "adagrad", and to its square root by "ftrl".
    l1, l2
        Pull towards 0 of the weights that a row touches.
    min_gradient
        A node learns nothing from rows that it gets wrong by less than this probability.
    insert
        Where a new label goes when a node is full. "cost": to a child that the row visits anyway,
        or else to any child, in both cases the one with the fewest rows. "cost+score": the same,
        but where the row visits no child, to one with a high score, less so for children with many
        labels. "score": to the child with the highest score; trees may become deep.
    max_degree
        Children of a node, as far as it is for new labels. One less than a multiple of 8 uses the
        vectors of the processor best.
    keep_rows
        So many of the last rows are kept for `rebuild_tree` and `tree_cost_`.
    max_weights
        Above so many weights, the features with the smallest ones are dropped; None for no limit.
    weight_threshold
        Weights of at most this size are left out of answers (not of learning).
    warm_start_strength
        After `fit`: how firmly its weights stay where they are, as a sum of squared gradients.

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
        for name, known in (("optimizer", OPTIMIZERS), ("insert", INSERTS)):
            if getattr(self, name) not in known:
                words = ", ".join(known)
                raise ValueError(f"{name} must be one of {words}, but is {getattr(self, name)!r}")
        for name in ("learning_rate", "smoothing"):
            if not 0 < getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be above 0, but is {getattr(self, name)}")
        for name in (
            "l1",
            "l2",
            "min_gradient",
            "weight_threshold",
            "warm_start_strength",
            "keep_rows",
        ):
            if not 0 <= getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be at least 0, but is {getattr(self, name)}")
        if self.max_degree < 2:
            raise ValueError(f"max_degree must be at least 2, but is {self.max_degree}")
        if self.max_weights is not None and self.max_weights < 1:
            raise ValueError(f"max_weights must be at least 1, but is {self.max_weights}")

    @classmethod
    def parse(cls, given: Mapping[str, Any] | None) -> Self:
        """Return the options of a mapping; those that it does not name keep their defaults."""
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
                    f"online_params has no option {name!r}; there are {', '.join(known)}"
                )
        return cls(**given)

    def native(self, intercept_scaling: float) -> _core.OnlineSettings:
        """Return what the kernel takes."""
        return _core.OnlineSettings(
            optimizer=_core.Optimizer[self.optimizer],
            learning_rate=self.learning_rate,
            smoothing=self.smoothing,
            l1=self.l1,
            l2=self.l2,
            intercept_scaling=intercept_scaling,
            min_gradient=self.min_gradient,
            insert=INSERTS[self.insert],
            max_degree=self.max_degree,
        )

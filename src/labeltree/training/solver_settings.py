"""Settings of the solver that fits the classifier of each node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from labeltree import _core
from labeltree.arguments import MAX_INT32, MAX_NUMBER, check_largest, shown
from labeltree.training.loss_weights import (
    LossWeights,
    NodeCounts,
    balanced_weights,
    decayed_weights,
)

LOSSES = ("squared_hinge", "logistic")
#: Passes over the rows of each node, and those of a fit that holds rows back at first.
MAX_ITER, MAX_ITER_HELD = 8, 9
# Passes whose weights are averaged in nodes with many rows per feature, which are slow to converge.
_MEAN_ITER = 2
# Threshold of the weights of pairs of features, relative to that of other weights
# (docs/explanation/study-interactions.md).
_PAIR_THRESHOLD = 5 / 3
# Slices of this size take about half a minute of CPU time for each pack of nodes.
SLICE_ENTRIES, SLICE_ROWS, SLICE_POSITIVE = 1 << 28, 25.0, 1000


@dataclass(frozen=True)
class SolverSettings:
    """Settings of the solver that fits the classifier of each node.

    Parameters
    ----------
    loss
        "squared_hinge" or "logistic".
    C
        Weight of the loss relative to the squared norm of the weights.
    C_decay
        Exponents by which C decreases with the number of positive rows of a node, for positive and
        for negative rows; see `loss_weights`. None for the defaults.
    class_weight
        "balanced" to give positive and negative rows of a node the same total weight, instead of
        decaying C.
    pos_neg_weight
        Factors of C for positive and for negative rows of a node.
    intercept_scaling
        Value of a constant feature; 0 for no intercept.
    tol
        A classifier has converged when no row violates its optimality condition by more.
    max_iter
        Maximum number of passes over the training rows of each node.
    weight_threshold
        Weights with an absolute value of at most this are set to zero.
    n_pairs
        Number of features at the end that are pairs of others. Their threshold is higher.
    max_nonzeros
        Maximum number of weights per node; the largest are kept. None for no limit.
    weight_bytes
        4 to keep weights as float32, 2 or 1 to round those of each node to 65,535 or 255 steps. For
        a row of length 1 with n features, this changes a score by at most √n / 65,534 or √n / 254
        times the largest weight of the node. Rows of other lengths may need 4: weights of features
        with large values may be small, and matter.
    seed
        Seed of the order of the rows.
    slice_entries
        Nodes under the root are trained in 2 to 8 slices of the rows if each slice has at least
        this many entries of X. Their weights are the mean over all slices. 0 for no slices.
    slice_rows
        Minimum number of rows of a slice for each feature.
    slice_positive
        Minimum number of positive rows of each node, for each slice.
    """

    loss: str = "squared_hinge"
    C: float = 1.0
    C_decay: tuple[float, ...] | None = None
    class_weight: Literal["balanced"] | None = None
    pos_neg_weight: tuple[float, float] = (1.0, 1.0)
    intercept_scaling: float = 1.0
    tol: float = 0.1
    max_iter: int = MAX_ITER
    weight_threshold: float = 0.09
    n_pairs: int = 0
    max_nonzeros: int | None = None
    weight_bytes: int = 4
    seed: int = 0
    slice_entries: int = SLICE_ENTRIES
    slice_rows: float = SLICE_ROWS
    slice_positive: int = SLICE_POSITIVE

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)}, but is {shown(self.loss)}")
        check_largest("C", self.C)
        if not self.C > 0:
            raise ValueError(f"C must be above 0, but is {self.C}")
        if not all(0 < weight <= MAX_NUMBER for weight in self.pos_neg_weight):
            raise ValueError(f"pos_neg_weight must be above 0, but is {self.pos_neg_weight}")
        powers = (0.0, 0.0) if self.C_decay is None else self.C_decay
        if len(powers) != 2 or not all(0 <= power <= 1 for power in powers):
            raise ValueError(f"C_decay must be two numbers from 0 to 1, but is {powers}")
        for name in ("intercept_scaling", "tol", "weight_threshold"):
            value = getattr(self, name)
            check_largest(name, value)
            if not value >= 0:
                raise ValueError(f"{name} must be at least 0, but is {value}")
        if self.max_iter < 1:
            raise ValueError(f"max_iter must be at least 1, but is {self.max_iter}")
        if self.max_nonzeros is not None and self.max_nonzeros < 1:
            raise ValueError(f"max_nonzeros must be at least 1, but is {self.max_nonzeros}")

    def loss_weights(self, nodes: NodeCounts) -> LossWeights:
        """Return the weights of the loss in each node."""
        if self.class_weight == "balanced":
            return balanced_weights(nodes, self.C)
        positive, negative = self.pos_neg_weight
        return decayed_weights(nodes, (self.C * positive, self.C * negative), self.C_decay)

    @property
    def pair_threshold(self) -> float:
        """Weights of pairs of features with an absolute value of at most this are set to zero."""
        return self.weight_threshold * _PAIR_THRESHOLD

    def native(self) -> _core.TrainSettings:
        """Return the settings of the native trainer."""
        max_iter = min(self.max_iter, MAX_INT32)
        return _core.TrainSettings(
            loss=_core.Loss[self.loss],
            intercept_scaling=self.intercept_scaling,
            tol=self.tol,
            max_iter=max_iter,
            mean_iter=_MEAN_ITER,
            # With fewer, rows that come last move the weights too far.
            joint_iter=max_iter // 2,
            weight_threshold=self.weight_threshold,
            pair_threshold=self.pair_threshold,
            n_pairs=self.n_pairs,
            max_nonzeros=min(self.max_nonzeros or 0, MAX_INT32),
            seed=self.seed % 2**64,
            slice_entries=self.slice_entries,
            slice_rows=self.slice_rows,
            slice_positive=self.slice_positive,
        )

"""Measure on a device what the parts of a training step cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from labeltree.torch.bce import TreeBCE
from labeltree.torch.costs import Batch, StepCosts, TreeShape, Work, by_position
from labeltree.torch.fused import FusedOptimizer
from labeltree.torch.head import TreeHead
from labeltree.torch.layout import Layout
from labeltree.torch.softmax import TreeSoftmax
from labeltree.torch.timing import Timer, captured

REPEATS = {"cuda": 9, "cpu": 4}
BASE_LABELS = {"cuda": 1 << 16, "cpu": 1 << 11}
MAX_CPU_ROWS = 512
ZIPF_SHIFT = 2.7  # label i has a frequency of 1 / (i + 2.7)


class Trial(NamedTuple):
    """A tree whose step is timed."""

    n_labels: int
    shape: TreeShape
    is_zipf: bool

    def probabilities(self) -> NDArray[np.float64]:
        """Return the probabilities of the labels in tree order."""
        weights = np.ones(self.n_labels)
        if self.is_zipf:
            weights /= np.arange(self.n_labels) + ZIPF_SHIFT
        return by_position(weights / weights.sum(), self.shape.n_head)


def trials(n_base: int, *, is_bce: bool) -> list[Trial]:
    """Return trees that differ in the parts of a step, so that the cost of each can be found."""
    given = (
        (n_base // 4, TreeShape(group_size=64), False),
        (n_base, TreeShape(group_size=64), True),
        (n_base, TreeShape(group_size=64), False),
        (n_base, TreeShape(group_size=64, n_prototypes=8), False),
        (n_base, TreeShape(group_size=32, n_prototypes=2), False),
        (n_base, TreeShape(group_size=32, n_prototypes=8), True),
        (n_base, TreeShape(n_head=128, group_size=128), True),
        (4 * n_base, TreeShape(group_size=128), False),
        (4 * n_base, TreeShape(group_size=256), True),
        (8 * n_base, TreeShape(group_size=32, middle_size=128), True),
        (8 * n_base, TreeShape(group_size=32, middle_size=128, n_prototypes=8), False),
        (8 * n_base, TreeShape(group_size=64, middle_size=64), False),
    )
    made = [Trial(*one) for one in given]
    if not is_bce:
        return made
    return [one._replace(shape=one.shape._replace(n_prototypes=1)) for one in made]


def measure_costs(
    in_features: int,
    *,
    n_rows: int = 8192,
    labels_per_row: int | None = None,
    method: str | None = "adagrad",
    device: Any = None,
) -> StepCosts:
    """Return what the parts of a training step cost on a device, from steps of about ten trees.

    A step is the forward and the backward pass of the layer. On a GPU, it is a replay of a CUDA
    graph in bfloat16 with a cold cache, and kernels are compiled first, which takes about a minute
    once. On a CPU, trees and batches are smaller, and it takes about a second.

    Parameters
    ----------
    in_features
        Number of features of a row.
    n_rows
        Number of rows of a batch.
    labels_per_row
        Number of labels of a row for `TreeBCE`; by default, steps are those of `TreeSoftmax`.
    method
        Method of a `FusedOptimizer`; None for gradients of all weights.
    device
        The device; the first GPU if there is one.

    Examples
    --------
    >>> from labeltree.torch import measure_costs
    >>> measure_costs(16, n_rows=32, device="cpu").root >= 0
    True
    """
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    rows = n_rows if place.type == "cuda" else min(n_rows, MAX_CPU_ROWS)
    batch = Batch(rows, in_features, labels_per_row or 1.0)
    timer = Timer(place, REPEATS[place.type])
    given = trials(BASE_LABELS[place.type], is_bce=labels_per_row is not None)
    works = [Work.of(one.shape, one.probabilities(), batch) for one in given]
    times = [step_time(one, batch, labels_per_row, method, place, timer) for one in given]
    return StepCosts.fitted(works, times)


def step_time(
    trial: Trial,
    batch: Batch,
    labels_per_row: int | None,
    method: str | None,
    device: torch.device,
    timer: Timer,
) -> float:
    """Return the microseconds of a step of one tree with random labels."""
    head = _head(trial, batch.n_features, labels_per_row is not None, device)
    if method is not None:
        FusedOptimizer(head, method)
    x = torch.randn(batch.n_rows, batch.n_features, device=device, dtype=head.root.dtype)
    x.requires_grad_()
    target = _targets(trial, batch.n_rows, labels_per_row).to(device)
    step = _step(head, x, target, is_fused=method is not None)
    step()
    return timer.time(captured(step).replay if x.is_cuda else step)


def _head(trial: Trial, n_features: int, is_bce: bool, device: torch.device) -> TreeHead:
    shape = trial.shape
    layout = Layout.even(
        trial.n_labels,
        group_size=shape.group_size,
        middle_size=shape.middle_size,
        n_head=shape.n_head,
    )
    factory = {
        "device": device,
        "dtype": torch.bfloat16 if device.type == "cuda" else torch.float32,
    }
    if is_bce:
        return TreeBCE(n_features, layout, **factory)
    return TreeSoftmax(n_features, layout, n_prototypes=shape.n_prototypes, **factory)


def _targets(trial: Trial, n_rows: int, labels_per_row: int | None) -> Tensor:
    """Return random labels."""
    total = np.cumsum(trial.probabilities())
    shape = (n_rows,) if labels_per_row is None else (n_rows, labels_per_row)
    drawn = np.random.default_rng(1).random(shape) * total[-1]
    return torch.from_numpy(np.minimum(np.searchsorted(total, drawn), trial.n_labels - 1))


def _step(head: Any, x: Tensor, target: Tensor, *, is_fused: bool) -> Callable[[], Any]:
    inputs = [x] if is_fused else [x, *head.parameters()]

    def step() -> None:
        loss = head(x, target).loss
        if x.is_cuda or not is_fused:
            torch.autograd.grad(loss, inputs)
        else:
            loss.backward()  # the plain path updates weights once their gradients are there
            x.grad = None

    return step

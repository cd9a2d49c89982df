"""Times of the layers that a tree replaces: full and adaptive softmax, one sigmoid per label."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.torch.draws import N_FEATURES, N_ROWS, labels, rows
from benchmarks.torch.steps import PER_ROW
from benchmarks.torch.timing import Recorder
from labeltree.torch.timing import Timer

CUTOFFS = {60160: [2000, 10000], 1000000: [4000, 40000, 200000]}


def full_softmax(recorder: Recorder, timer: Timer, n_labels: int) -> None:
    """Time a full softmax of torch, forward and backward."""
    x, weight = rows().requires_grad_(), _weight(n_labels)
    target = labels(n_labels, "zipf", 0)

    def step() -> None:
        torch.autograd.grad(F.cross_entropy(x @ weight.t(), target), [x, weight])

    _record(recorder, timer, "full softmax", n_labels, step)


def adaptive_softmax(recorder: Recorder, timer: Timer, n_labels: int) -> None:
    """Time the adaptive softmax of torch, with labels in the order of their frequency."""
    layer = torch.nn.AdaptiveLogSoftmaxWithLoss(N_FEATURES, n_labels, CUTOFFS[n_labels])
    layer = layer.to("cuda", torch.bfloat16)
    x, target = rows().requires_grad_(), labels(n_labels, "zipf", n_labels)
    inputs = [x, *layer.parameters()]

    def step() -> None:
        torch.autograd.grad(layer(x, target).loss, inputs)

    _record(recorder, timer, "adaptive softmax", n_labels, step)


def one_versus_all(recorder: Recorder, timer: Timer, n_labels: int) -> None:
    """Time one sigmoid per label, with five labels per row."""
    x, weight = rows().requires_grad_(), _weight(n_labels)
    hot = labels(n_labels, "zipf", 0, PER_ROW * N_ROWS).view(N_ROWS, PER_ROW)

    def step() -> None:
        z = x @ weight.t()
        loss = F.softplus(z).sum(dtype=torch.float32) - z.gather(1, hot).sum(dtype=torch.float32)
        torch.autograd.grad(loss / N_ROWS, [x, weight])

    _record(recorder, timer, "one versus all", n_labels, step)


def all_scores(recorder: Recorder, timer: Timer, n_labels: int) -> None:
    """Time the five best of all labels by a matrix product."""
    x, weight = rows(), _weight(n_labels).detach()

    def step() -> None:
        (x @ weight.t()).topk(5, 1)

    _record(recorder, timer, "top 5 of all scores", n_labels, step)


def _weight(n_labels: int) -> Tensor:
    weight = torch.randn(n_labels, N_FEATURES, device="cuda", dtype=torch.bfloat16) * 0.02
    return weight.requires_grad_()


def _record(
    recorder: Recorder, timer: Timer, what: str, n_labels: int, step: Callable[[], None]
) -> None:
    step()
    recorder.add(what=what, n_labels=n_labels, eager=timer.time(step) / N_ROWS)

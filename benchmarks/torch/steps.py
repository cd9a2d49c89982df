"""Times of training steps of tree layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from benchmarks.torch.draws import N_FEATURES, N_ROWS, labels, rows
from benchmarks.torch.timing import Recorder, transient_bytes
from labeltree.torch import FusedOptimizer, Layout, TreeBCE, TreeSoftmax, graphed
from labeltree.torch.head import TreeHead
from labeltree.torch.timing import Timer, captured

PER_ROW = 5  # labels of a row, for several labels per row


class Tree(NamedTuple):
    """The shape of a tree of the benchmark."""

    n_labels: int
    n_head: int
    group_size: int
    middle_size: int | None = None
    n_prototypes: int = 1

    def layout(self) -> Layout:
        """Return the layout with labels in their order."""
        return Layout.even(
            self.n_labels,
            group_size=self.group_size,
            middle_size=self.middle_size,
            n_head=self.n_head,
        )

    def softmax(self) -> TreeSoftmax:
        """Return a layer of this shape on the GPU."""
        return TreeSoftmax(
            N_FEATURES,
            self.layout(),
            n_prototypes=self.n_prototypes,
            device="cuda",
            dtype=torch.bfloat16,
        )

    def bce(self) -> TreeBCE:
        """Return a layer for several labels per row of this shape on the GPU."""
        return TreeBCE(N_FEATURES, self.layout(), device="cuda", dtype=torch.bfloat16)


TREES = [
    Tree(60160, 256, 64),
    Tree(60160, 0, 64),
    Tree(60160, 256, 128),
    Tree(60160, 0, 64, None, 4),
    Tree(60160, 0, 64, None, 8),
    Tree(60160, 0, 32, None, 4),
    Tree(1000000, 512, 32, 128),
    Tree(1000000, 512, 64, 64),
    Tree(1000000, 512, 32, 128, 4),
]
LABEL_TREES = [
    Tree(60160, 0, 64),
    Tree(60160, 256, 128),
    Tree(1000000, 0, 256),
    Tree(1000000, 0, 128),
    Tree(1000000, 0, 32, 128),
    Tree(1000000, 512, 32, 128),
    Tree(1000000, 512, 64, 64),
]


def softmax_steps(recorder: Recorder, timer: Timer, tree: Tree, kinds: tuple[str, ...]) -> None:
    """Time the steps of one tree: dense gradients, both fused optimizers, graph and eager."""
    for method in ("dense", "sgd", "adagrad"):
        head = tree.softmax()
        if method != "dense":
            FusedOptimizer(head, method)
        for kind in kinds:
            sets = [labels(tree.n_labels, kind, tree.n_head) for _ in range(5)]
            _time(recorder, timer, "softmax", tree, method, kind, head, sets)
        del head


def label_steps(recorder: Recorder, timer: Timer, tree: Tree, kinds: tuple[str, ...]) -> None:
    """Time the steps of one tree with five labels per row."""
    for method in ("dense", "adagrad"):
        head = tree.bce()
        if method != "dense":
            FusedOptimizer(head, method)
        for kind in kinds:
            drawn = [labels(tree.n_labels, kind, tree.n_head, PER_ROW * N_ROWS) for _ in range(5)]
            sets = [one.view(N_ROWS, PER_ROW) for one in drawn]
            _time(recorder, timer, "bce", tree, method, kind, head, sets)
        del head


def module_steps(recorder: Recorder, timer: Timer, tree: Tree, kind: type) -> None:
    """Time steps through a layer that runs as CUDA graphs, in one and in several threads."""
    for method in ("dense", "adagrad"):
        head: TreeHead = tree.softmax() if kind is TreeSoftmax else tree.bce()
        if method != "dense":
            FusedOptimizer(head, method)
        n_drawn = N_ROWS if kind is TreeSoftmax else PER_ROW * N_ROWS
        shape = (N_ROWS,) if kind is TreeSoftmax else (N_ROWS, PER_ROW)
        target = labels(tree.n_labels, "zipf", tree.n_head, n_drawn).view(shape)
        graphed(head, N_ROWS, n_labels=None if kind is TreeSoftmax else PER_ROW)
        step = _module_step(head, rows().requires_grad_(), target)
        found = {"module": timer.time(step) / N_ROWS}
        with torch.autograd.set_multithreading_enabled(False):
            found["module_one_thread"] = timer.time(step) / N_ROWS
        recorder.add(what=f"{kind.__name__} graphs", **tree._asdict(), method=method, **found)
        del head, step


def _time(
    recorder: Recorder, timer: Timer, what: str, tree: Tree, method: str, kind: str, head: Any,
    sets: list[Tensor],
) -> None:  # fmt: skip
    x, target = rows().requires_grad_(), sets[0].clone()
    step = _step(head, x, target, method)

    def prepare(i: int) -> None:
        target.copy_(sets[i % len(sets)])

    step()
    transient = transient_bytes(step)
    found = {
        "syncs": _waits(step),
        "eager": timer.time(_module_step(head, x, target), prepare) / N_ROWS,
    }
    with torch.autograd.set_multithreading_enabled(False):
        one_thread = timer.time(_module_step(head, x, target), prepare)
        found["eager_one_thread"] = one_thread / N_ROWS
    graph = captured(step)
    found["us_row"] = timer.time(graph.replay, prepare) / N_ROWS
    recorder.add(
        what=what, **tree._asdict(), kind=kind, method=method, **found, transient_mb=transient / 1e6
    )


def _step(head: Any, x: Tensor, target: Tensor, method: str) -> Callable[[], Any]:
    inputs = [x, *head.parameters()] if method == "dense" else [x]
    return lambda: torch.autograd.grad(head(x, target).loss, inputs)


def _module_step(head: Any, x: Tensor, target: Tensor) -> Callable[[], Any]:
    def step() -> None:
        head.zero_grad(set_to_none=True)
        x.grad = None
        head(x, target).loss.backward()

    return step


def _waits(step: Callable[[], Any]) -> bool:
    """Return whether a step waits for the device."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        step()
    except RuntimeError:
        return True
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return False


def profile(recorder: Recorder, tree: Tree, method: str, kind: str = "zipf") -> None:
    """Record where the time of a step goes, by kernel."""
    head = tree.softmax()
    if method != "dense":
        FusedOptimizer(head, method)
    x = rows().requires_grad_()
    step = _step(head, x, labels(tree.n_labels, kind, tree.n_head), method)
    step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as found:
        for _ in range(5):
            step()
        torch.cuda.synchronize()
    events = [(e.self_device_time_total / 5, e.key[:60]) for e in found.key_averages()]
    most = sorted((e for e in events if e[0] > 0), reverse=True)[:16]
    recorder.add(
        what="profile", **tree._asdict(), method=method, us={k: round(v, 1) for v, k in most}
    )

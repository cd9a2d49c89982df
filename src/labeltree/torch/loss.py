"""The loss of an output layer as a function of autograd, computed by kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from labeltree.torch.head import TreeHead


class Call(NamedTuple):
    """What the kernels need besides rows, targets and weights."""

    head: TreeHead
    tables: list[Tensor]
    sizes: list[int]
    n_weights: int
    backward: bool


def tree_loss(
    head: TreeHead, x: Tensor, target: Tensor, start: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return the mean loss and the loss of each row.

    With `start`, row i has the labels start[i] .. start[i + 1] - 1 of the targets.
    """
    weights, biases = head.weights(), head.weights("_bias")
    tables, sizes = head.tables()
    parameters = [p if p.dtype == x.dtype else p.to(x.dtype) for p in (*weights, *biases)]
    backward = torch.is_grad_enabled() and any(p.requires_grad for p in (x, *parameters))
    call = Call(head, tables, sizes, len(weights), backward)
    loss, rows = _TreeLoss.apply(x.contiguous(), target, start, call, *parameters)
    return loss, rows


class _TreeLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, target: Tensor, start: Tensor | None, call: Call, *p: Tensor
    ) -> Any:
        weights, biases = list(p[: call.n_weights]), list(p[call.n_weights :])
        tree = (call.backward, weights, biases, call.tables, call.sizes)
        steps = _steps()
        if start is None:
            made = steps.softmax_forward(x, target, *tree)
        else:
            made = steps.bce_forward(x, target, start, *tree)
        ctx.call = call
        # Levels share one order of the rows, unless rows have several labels.
        ctx.n_sorted = 1 if start is None else max(1, call.n_weights - 1)
        if call.backward:
            ctx.save_for_backward(x, *p, *made[1:])
        ctx.mark_non_differentiable(made[0])
        return made[0].mean(), made[0]

    @staticmethod
    @once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, factor: Tensor, _: Any) -> Any:
        call: Call = ctx.call
        _allow_once(ctx)
        x, *rest = ctx.saved_tensors
        n = call.n_weights * (2 if call.head.root_bias is not None else 1)
        weights, biases = rest[: call.n_weights], rest[call.n_weights : n]
        dx, dz, *made = rest[n:]
        row_at, saved = made[: ctx.n_sorted], made[ctx.n_sorted :]
        arguments = (x, dz, row_at, saved, factor, weights, biases, call.tables, call.sizes)
        found: list[Tensor | None] = [None] * n
        if call.head.fused is None:
            found = list(_steps().weight_gradients(*arguments))
        else:
            call.head.fused.update(arguments)
        return (_steps().row_gradient(dx, factor), None, None, None, *found)


def _allow_once(ctx: Any) -> None:
    """Refuse a second backward pass, because the first one changes what was saved."""
    if torch.compiler.is_compiling():
        return
    if getattr(ctx, "is_used", False):
        raise RuntimeError(
            "the backward pass of a tree layer must run once, but runs again; call the layer again"
        )
    ctx.is_used = True


def _steps() -> Any:
    """Return the steps; while torch.compile traces, as operators that it does not look into."""
    if torch.compiler.is_compiling():
        import labeltree.torch.kernels.operators as operators

        return operators
    from labeltree.torch.kernels import steps

    return steps

"""The steps as operators of torch, which torch.compile calls without looking into them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from labeltree.torch.kernels import steps
from labeltree.torch.kernels.steps import Tree
from labeltree.torch.kernels.tiles import TILES, power_of_two

_TREE = "Tensor[] weights, Tensor[] biases, Tensor[] tables, int[] sizes"


def _operator(name: str, arguments: str, step: Callable[..., list[Tensor]]) -> Any:
    schema = f"({arguments}) -> Tensor[]"
    return torch.library.custom_op(f"labeltree::{name}", step, mutates_args=(), schema=schema)


softmax_forward = _operator(
    "softmax_forward", f"Tensor x, Tensor target, bool backward, {_TREE}", steps.softmax_forward
)
bce_forward = _operator(
    "bce_forward",
    f"Tensor x, Tensor target, Tensor start, bool backward, {_TREE}",
    steps.bce_forward,
)
weight_gradients = _operator(
    "weight_gradients",
    f"Tensor x, Tensor dz, Tensor[] row_at, Tensor[] saved, Tensor factor, {_TREE}",
    steps.weight_gradients,
)


@softmax_forward.register_fake
def _(x: Tensor, target: Tensor, backward: bool, *tree: *Tree) -> list[Tensor]:
    order = x.new_empty(len(x), dtype=torch.int64)
    return _made(x, [order] if backward else [], *tree)


@bce_forward.register_fake
def _(x: Tensor, target: Tensor, start: Tensor, backward: bool, *tree: *Tree) -> list[Tensor]:
    n_sorted = max(1, len(tree[0]) - 1) if backward else 0
    return _made(x, [x.new_empty(len(target), dtype=torch.int32) for _ in range(n_sorted)], *tree)


@weight_gradients.register_fake
def _(
    x: Tensor,
    dz: Tensor,
    row_at: Sequence[Tensor],
    saved: Sequence[Tensor],
    factor: Tensor,
    *tree: *Tree,
) -> list[Tensor]:
    return [torch.empty_like(one) for one in (*tree[0], *tree[1])]


def row_gradient(dx: Tensor, factor: Tensor) -> Tensor:
    """Return the gradient of the rows, times the gradient of the loss."""
    return dx * factor.to(dx.dtype)


def _made(x: Tensor, row_at: list[Tensor], *tree: *Tree) -> list[Tensor]:
    """Return tensors of the shapes of the loss and, with `row_at`, of what is saved."""
    weights, _, tables, sizes = tree
    made = [x.new_empty(len(x), dtype=torch.float32)]
    if not row_at:
        return made
    made += [torch.empty_like(x), x.new_empty(len(x), len(weights[0])), *row_at]
    n = len(row_at[0])
    for i, width in enumerate(sizes[4:]):
        n_groups = len(tables[3 + 2 * i]) - 1
        most = min(n_groups, n)
        lengths = (n_groups + 1, 2 * (most + n // TILES.rows + 1), most, 2)
        made.append(x.new_empty(n, power_of_two(int(width), 32)))
        made += [x.new_empty(length, dtype=torch.int32) for length in lengths]
    return made

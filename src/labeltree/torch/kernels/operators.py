"""The steps as operators of torch, which torch.compile calls without looking into them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from labeltree.torch.kernels import steps
from labeltree.torch.kernels.tiles import TILES, power_of_two

_TREE = "Tensor[] weights, Tensor[] biases, Tensor[] tables, int[] sizes"


def _operator(name: str, arguments: str, step: Callable[..., list[Tensor]]) -> Any:
    schema = f"({arguments}) -> Tensor[]"
    return torch.library.custom_op(f"labeltree::{name}", step, mutates_args=(), schema=schema)


softmax_forward = _operator(
    "softmax_forward", f"Tensor x, Tensor target, {_TREE}, bool backward", steps.softmax_forward
)
bce_forward = _operator(
    "bce_forward",
    f"Tensor x, Tensor target, Tensor start, {_TREE}, bool backward",
    steps.bce_forward,
)
weight_gradients = _operator(
    "weight_gradients",
    f"Tensor x, Tensor dz, Tensor[] row_at, Tensor[] saved, Tensor factor, {_TREE}",
    steps.weight_gradients,
)


@softmax_forward.register_fake
def _(
    x: Tensor,
    target: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    tables: Sequence[Tensor],
    sizes: Sequence[int],
    backward: bool,
) -> list[Tensor]:
    made = [x.new_empty(len(x), dtype=torch.float32)]
    if backward:
        order = x.new_empty(len(x), dtype=torch.int64)
        made += [torch.empty_like(x), x.new_empty(len(x), len(weights[0])), order]
        made += _saved(x, len(x), tables, sizes)
    return made


@bce_forward.register_fake
def _(
    x: Tensor,
    target: Tensor,
    start: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    tables: Sequence[Tensor],
    sizes: Sequence[int],
    backward: bool,
) -> list[Tensor]:
    made = [x.new_empty(len(x), dtype=torch.float32)]
    if backward:
        made += [torch.empty_like(x), x.new_empty(len(x), len(weights[0]))]
        n_sorted = max(1, len(weights) - 1)
        made += [x.new_empty(len(target), dtype=torch.int32) for _ in range(n_sorted)]
        made += _saved(x, len(target), tables, sizes)
    return made


@weight_gradients.register_fake
def _(
    x: Tensor,
    dz: Tensor,
    row_at: Sequence[Tensor],
    saved: Sequence[Tensor],
    factor: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    tables: Sequence[Tensor],
    sizes: Sequence[int],
) -> list[Tensor]:
    return [torch.empty_like(one) for one in (*weights, *biases)]


def row_gradient(dx: Tensor, factor: Tensor) -> Tensor:
    """Return the gradient of the rows, times the gradient of the loss."""
    return dx * factor.to(dx.dtype)


def _saved(x: Tensor, n: int, tables: Sequence[Tensor], sizes: Sequence[int]) -> list[Tensor]:
    """Return tensors of the shapes that each level saves for the backward step."""
    made = []
    for i, width in enumerate(sizes[4:]):
        n_groups = len(tables[3 + 2 * i]) - 1
        most = min(n_groups, n)
        lengths = (n_groups + 1, 2 * (most + n // TILES.rows + 1), most, 2)
        made.append(x.new_empty(n, power_of_two(int(width), 32)))
        made += [x.new_empty(length, dtype=torch.int32) for length in lengths]
    return made

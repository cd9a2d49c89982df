"""Forward and backward steps of the output layers, made of kernels and matrix products.

Arguments and results are flat lists of tensors and sizes, as custom operators need them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from labeltree.torch.kernels import launch
from labeltree.torch.kernels.launch import GroupPlan, Nodes, Tables, Update
from labeltree.torch.kernels.tiles import check_shapes

PER_LEVEL = 5  # tensors that a level saves for the backward step

#: Weights and biases, which start with the root; tables: position, group and column, then the first
#: siblings and the bounds of each level; sizes: the number of head labels, of groups, of columns
#: and of prototypes, then the width of each level.
Tree = tuple[Sequence[Tensor], Sequence[Tensor], Sequence[Tensor], Sequence[int]]


class RootNodes(NamedTuple):
    """Weights of the root."""

    weight: Tensor
    bias: Tensor | None

    def logits(self, x: Tensor) -> Tensor:
        """Return the logits of all columns."""
        weight = self.weight.t()
        return x @ weight if self.bias is None else torch.addmm(self.bias, x, weight)


def softmax_forward(x: Tensor, target: Tensor, backward: bool, *tree: *Tree) -> list[Tensor]:
    """Return the loss of each row, and with `backward` dx and what the weight gradients need."""
    shape, root, levels = _parsed(*tree)
    check_shapes(x.shape[1], shape.n_columns)
    keys = launch.sort_targets(shape, target, len(levels))
    logits = root.logits(x)
    loss = launch.root_softmax(shape, logits, keys.column, backward=backward)
    dx = logits @ root.weight if backward else None
    saved: list[Tensor] = []
    for i, nodes in enumerate(levels):
        found = launch.plan_groups(nodes, keys, i)
        node = keys.node if i == len(levels) - 1 else keys.key
        ds = launch.group_softmax(nodes, x, found, node, keys, loss, dx)
        saved += [ds, *found]
    return [loss] if dx is None else [loss, dx, logits, keys.order, *saved]


def bce_forward(
    x: Tensor, target: Tensor, start: Tensor, backward: bool, *tree: *Tree
) -> list[Tensor]:
    """Return what `softmax_forward` does, for the labels start[i] .. start[i + 1] - 1 of row i."""
    shape, root, levels = _parsed(*tree)
    check_shapes(x.shape[1], shape.n_columns)
    # A row may have several labels below a node, so that each level has pairs of its own.
    n_parents = [len(nodes.first) - 1 for nodes in levels] or [0]
    last = len(n_parents) - 1
    sorted_pairs = [
        launch.sort_pairs(shape, target, start, n, is_middle=i < last)
        for i, n in enumerate(n_parents)
    ]
    logits = root.logits(x)
    loss = launch.root_bce(shape, logits, *sorted_pairs[last], backward=backward)
    dx = logits @ root.weight if backward else None
    saved: list[Tensor] = []
    for nodes, (keys, pairs) in zip(levels, sorted_pairs, strict=False):
        by_parent = nodes._replace(bounds=levels[-1].bounds)  # keys are parents, not groups
        found = launch.plan_groups(by_parent, keys)
        ds = launch.group_bce(nodes, x, found, keys, pairs, loss, dx)
        saved += [ds, *found]
    row_at = [pairs.row for _, pairs in sorted_pairs]
    return [loss] if dx is None else [loss, dx, logits, *row_at, *saved]


def weight_gradients(
    x: Tensor,
    dz: Tensor,
    row_at: Sequence[Tensor],
    saved: Sequence[Tensor],
    factor: Tensor,
    *tree: *Tree,
) -> list[Tensor]:
    """Return the gradients of all weights, then those of all biases.

    `row_at` holds the row at each place of the sorted order, for all levels or for each.
    """
    _, root, levels = _parsed(*tree)
    found = [launch.multiply(dz.t() @ x, factor)]
    found_biases = [] if root.bias is None else [launch.multiply(dz.sum(0), factor)]
    for nodes, ds, planned, rows in _with_saved(levels, row_at, saved):
        dw, db = launch.group_gradient(nodes, x, ds, planned, rows, factor, None)
        assert dw is not None
        found.append(dw)
        if db is not None:
            found_biases.append(db)
    return found + found_biases


def row_gradient(dx: Tensor, factor: Tensor) -> Tensor:
    """Return the gradient of the rows, times the gradient of the loss."""
    return launch.multiply(dx, factor)


def weight_updates(
    updates: Sequence[Update],
    x: Tensor,
    dz: Tensor,
    row_at: Sequence[Tensor],
    saved: Sequence[Tensor],
    factor: Tensor,
    *tree: *Tree,
) -> None:
    """Apply the gradients of all weights and biases; groups without rows stay as they are."""
    _, root, levels = _parsed(*tree)
    bias_gradient = None if root.bias is None else dz.sum(0, dtype=torch.float32)
    launch.update_rows(dz.t() @ x, bias_gradient, root.weight, root.bias, factor, updates[0])
    below = zip(_with_saved(levels, row_at, saved), updates[1:], strict=False)
    for (nodes, ds, planned, rows), update in below:
        launch.group_gradient(nodes, x, ds, planned, rows, factor, update)


def _parsed(
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    tables: Sequence[Tensor],
    sizes: Sequence[int],
) -> tuple[Tables, RootNodes, list[Nodes]]:
    levels = []
    for i, weight in enumerate(weights[1:]):
        bias = biases[i + 1] if biases else None
        first, bounds = tables[3 + 2 * i], tables[4 + 2 * i]
        levels.append(Nodes(weight, bias, first, bounds, sizes[4 + i]))
    root = RootNodes(weights[0], biases[0] if biases else None)
    return Tables(*tables[:3], *sizes[:4]), root, levels


def _with_saved(
    levels: Sequence[Nodes], row_at: Sequence[Tensor], saved: Sequence[Tensor]
) -> Iterator[tuple[Nodes, Tensor, GroupPlan, Tensor]]:
    """Yield each level with its gradient of logits, its rows by group and their sorted order."""
    for i, nodes in enumerate(levels):
        ds, *planned = saved[PER_LEVEL * i : PER_LEVEL * (i + 1)]
        yield nodes, ds, GroupPlan(*planned), row_at[min(i, len(row_at) - 1)]

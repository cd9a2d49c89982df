"""The output layers in plain PyTorch: for the CPU, and as the reference of the kernels.

Everything is differentiable by autograd in any precision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from labeltree.torch.head import Level, TreeHead


class _Grouped(NamedTuple):
    """Rows sorted by group of siblings, with the logits of the children of their group."""

    rows: Tensor  #: number of the row at each place
    group: Tensor  #: its group of siblings
    logits: Tensor  #: (places, width of the level); -inf beyond the children of a group


def root_logits(head: TreeHead, x: Tensor) -> Tensor:
    """Return the logits of the children of the root, one column each.

    A group with several prototypes has the log-sum-exp of their logits.
    """
    bias = None if head.root_bias is None else head.root_bias[: head.n_columns].to(x.dtype)
    logits = F.linear(x, head.root[: head.n_columns].to(x.dtype), bias)
    if head.n_prototypes == 1:
        return logits
    single, many = logits[:, : head.n_head], logits[:, head.n_head :]
    return torch.cat([single, many.unflatten(1, (-1, head.n_prototypes)).logsumexp(2)], 1)


def softmax_log_likelihood(head: TreeHead, x: Tensor, target: Tensor) -> Tensor:
    """Return the log-probability of the target of each row, from the root down its path."""
    position, group, top = _places(head, target)
    total = root_logits(head, x).log_softmax(1).gather(1, top[:, None])[:, 0]
    for level in head.levels():
        node = position - head.n_head if level.weight is head.leaf else group
        found = _grouped(level, x, group)
        chosen = node[found.rows] - level.first[found.group]
        terms = found.logits.log_softmax(1).gather(1, chosen[:, None])[:, 0]
        total = total.index_add(0, found.rows, terms)
    return total


def bce_log_likelihood(head: TreeHead, x: Tensor, row: Tensor, target: Tensor) -> Tensor:
    """Return the log-likelihood of the labels of each row.

    `row` and `target` are the (row, label) pairs. The nodes are those of Algorithm 1: the children
    of the root, and the children of every positive group.
    """
    position, group, top = _places(head, target)
    total = _bernoulli(root_logits(head, x), _hot(x, row, top, head.n_head + head.layout.n_top))
    inside = group >= 0
    row, group = row[inside], group[inside]
    for level in head.levels():
        is_leaf = level.weight is head.leaf
        parent = group if is_leaf else top[inside] - head.n_head
        node = position[inside] - head.n_head if is_leaf else group
        total = _with_level(total, level, x, row, parent, node)
    return total


def _with_level(
    total: Tensor, level: Level, x: Tensor, row: Tensor, parent: Tensor, node: Tensor
) -> Tensor:
    """Add the log-likelihood of the children of every positive node above a level."""
    pairs = torch.unique(torch.stack([parent, row]), dim=1)
    bounds = torch.arange(len(level.first), device=x.device, dtype=torch.int32)
    found = _grouped(
        level._replace(bounds=bounds), x[pairs[1]], pairs[0]
    )  # pairs are sorted by group already
    n_rows = len(x)
    # Pairs are unique, so that the place of each label is found among their numbers.
    place = torch.searchsorted(pairs[0] * n_rows + pairs[1], parent * n_rows + row)
    hot = _hot(found.logits, place, node - level.first[parent], found.logits.shape[1])
    is_real = found.logits.detach() > -torch.inf
    logits = torch.where(is_real, found.logits, 0.0)
    terms = F.binary_cross_entropy_with_logits(logits, hot, reduction="none")
    return total.index_add(0, pairs[1], -torch.where(is_real, terms, 0.0).sum(1))


def softmax_log_prob(head: TreeHead, x: Tensor) -> Tensor:
    """Return the log-probability of every class, (rows, n_classes)."""
    top = root_logits(head, x).log_softmax(1)
    inside = top[:, head.n_head :]
    for level in head.levels():
        inside = level_log_softmax(level, x, inside)
    return torch.cat([top[:, : head.n_head], inside], 1)[:, head.position.long()]


def level_log_softmax(level: Level, x: Tensor, above: Tensor) -> Tensor:
    """Return the log-probability of every node of a level, given those of its parents."""
    sizes = level.first.diff().long()
    logits = _level_logits(level, x)
    shape = (len(x), len(sizes))
    parent = torch.arange(len(sizes), device=x.device).repeat_interleave(sizes).expand_as(logits)
    top = logits.detach().new_full(shape, float("-inf"))
    top = top.scatter_reduce(1, parent, logits.detach(), "amax")
    shifted = logits - top.gather(1, parent)
    total = torch.zeros_like(top).scatter_add(1, parent, shifted.exp())
    return shifted + (above - total.log()).gather(1, parent)


def bce_log_prob(head: TreeHead, x: Tensor) -> Tensor:
    """Return the log-probability of every label, (rows, n_classes)."""
    top = F.logsigmoid(root_logits(head, x))
    inside = top[:, head.n_head :]
    for level in head.levels():
        inside = level_log_sigmoid(level, x, inside)
    return torch.cat([top[:, : head.n_head], inside], 1)[:, head.position.long()]


def level_log_sigmoid(level: Level, x: Tensor, above: Tensor) -> Tensor:
    """Return what `level_log_softmax` does, for nodes with sigmoids."""
    sizes = level.first.diff().long()
    logits = _level_logits(level, x).to(above.dtype)
    return F.logsigmoid(logits) + above.repeat_interleave(sizes, 1)


def _places(head: TreeHead, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the position, the group and the child of the root of each target."""
    if target.numel() and not 0 <= int(target.min()) <= int(target.max()) < head.n_classes:
        found = int(target.min()) if int(target.min()) < 0 else int(target.max())
        raise ValueError(f"targets lie in 0..{head.n_classes - 1}, but one is {found}")
    label = target.long()
    group = head.group[label].long()
    column = head.column[label].long()
    inside = head.n_head + (column - head.n_head) // head.n_prototypes
    return head.position[label].long(), group, torch.where(group < 0, column, inside)


def _grouped(level: Level, x: Tensor, group: Tensor) -> _Grouped:
    """Return the rows that are in groups of a level, sorted, with the logits of the children."""
    place = torch.searchsorted(level.bounds, group.int(), right=True) - 1
    order = torch.argsort(torch.where(group < 0, -1, place), stable=True)
    order = order[int((group < 0).sum()) :]
    of_place = place[order]
    begin = torch.searchsorted(of_place, torch.arange(len(level.first), device=x.device))
    logits = _GroupedLinear.apply(
        x[order], level.weight.to(x.dtype), begin.tolist(), level.first.tolist(), level.width
    )
    if level.bias is not None:
        columns = torch.arange(level.width, device=x.device)
        at = (level.first[of_place, None] + columns).clamp_max(len(level.bias) - 1)
        logits = logits + level.bias.to(x.dtype)[at]
    return _Grouped(order, of_place, logits)


class _GroupedLinear(torch.autograd.Function):
    """The product of the rows of each group with the weights of its children.

    One matrix product per group, without nodes of autograd for each.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, begin: list[int], first: list[int], width: int
    ) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.groups = [
            (slice(a, b), slice(i, j))
            for a, b, i, j in zip(begin, begin[1:], first, first[1:], strict=False)
            if b > a
        ]
        found = x.new_full((len(x), width), -torch.inf)
        for rows, nodes in ctx.groups:
            part = found[rows, : nodes.stop - nodes.start]
            torch.mm(x[rows], weight[nodes].t(), out=part)
        return found

    @staticmethod
    @once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x, weight = ctx.saved_tensors
        dx, dw = torch.empty_like(x), torch.zeros_like(weight)
        for rows, nodes in ctx.groups:
            part = gradient[rows, : nodes.stop - nodes.start]
            torch.mm(part, weight[nodes], out=dx[rows])
            torch.mm(part.t(), x[rows], out=dw[nodes])
        return dx, dw, None, None, None


def _level_logits(level: Level, x: Tensor) -> Tensor:
    bias = None if level.bias is None else level.bias.to(x.dtype)
    return F.linear(x, level.weight.to(x.dtype), bias)


def _hot(like: Tensor, row: Tensor, column: Tensor, n_columns: int) -> Tensor:
    hot = torch.zeros(len(like), n_columns, dtype=like.dtype, device=like.device)
    hot[row, column] = 1
    return hot


def _bernoulli(logits: Tensor, hot: Tensor) -> Tensor:
    return -F.binary_cross_entropy_with_logits(logits, hot, reduction="none").sum(1)

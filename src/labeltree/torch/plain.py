"""The output layers in plain PyTorch: for the CPU, and as the reference of the kernels.

Everything is differentiable by autograd in any precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from labeltree.torch.head import Level, TreeHead


class _Part(NamedTuple):
    """The rows that reach one group of siblings."""

    rows: Tensor
    logits: Tensor
    group: int


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
        is_leaf = level.weight is head.leaf
        node = position - head.n_head if is_leaf else group
        terms, rows = [], []
        for part in _parts(level, x, group):
            chosen = node[part.rows] - level.first[part.group]
            terms.append(part.logits.log_softmax(1).gather(1, chosen[:, None])[:, 0])
            rows.append(part.rows)
        if rows:
            total = total.index_add(0, torch.cat(rows), torch.cat(terms))
    return total


def bce_log_likelihood(head: TreeHead, x: Tensor, row: Tensor, target: Tensor) -> Tensor:
    """Return the log-likelihood of the labels of each row.

    `row` and `target` are the (row, label) pairs. The nodes are those of Algorithm 1: the children
    of the root, and the children of every positive group.
    """
    position, group, top = _places(head, target)
    total = _bernoulli(root_logits(head, x), _hot(x, row, top, head.n_head + head.layout.n_top))
    level = head.levels()
    if not level:
        return total
    inside = group >= 0
    pairs = torch.unique(torch.stack([group[inside], row[inside]]), dim=1)
    terms, rows = [], []
    for part in _parts(level[0], x[pairs[1]], pairs[0]):
        of_row = pairs[1][part.rows]
        first = level[0].first[part.group]
        member = group == part.group
        place = torch.searchsorted(of_row, row[member])
        hot = _hot(part.logits, place, position[member] - head.n_head - first, part.logits.shape[1])
        terms.append(_bernoulli(part.logits, hot))
        rows.append(of_row)
    return total.index_add(0, torch.cat(rows), torch.cat(terms)) if rows else total


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
        sizes = level.first.diff().long()
        inside = F.logsigmoid(_level_logits(level, x)) + inside.repeat_interleave(sizes, 1)
    return torch.cat([top[:, : head.n_head], inside], 1)[:, head.position.long()]


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


def _parts(level: Level, x: Tensor, group: Tensor) -> Iterator[_Part]:
    """Yield the rows of each group of siblings of a level, with the logits of its children."""
    sizes = level.first.diff().tolist()
    weights = level.weight.to(x.dtype).split(sizes)  # one node of autograd for all groups
    biases = None if level.bias is None else level.bias.to(x.dtype).split(sizes)
    place = torch.searchsorted(level.bounds, group.int(), right=True) - 1
    place = torch.where(group < 0, -1, place)
    order = torch.argsort(place, stable=True)
    found, counts = torch.unique_consecutive(place[order], return_counts=True)
    for g, rows in zip(found.tolist(), order.split(counts.tolist()), strict=True):
        if g >= 0:
            bias = None if biases is None else biases[g]
            yield _Part(rows, F.linear(x[rows], weights[g], bias), g)


def _level_logits(level: Level, x: Tensor) -> Tensor:
    bias = None if level.bias is None else level.bias.to(x.dtype)
    return F.linear(x, level.weight.to(x.dtype), bias)


def _hot(like: Tensor, row: Tensor, column: Tensor, n_columns: int) -> Tensor:
    hot = torch.zeros(len(like), n_columns, dtype=like.dtype, device=like.device)
    hot[row, column] = 1
    return hot


def _bernoulli(logits: Tensor, hot: Tensor) -> Tensor:
    return -F.binary_cross_entropy_with_logits(logits, hot, reduction="none").sum(1)

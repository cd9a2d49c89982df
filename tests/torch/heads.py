"""Layers with random weights, and their definition in float64."""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import Tensor

from labeltree.torch import Layout, TreeBCE, TreeSoftmax

TWO = Layout.even(60, group_size=9, n_head=5)
THREE = Layout.even(60, group_size=5, n_head=4, middle_size=4)
NO_HEAD = Layout.even(60, group_size=9)
N_FEATURES = 16


def drawn(head: Any, seed: int = 0) -> Any:
    """Return the layer with larger weights, so that probabilities differ."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.5)
    return head


def softmax(layout: Any = TWO, **settings: Any) -> TreeSoftmax:
    made: TreeSoftmax = drawn(TreeSoftmax(N_FEATURES, layout, **settings))
    return made


def bce(layout: Any = TWO, **settings: Any) -> TreeBCE:
    made: TreeBCE = drawn(TreeBCE(N_FEATURES, layout, **settings))
    return made


def rows(n: int = 12, seed: int = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, N_FEATURES, generator=generator, dtype=dtype)


def classes(n: int = 12, n_classes: int = 60, seed: int = 2) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, n_classes, (n,), generator=generator)


def log_prob_by_definition(head: Any, x: Tensor, label: int) -> Tensor:
    """Return the log-probability of one class in each row, node by node."""
    layout = head.layout
    x = x.double()
    is_softmax = isinstance(head, TreeSoftmax)

    def logits(name: str, node: int) -> Tensor:
        bias = getattr(head, f"{name}_bias")
        z = x @ getattr(head, name)[node].double()
        return z if bias is None else z + bias[node].double()

    def chosen(scores: list[Tensor], place: int) -> Tensor:
        table = torch.stack(scores, 1)
        log_prob = table.log_softmax(1) if is_softmax else table.sigmoid().log()
        return log_prob[:, place]

    k = head.n_prototypes
    columns = [[c] for c in range(layout.n_head)]
    columns += [[layout.n_head + g * k + j for j in range(k)] for g in range(layout.n_top)]
    top = [torch.stack([logits("root", c) for c in own]).logsumexp(0) for own in columns]
    total = chosen(top, int(layout.top[label]))
    if layout.group[label] < 0:
        return total
    starts = [0, *itertools.accumulate(layout.group_sizes.tolist())]
    if layout.middle_sizes is not None:
        ends = [0, *itertools.accumulate(layout.middle_sizes.tolist())]
        above = int(layout.top[label]) - layout.n_head
        siblings = range(ends[above], ends[above + 1])
        total = total + chosen(
            [logits("middle", g) for g in siblings], int(layout.group[label]) - ends[above]
        )
    g = int(layout.group[label])
    place = int(layout.position[label]) - layout.n_head - starts[g]
    return total + chosen([logits("leaf", v) for v in range(starts[g], starts[g + 1])], place)


def all_log_prob(head: Any, x: Tensor) -> Tensor:
    """Return the log-probability of every class by definition."""
    found = [log_prob_by_definition(head, x, label) for label in range(head.n_classes)]
    return torch.stack(found, 1)

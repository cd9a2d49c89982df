"""The most probable classes of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from labeltree.arguments import check_integer
from labeltree.torch import plain
from labeltree.torch.head import TreeHead

if TYPE_CHECKING:
    from labeltree.torch.kernels.beam import Root

#: Groups that are searched in each row before it is known which others are needed.
FIRST_BEAM = 8
#: Largest k that the kernels select one by one.
MAX_KERNEL_K = 64


class TopK(NamedTuple):
    """The most probable classes of each row, in decreasing order."""

    log_prob: Tensor  #: (rows, k)
    classes: Tensor  #: (rows, k)


def top_k(head: TreeHead, x: Tensor, k: int, beam: int | None) -> TopK:
    """Return the k most probable classes of each row; without a beam, exactly."""
    check_integer("k", k, minimum=1, maximum=head.n_classes)
    if beam is not None:
        check_integer("beam", beam, minimum=1)
    if head.uses_kernels(x) and head.layout.n_groups and k <= MAX_KERNEL_K:
        return _searched(head, x.contiguous(), k, beam)
    log_prob = plain.softmax_log_prob if head.is_softmax else plain.bce_log_prob
    return TopK(*log_prob(head, x).topk(k, 1))


def _searched(head: TreeHead, x: Tensor, k: int, beam: int | None) -> TopK:
    from labeltree.torch.kernels.beam import beam_search, search_rest
    from labeltree.torch.kernels.launch import Nodes
    from labeltree.torch.kernels.tiles import check_shapes

    check_shapes(head.in_features, head.n_columns)
    root = _root(head, x)
    leaf = head.levels()[-1]
    bias = None if leaf.bias is None else leaf.bias.to(x.dtype)
    nodes = Nodes(leaf.weight.to(x.dtype), bias, leaf.first, leaf.bounds, leaf.width)
    width = min(root.n_groups, max(FIRST_BEAM if beam is None else beam, _least_beam(head, k)))
    best, pairs, cut = beam_search(root, nodes, x, k, width)
    if beam is None and width < root.n_groups:
        search_rest(root, nodes, x, best, pairs, cut)
    return TopK(best.value[:, :k], head.label_at[best.place[:, :k]].long())


def _least_beam(head: TreeHead, k: int) -> int:
    """Return how many groups have k labels together with the head, whichever they are."""
    smallest = np.cumsum(np.sort(head.layout.group_sizes))
    return int(np.searchsorted(smallest, k - head.n_head)) + 1


def _root(head: TreeHead, x: Tensor) -> Root:
    """Return the logits of all groups; with three levels, those of their probabilities."""
    from labeltree.torch.kernels.beam import Root

    bias = None if head.root_bias is None else head.root_bias.to(x.dtype)
    if head.middle is None:
        logits = F.linear(x, head.root.to(x.dtype), bias)
        return Root(logits, head.n_head, head.layout.n_groups, head.n_prototypes, head.is_softmax)
    logits, level = plain.root_logits(head, x).float(), head.levels()[0]
    if head.is_softmax:
        top = logits.log_softmax(1)
        middle = plain.level_log_softmax(level, x, top[:, head.n_head :])
        logits = torch.cat([top[:, : head.n_head], middle], 1)
    else:
        middle = plain.level_log_sigmoid(level, x, F.logsigmoid(logits[:, head.n_head :]))
        odds = middle - torch.log(-torch.expm1(middle))
        logits = torch.cat([logits[:, : head.n_head], odds], 1)
    return Root(logits, head.n_head, head.layout.n_groups, 1, head.is_softmax)

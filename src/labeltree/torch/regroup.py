"""A layer for other groups that keeps what another layer has learned."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from labeltree.torch.head import TreeHead
from labeltree.torch.layout import IntArray


@torch.no_grad()
def transfer(old: TreeHead, new: TreeHead) -> None:
    """Give a layer the weights of a layer with the same classes in other groups.

    The weights of a class are summed along its path, so that its score in a full softmax is kept.
    A node above gets the mean of its classes. Prototypes get the means of consecutive parts of
    the group. Optimizer states follow their classes.
    """
    weight, bias = _summed(old, ""), _summed(old, "_bias")
    if not new.layout.n_groups:
        raise ValueError("a layer must have groups to take over weights, but has none")
    _distribute(new, "", weight)
    if bias is not None and new.root_bias is not None:
        _distribute(new, "_bias", bias)
    _move_states(old, new)


def _summed(head: TreeHead, suffix: str) -> Tensor | None:
    """Return the sum of the weights on the path of each class, in the order of the classes."""
    root = getattr(head, f"root{suffix}")
    if root is None:
        return None
    label = torch.arange(head.n_classes, device=root.device)
    group, column = head.group[label].long(), head.column[label].long()
    columns = root[: head.n_columns].float()
    single = columns[: head.n_head]
    inside = columns[head.n_head :].unflatten(0, (-1, head.n_prototypes)).mean(1)
    tops = torch.cat([single, inside])
    place = torch.where(
        group < 0, column, head.n_head + (column - head.n_head) // head.n_prototypes
    )
    total = tops[place]
    deep = group >= 0
    if head.middle is not None:
        total[deep] += getattr(head, f"middle{suffix}").float()[group[deep]]
    leaf = getattr(head, f"leaf{suffix}").float()
    total[deep] += leaf[head.position[deep].long() - head.n_head]
    return total


def _distribute(head: TreeHead, suffix: str, total: Tensor | None) -> None:
    assert total is not None
    by_position = total[head.label_at.long()]
    single, leaf = by_position[: head.n_head], by_position[head.n_head :]
    layout, k = head.layout, head.n_prototypes
    groups = _means(leaf, layout.group_sizes, 1)
    sizes = torch.from_numpy(layout.group_sizes).to(leaf.device)
    getattr(head, f"leaf{suffix}").copy_(leaf - groups.repeat_interleave(sizes, 0))
    if layout.middle_sizes is None:
        tops = _means(leaf, layout.group_sizes, k)
    else:
        counts = torch.from_numpy(layout.middle_sizes).to(leaf.device)
        middles = _means(groups, layout.middle_sizes, 1)
        getattr(head, f"middle{suffix}").copy_(groups - middles.repeat_interleave(counts, 0))
        tops = _means(groups, layout.middle_sizes, k)
    root = getattr(head, f"root{suffix}")
    root[: head.n_columns].copy_(torch.cat([single, tops]))


def _means(rows: Tensor, sizes: IntArray, k: int) -> Tensor:
    """Return the means of k consecutive parts of each group; small groups have parts twice."""
    starts = np.append(0, np.cumsum(sizes))[:-1]
    ends = np.arange(k + 1) * sizes[:, None] // k
    low = (starts[:, None] + ends[:, :-1]).ravel()
    lengths = np.maximum(np.diff(ends, axis=1), 1).ravel()
    shift = np.repeat(low - np.append(0, np.cumsum(lengths))[:-1], lengths)
    chosen = torch.from_numpy(np.arange(lengths.sum()) + shift).to(rows.device)
    counts = torch.from_numpy(lengths).to(rows.device)
    flat = rows[chosen]
    found = torch.segment_reduce(flat[:, None] if rows.ndim == 1 else flat, "mean", lengths=counts)
    return found[:, 0] if rows.ndim == 1 else found


def _move_states(old: TreeHead, new: TreeHead) -> None:
    """Move the Adagrad states of the leaves with their classes; the root gets their mean."""
    leaf = [getattr(head, "leaf_state", None) for head in (old, new)]
    if leaf[0] is None or leaf[1] is None or old.n_head != new.n_head:
        return
    inside = new.label_at[new.n_head :].long()
    leaf[1].copy_(leaf[0][old.position[inside].long() - old.n_head])
    root = [getattr(head, "root_state", None) for head in (old, new)]
    if root[0] is not None and root[1] is not None and root[0].ndim == root[1].ndim == 1:
        root[1].fill_(root[0][: old.n_columns].mean())

"""An output layer whose classes are divided among processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from labeltree.arguments import check_integer
from labeltree.torch import plain
from labeltree.torch.head import TreeHead, TreeOutput, as_layout
from labeltree.torch.layout import IntArray, Layout
from labeltree.torch.search import TopK

if TYPE_CHECKING:
    from labeltree.trees import LabelTree


class ShardedTree(nn.Module):
    """An output layer of which each process holds the weights of a part of the classes.

    Every process has rows of its own, and all have the same number. Rows are sent to all processes,
    each computes the scores of its own classes, and the gradients of the rows are sent back. The
    loss, the gradients and the predictions are those of one layer with all classes and all rows.

    Wrap the encoder in `torch.nn.parallel.DistributedDataParallel`, but not this layer. As there,
    the loss of a process is the mean over its own rows. A `TreeSoftmax` needs an ordinary
    optimizer, and waits for the device once per step.

    Parameters
    ----------
    make
        A function from the layout of a part to its layer, a `TreeSoftmax` or a `TreeBCE`.
    tree
        The tree of all classes: a `LabelTree` or a `Layout`, or the number of classes. Processes
        must give the same.
    process_group
        The processes that share the layer; all of them by default.

    Examples
    --------
    >>> import torch.distributed as dist
    >>> from labeltree.torch import ShardedTree, TreeSoftmax
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> layer = ShardedTree(lambda layout: TreeSoftmax(16, layout), 1000)
    >>> layer(torch.randn(4, 16), torch.arange(4)).output.shape
    torch.Size([4])
    >>> dist.destroy_process_group()
    """

    def __init__(
        self,
        make: Callable[[Layout], TreeHead],
        tree: LabelTree | Layout | int,
        *,
        process_group: Any = None,
    ) -> None:
        super().__init__()
        self.layout = as_layout(tree)
        self.n_classes = self.layout.n_labels
        self._make, self._group = make, process_group
        self.rank = dist.get_rank(process_group)
        self.n_shards = dist.get_world_size(process_group)
        self._parts = split(self.layout, self.n_shards)
        part = self._parts[self.rank]
        self.shard = make(part.layout)
        local = np.full(self.n_classes, -1)
        local[part.labels] = np.arange(len(part.labels))
        device = self.shard.root.device
        self.register_buffer("local", torch.as_tensor(local, device=device), persistent=False)
        self.register_buffer("labels", torch.as_tensor(part.labels, device=device), False)

    def forward(self, x: Tensor, target: Tensor) -> TreeOutput:
        """Return the log-likelihood of the target of each row, and the mean negative one.

        Parameters
        ----------
        x
            Rows of this process.
        target
            Class of each row; for `TreeBCE`, labels of each row, (rows, most labels), padded
            with -1.
        """
        rows = _Gathered.apply(self.shard.check_input(x), self._group)
        targets = self._gathered(target)
        local = torch.where(targets < 0, -1, self.local[targets.clamp_min(0)])
        share = self._softmax if self.shard.is_softmax else self._bce
        total, output = share(rows, local)
        own = output[self.rank * len(x) : (self.rank + 1) * len(x)]
        # The gradient of the total is that of the mean over the rows of all processes.
        return TreeOutput(own, total + (-own.mean() - total).detach())

    def _bce(self, rows: Tensor, local: Tensor) -> tuple[Tensor, Tensor]:
        """Return the share of this process in the loss, and the log-likelihoods of all rows."""
        output, loss = self.shard(rows, local)
        return loss, self._summed(output)

    def _softmax(self, rows: Tensor, local: Tensor) -> tuple[Tensor, Tensor]:
        """Return the share of this process in the loss, and the log-likelihoods of all rows.

        The log-probability of a class is that among the classes of its process, plus the share of
        the process in the sum over the columns of all roots.
        """
        if self.shard.fused is not None:
            raise ValueError(
                "a sharded TreeSoftmax must have an ordinary optimizer, but has a fused one; "
                "its root has gradients that are not computed by the layer itself"
            )
        sums, share = self._shares(rows)
        own = (local >= 0).nonzero()[:, 0]
        total = (share.exp() * sums).sum() - sums[own].sum()
        output = torch.zeros_like(share)
        if len(own):
            found = self.shard(rows[own], local[own])
            total = total + found.loss * len(own)
            output[own] = found.output.float() + share[own]
        return total / len(rows), self._summed(output)

    def _shares(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log-sum over the columns of the root, and less that of all processes.

        Only the first has a gradient.
        """
        sums = plain.root_logits(self.shard, rows).float().logsumexp(1)
        every = self._gathered(sums.detach()[None])
        return sums, sums.detach() - every.logsumexp(0)

    @torch.no_grad()
    def predict(self, x: Tensor) -> Tensor:
        """Return the most probable class of each row."""
        return self.top_k(x, 1).classes[:, 0]

    @torch.no_grad()
    def top_k(self, x: Tensor, k: int = 5, *, beam: int | None = None) -> TopK:
        """Return the k most probable classes of each row; see `TreeSoftmax.top_k`."""
        check_integer("k", k, minimum=1, maximum=self.n_classes)
        rows = self._gathered(self.shard.check_input(x))
        found = self.shard.top_k(rows, min(k, self.shard.n_classes), beam=beam)
        value = found.log_prob.float()
        if self.shard.is_softmax:
            value = value + self._shares(rows)[1][:, None]
        missing = (0, k - value.shape[1])
        value = nn.functional.pad(value, missing, value=-torch.inf)
        classes = nn.functional.pad(self.labels[found.classes], missing)
        own = slice(self.rank * len(x), (self.rank + 1) * len(x))
        values, names = (self._gathered(one[None])[:, own] for one in (value, classes))
        best = values.transpose(0, 1).flatten(1).topk(k, 1)
        return TopK(best.values, names.transpose(0, 1).flatten(1).gather(1, best.indices))

    @torch.no_grad()
    def whole(self) -> TreeHead:
        """Return a layer with the weights of all processes, such as for `to_classifier`."""
        head = self._make(self.layout)
        for i, part in enumerate(self._parts):
            for name, places in self._places(part, head).items():
                full = getattr(head, name)
                sent = full[places]
                if i == self.rank:
                    sent = getattr(self.shard, name)[: len(places)].to(full).contiguous()
                dist.broadcast(sent, self._global_rank(i), group=self._group)
                full[places] = sent
        return head

    @torch.no_grad()
    def take(self, head: TreeHead) -> None:
        """Take over the part of this process of the weights of a layer with all classes."""
        for name, places in self._places(self._parts[self.rank], head).items():
            getattr(self.shard, name)[: len(places)] = getattr(head, name)[places]

    def _places(self, part: Part, head: TreeHead) -> dict[str, Tensor]:
        """Return the rows of the weights of all classes that a part has, by name."""
        device = head.root.device
        found = part.rows(self.layout, head.n_prototypes)
        names = [(f"{name}{end}", rows) for name, rows in found.items() for end in ("", "_bias")]
        return {
            name: torch.as_tensor(rows, device=device)
            for name, rows in names
            if getattr(head, name) is not None
        }

    def _global_rank(self, rank: int) -> int:
        return rank if self._group is None else dist.get_global_rank(self._group, rank)

    def _gathered(self, own: Tensor) -> Tensor:
        return _gathered(own, self._group)

    def _summed(self, values: Tensor) -> Tensor:
        summed = values.detach().clone()
        dist.all_reduce(summed, group=self._group)
        return summed


class Part:
    """The children of the root that one process has, and the classes below them."""

    def __init__(self, layout: Layout, heads: slice, tops: slice) -> None:
        self._heads, self._tops = heads, tops
        groups = tops
        middle = None
        if layout.middle_sizes is not None:
            middle = layout.middle_sizes[tops]
            ends = np.append(0, np.cumsum(layout.middle_sizes))
            groups = slice(int(ends[tops.start]), int(ends[tops.stop]))
        ends = np.append(0, np.cumsum(layout.group_sizes))
        self._groups = groups
        self._leaves = slice(int(ends[groups.start]), int(ends[groups.stop]))
        below = layout.order[layout.n_head :][self._leaves]
        self.labels: IntArray = np.concatenate([layout.order[heads], below])
        n_head = heads.stop - heads.start
        numbers = np.arange(len(self.labels))
        self.layout = Layout(numbers, n_head, layout.group_sizes[groups], middle)

    def rows(self, layout: Layout, n_prototypes: int) -> dict[str, IntArray]:
        """Return the rows of the weights of each level in a layer with all classes."""
        k = n_prototypes
        columns = layout.n_head + np.arange(self._tops.start * k, self._tops.stop * k)
        heads = np.arange(self._heads.start, self._heads.stop)
        return {
            "root": np.concatenate([heads, columns]),
            "middle": np.arange(self._groups.start, self._groups.stop),
            "leaf": np.arange(self._leaves.start, self._leaves.stop),
        }


def split(layout: Layout, n_parts: int) -> list[Part]:
    """Return parts of consecutive children of the root, with about the same numbers of classes."""
    if layout.n_top < n_parts:
        raise ValueError(
            f"the root must have at least one group for each of {n_parts} processes, "
            f"but has {layout.n_top}; use smaller groups"
        )
    sizes = layout.group_sizes
    if layout.middle_sizes is not None:
        sizes = np.add.reduceat(sizes, np.append(0, np.cumsum(layout.middle_sizes)[:-1]))
    wanted = np.arange(1, n_parts) * sizes.sum() / n_parts
    cuts = np.searchsorted(np.cumsum(sizes), wanted) + 1
    steps = np.arange(1, n_parts)  # no part may be empty
    cuts = np.clip(
        np.maximum.accumulate(cuts - steps) + steps, steps, layout.n_top - n_parts + steps
    )
    tops = [0, *cuts.tolist(), layout.n_top]
    heads = (np.arange(n_parts + 1) * layout.n_head // n_parts).tolist()
    return [
        Part(layout, slice(heads[i], heads[i + 1]), slice(tops[i], tops[i + 1]))
        for i in range(n_parts)
    ]


def _gathered(own: Tensor, group: Any) -> Tensor:
    """Return the rows of all processes, in the order of their ranks."""
    own = own.contiguous()
    parts = [torch.empty_like(own) for _ in range(dist.get_world_size(group))]
    dist.all_gather(parts, own, group=group)
    return torch.cat(parts)


class _Gathered(torch.autograd.Function):
    """The rows of all processes.

    Backward, a row gets the sum of its gradients, times the number of processes: that of the mean
    over the rows of its own process.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, group: Any) -> Tensor:
        ctx.group, ctx.n_rows = group, len(x)
        return _gathered(x, group)

    @staticmethod
    @once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, gradient: Tensor) -> Any:
        summed = gradient.float()  # sums of many small numbers
        summed = summed.clone() if summed is gradient else summed
        dist.all_reduce(summed, group=ctx.group)
        first = dist.get_rank(ctx.group) * ctx.n_rows
        own = summed[first : first + ctx.n_rows] * dist.get_world_size(ctx.group)
        return own.to(gradient.dtype), None

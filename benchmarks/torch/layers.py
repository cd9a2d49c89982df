"""The layers that a tree replaces, trained in the same loop as trees."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labeltree.torch import TopK, TreeOutput

MULTIPLE = 64  # of the rows of the weights, for the speed of matrix products


class FullSoftmax(nn.Module):
    """A softmax over all classes, in bfloat16 with weights in float32."""

    def __init__(self, in_features: int, n_classes: int) -> None:
        super().__init__()
        self.n_classes = n_classes
        padded = -(-n_classes // MULTIPLE) * MULTIPLE
        self.weight = nn.Parameter(torch.randn(padded, in_features) * 0.02)

    def scores(self, x: Tensor) -> Tensor:
        """Return the logits of all classes."""
        return (x.bfloat16() @ self.weight.bfloat16().t())[:, : self.n_classes].float()

    def forward(self, x: Tensor, target: Tensor) -> TreeOutput:
        """Return the log-probabilities of the targets and the loss."""
        nll = F.cross_entropy(self.scores(x), target, reduction="none")
        return TreeOutput(-nll.detach(), nll.mean())

    def top_k(self, x: Tensor, k: int) -> TopK:
        """Return the k best classes."""
        return TopK(*self.scores(x).topk(k, 1))


class AdaptiveSoftmax(nn.Module):
    """The adaptive softmax of torch, over classes in the order of their frequency."""

    def __init__(
        self, in_features: int, counts: Tensor, cutoffs: list[int], div_value: float
    ) -> None:
        super().__init__()
        order = torch.argsort(counts, descending=True, stable=True)
        rank = torch.empty_like(order)
        rank[order] = torch.arange(len(order))
        self.register_buffer("rank", rank)
        self.register_buffer("order", order)
        self.layer = nn.AdaptiveLogSoftmaxWithLoss(
            in_features, len(order), cutoffs, div_value=div_value
        )

    def forward(self, x: Tensor, target: Tensor) -> Any:
        """Return the log-probabilities of the targets and the loss."""
        with torch.autocast("cuda", torch.bfloat16):
            output, loss = self.layer(x, self.rank[target])
        return TreeOutput(output.detach().float(), loss)

    def top_k(self, x: Tensor, k: int) -> TopK:
        """Return the k best classes."""
        with torch.autocast("cuda", torch.bfloat16):
            found = self.layer.log_prob(x).float().topk(k, 1)
        return TopK(found.values, self.order[found.indices])


class OneVersusAll(FullSoftmax):
    """One sigmoid per label, in bfloat16 with weights in float32."""

    def __init__(self, in_features: int, n_classes: int, first_bias: float) -> None:
        super().__init__(in_features, n_classes)
        self.bias = nn.Parameter(torch.full((n_classes,), first_bias))

    def scores(self, x: Tensor) -> Tensor:
        """Return the logits of all labels."""
        return super().scores(x) + self.bias

    def forward(self, x: Tensor, target: Tensor, offsets: Tensor) -> TreeOutput:  # type: ignore[override]
        """Return the log-likelihoods of the labels of each row and the loss."""
        z = self.scores(x)
        ends = torch.cat([offsets[1:], offsets.new_full((1,), len(target))])
        row = torch.repeat_interleave(
            torch.arange(len(x), device=x.device), ends - offsets, output_size=len(target)
        )
        loss = F.softplus(z).sum() - z[row, target].sum()
        return TreeOutput(z.detach()[:, 0], loss / len(x))


class OneVersusAllClasses(OneVersusAll):
    """One sigmoid per class, for one class per row."""

    def forward(self, x: Tensor, target: Tensor) -> TreeOutput:  # type: ignore[override]
        """Return the log-likelihoods of the rows and the loss."""
        return super().forward(x, target, torch.arange(len(x), device=x.device))

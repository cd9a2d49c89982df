"""An output layer for any number of labels per row: a sigmoid at every node of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from labeltree.torch import plain
from labeltree.torch.head import TreeHead, TreeOutput
from labeltree.torch.layout import Layout
from labeltree.torch.loss import tree_loss

if TYPE_CHECKING:
    from labeltree.trees import LabelTree


class TreeBCE(TreeHead):
    """Output layer for any number of labels per row: a probabilistic label tree.

    Every node estimates the probability that its subtree has a label of the row, given that its
    parent's does. A training step touches the root and the groups of the labels of each row.

    Parameters
    ----------
    in_features
        Number of features of a row; a multiple of 16 on a GPU.
    tree
        A `LabelTree` or a `Layout`, or the number of labels.
    bias
        Whether nodes have a bias.
    device, dtype
        Device and precision of the weights.

    Examples
    --------
    >>> import torch
    >>> from labeltree.torch import TreeBCE
    >>> head = TreeBCE(16, 100)
    >>> target = torch.tensor([[3, 7], [4, -1]])  # padded with -1
    >>> output, loss = head(torch.randn(2, 16), target)
    >>> output.shape, loss.shape
    (torch.Size([2]), torch.Size([]))
    """

    is_softmax = False

    def __init__(
        self,
        in_features: int,
        tree: LabelTree | Layout | int,
        *,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_features, tree, n_prototypes=1, bias=bias, device=device, dtype=dtype)

    def forward(self, x: Tensor, target: Tensor, offsets: Tensor | None = None) -> TreeOutput:
        """Return the log-likelihood of the labels of each row, and the mean negative one.

        Parameters
        ----------
        x
            The rows.
        target
            Labels of each row, (rows, most labels), padded with -1. With `offsets`, the labels of
            all rows in one dimension.
        offsets
            Where the labels of each row start, as in `torch.nn.EmbeddingBag`.
        """
        x = self.check_input(x)
        labels, start = _entries(x, target, offsets)
        if self.uses_kernels(x):
            loss, rows = tree_loss(self, x, labels, start)
            return TreeOutput(-rows, loss)
        row = torch.repeat_interleave(torch.arange(len(x), device=x.device), start.diff())
        real = labels != -1
        output = plain.bce_log_likelihood(self, x, row[real], labels[real])
        return TreeOutput(output.detach(), -output.mean())

    def log_prob(self, x: Tensor) -> Tensor:
        """Return the log-probability of every label, (rows, n_classes)."""
        return plain.bce_log_prob(self, self.check_input(x))

    @torch.no_grad()
    def predict(self, x: Tensor, threshold: float = 0.5) -> Tensor:
        """Return which labels are at least as probable as the threshold, (rows, n_classes)."""
        return self.log_prob(x).exp() >= threshold


def _entries(x: Tensor, target: Tensor, offsets: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return the labels of all rows in one dimension, and where each row starts and ends."""
    if offsets is None:
        if target.ndim != 2 or len(target) != len(x):
            raise ValueError(
                f"target must have the shape ({len(x)}, labels), but has {tuple(target.shape)}; "
                "give offsets for labels in one dimension"
            )
        width = target.shape[1]
        start = torch.arange(0, (len(x) + 1) * width, width, device=x.device, dtype=torch.int32)
        return target.reshape(-1), start
    if offsets.shape != x.shape[:1] or target.ndim != 1:
        raise ValueError(
            f"target must have one dimension and offsets the shape ({len(x)},), "
            f"but they have {tuple(target.shape)} and {tuple(offsets.shape)}"
        )
    end = offsets.new_full((1,), len(target))
    return target, torch.cat([offsets, end]).int()

"""An output layer for one class per row: a softmax at every node of a tree."""

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


class TreeSoftmax(TreeHead):
    """Output layer for one class per row, with exactly normalized probabilities.

    The probability of a class is the product of softmax probabilities along its path. A training
    step touches the root and one group per row instead of all classes. The interface follows
    `torch.nn.AdaptiveLogSoftmaxWithLoss`, but classes need not be sorted by frequency.

    Parameters
    ----------
    in_features
        Number of features of a row; a multiple of 16 on a GPU.
    tree
        A `LabelTree` or a `Layout`, or the number of classes. Similar classes should be in the same
        group; see `cluster`. With a number, consecutive classes form groups of 64.
    n_prototypes
        Number of weight vectors of each group at the root. The probability of a group is the sum
        over its vectors. More of them come closer to a full softmax and cost more.
    bias
        Whether nodes have a bias.
    device, dtype
        Device and precision of the weights.

    Examples
    --------
    >>> import torch
    >>> from labeltree.torch import TreeSoftmax
    >>> head = TreeSoftmax(16, 100)
    >>> x, target = torch.randn(8, 16), torch.arange(8)
    >>> output, loss = head(x, target)
    >>> output.shape, loss.shape
    (torch.Size([8]), torch.Size([]))
    >>> torch.allclose(head.log_prob(x).exp().sum(1), torch.ones(8))
    True
    >>> head.top_k(x, 3).classes.shape
    torch.Size([8, 3])
    """

    def __init__(
        self,
        in_features: int,
        tree: LabelTree | Layout | int,
        *,
        n_prototypes: int = 1,
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_features, tree, n_prototypes=n_prototypes, bias=bias, device=device, dtype=dtype
        )

    def forward(self, x: Tensor, target: Tensor) -> TreeOutput:
        """Return the log-probability of the target of each row, and the mean negative one.

        Gradients flow through the loss only. On a GPU, a target that is no class makes the loss
        NaN, because a check would wait for the device.
        """
        x = self.check_input(x)
        if target.shape != x.shape[:1]:
            raise ValueError(
                f"target must have the shape ({len(x)},), but has {tuple(target.shape)}"
            )
        if self.uses_kernels(x):
            loss, rows = tree_loss(self, x, target, None)
            return TreeOutput(-rows, loss)
        output = plain.softmax_log_likelihood(self, x, target)
        return TreeOutput(output.detach(), -output.mean())

    def log_prob(self, x: Tensor) -> Tensor:
        """Return the log-probability of every class, (rows, n_classes)."""
        return plain.softmax_log_prob(self, self.check_input(x))

    @torch.no_grad()
    def predict(self, x: Tensor) -> Tensor:
        """Return the most probable class of each row."""
        return self.top_k(x, 1).classes[:, 0]

"""CUDA graphs of an output layer, which need far less time of the host than single kernels."""

from __future__ import annotations

from typing import Any, TypeVar

import torch
from torch import Tensor

from labeltree.arguments import check_integer
from labeltree.torch.head import TreeHead

Head = TypeVar("Head", bound=TreeHead)


def graphed(head: Head, n_rows: int, *, n_labels: int | None = None) -> Head:
    """Let a layer on a GPU run as CUDA graphs where batches have the given shape, and return it.

    A graph starts all kernels of a pass at once. Rows need a gradient, and batches of another shape
    run as before. The gradient of a parameter is valid until the next backward pass, so gradients
    do not accumulate over passes. Call it after the layer has its optimizer and its device.

    Parameters
    ----------
    head
        The layer, on a GPU.
    n_rows
        Number of rows of a batch.
    n_labels
        For `TreeBCE`, the number of columns of padded targets.

    Examples
    --------
    >>> import torch
    >>> from labeltree.torch import TreeSoftmax, graphed
    >>> if torch.cuda.is_available():
    ...     head = graphed(TreeSoftmax(64, 1000, device="cuda"), 256)
    """
    check_integer("n_rows", n_rows, minimum=1)
    device = head.root.device
    if device.type != "cuda":
        raise ValueError(f"head must be on a GPU to have CUDA graphs, but is on {device}")
    head.__dict__.pop("forward", None)
    x = torch.zeros(n_rows, head.in_features, device=device, dtype=head.root.dtype)
    shape = (n_rows,) if n_labels is None else (n_rows, n_labels)
    target = torch.zeros(shape, device=device, dtype=torch.int64)
    kept = _states(head)
    torch.cuda.make_graphed_callables(head, (x.requires_grad_(), target), allow_unused_input=True)
    with torch.no_grad():
        for name, state in kept.items():
            getattr(head, name).copy_(state)
    captured, usual = head.forward, type(head).forward

    def forward(x: Tensor, target: Tensor, *more: Any) -> Any:
        is_same = x.shape == (n_rows, head.in_features) and target.shape == shape and not more
        if is_same and x.requires_grad and torch.is_grad_enabled():
            return captured(x, target)
        return usual(head, x, target, *more)  # type: ignore[call-arg]

    head.forward = forward  # type: ignore[method-assign]
    return head


def _states(head: TreeHead) -> dict[str, Tensor]:
    """Return copies of all that a fused optimizer may change.

    Warming up takes any number for the gradient of the loss, even NaN.
    """
    tensors = [] if head.fused is None else [*head.named_parameters(), *head.named_buffers()]
    return {name: tensor.detach().clone() for name, tensor in tensors}

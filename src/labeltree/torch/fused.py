"""Optimizers that change the weights of an output layer during the backward pass."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from labeltree.arguments import shown
from labeltree.torch.head import TreeHead

if TYPE_CHECKING:
    from labeltree.torch.kernels.launch import Update

#: By name: the method of the kernels.
METHODS = {"sgd": 1, "adagrad": 2, "adam": 3}
BETAS = (0.9, 0.99)
EPS = 1e-8


class FusedOptimizer(torch.optim.Optimizer):
    """Update an output layer during ``loss.backward()``, group by group.

    No gradient of the weights is stored, and groups without rows are not read. "adagrad" keeps one
    number per node. Weights in bfloat16 are kept with the 16 bits that they lack, so that they are
    updated in single precision. ``step`` only takes over changed learning rates, so that schedulers
    work as usual. Every backward pass is an update; to accumulate gradients over several passes,
    use an ordinary optimizer instead. States are buffers of the layer and part of its
    ``state_dict``.

    Parameters
    ----------
    head
        The output layer.
    method
        "adagrad" (one learning rate per node) or "sgd".
    lr
        Learning rate.
    root_method
        "adam", "adagrad" or "sgd" for the root, which all rows train; `method` by default.
    root_lr
        Learning rate of the root; `lr` by default.

    Examples
    --------
    >>> import torch
    >>> from labeltree.torch import FusedOptimizer, TreeSoftmax
    >>> head = TreeSoftmax(16, 100)
    >>> optimizer = FusedOptimizer(head, lr=0.05)
    >>> before = head.leaf.detach().clone()
    >>> head(torch.ones(2, 16), torch.tensor([3, 4])).loss.backward()
    >>> bool((head.leaf != before).any()), head.leaf.grad
    (True, None)
    """

    def __init__(
        self,
        head: TreeHead,
        method: str = "adagrad",
        *,
        lr: float = 0.02,
        root_method: str | None = None,
        root_lr: float | None = None,
    ) -> None:
        root_method = method if root_method is None else root_method
        root_lr = lr if root_lr is None else root_lr
        _check(head, method, root_method, lr, root_lr)
        self._head = head
        self._methods = {"root": METHODS[root_method]}
        self._methods |= dict.fromkeys(("middle", "leaf"), METHODS[method])
        root = [p for p in (head.root, head.root_bias) if p is not None]
        rest = [p for name, p in head.named_parameters() if not name.startswith("root")]
        groups = [{"params": root, "lr": root_lr}, {"params": rest, "lr": lr}]
        super().__init__(groups, {"lr": lr})
        device = head.root.device
        self._set_rates = [root_lr, lr]
        self.rates = [torch.full((), rate, device=device) for rate in self._set_rates]
        head.register_buffer("n_updates", torch.zeros((), device=device))
        for name in self._levels():
            self._add_buffers(name)
            for parameter in (getattr(head, name), getattr(head, f"{name}_bias")):
                if parameter is not None:
                    hook = functools.partial(_call, self._plain, name)
                    parameter.register_post_accumulate_grad_hook(hook)
        head.fused = self

    def _levels(self) -> list[str]:
        return [n for n in ("root", "middle", "leaf") if getattr(self._head, n) is not None]

    def _add_buffers(self, name: str) -> None:
        for part in (name, f"{name}_bias"):
            weight = getattr(self._head, part)
            if weight is None:
                continue
            if self._methods[name] == METHODS["adam"]:
                state = torch.zeros(2, *weight.shape, device=weight.device)
                self._head.register_buffer(f"{part}_state", state)
            elif part == name:
                self._head.register_buffer(
                    f"{part}_state", torch.zeros(len(weight), device=weight.device)
                )
            if weight.dtype == torch.bfloat16:
                low = torch.zeros_like(weight, dtype=torch.int16)
                self._head.register_buffer(f"{part}_low", low)

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """Take over the learning rates of the parameter groups; the weights are up to date."""
        for i, group in enumerate(self.param_groups):
            if group["lr"] != self._set_rates[i]:
                self.rates[i].fill_(group["lr"])
                self._set_rates[i] = group["lr"]
        return None if closure is None else closure()

    def update(self, arguments: tuple[Any, ...]) -> None:
        """Apply the gradients of one backward pass by kernels."""
        from labeltree.torch.kernels import steps

        self._count()
        steps.weight_updates([self._update(name) for name in self._levels()], *arguments)

    def _count(self) -> None:
        """Count the updates for Adam; the other methods save the launch."""
        if METHODS["adam"] in self._methods.values():
            self._head.n_updates += 1

    def _update(self, name: str) -> Update:
        from labeltree.torch.kernels.launch import Update

        def buffer(suffix: str) -> Tensor | None:
            return getattr(self._head, f"{name}{suffix}", None)

        state = buffer("_state")
        assert state is not None
        return Update(
            self._methods[name],
            buffer("_low"),
            buffer("_bias_low"),
            state,
            buffer("_bias_state"),
            self.rates[name != "root"],
            self._head.n_updates,
            EPS,
        )

    @torch.no_grad()
    def _plain(self, name: str) -> None:
        """Apply the gradients that the plain path leaves, once a level has all of its own."""
        weight, bias = getattr(self._head, name), getattr(self._head, f"{name}_bias")
        if weight.grad is None or (bias is not None and bias.grad is None):
            return
        if name == "root":
            self._count()
        update = self._update(name)
        if update.method == METHODS["adam"]:
            _plain_adam(weight, update.state, update)
            if bias is not None and update.bias_state is not None:
                _plain_adam(bias, update.bias_state, update)
        else:
            _plain_rows(weight, bias, update)
        weight.grad = None
        if bias is not None:
            bias.grad = None


def _plain_rows(weight: Tensor, bias: Tensor | None, update: Update) -> None:
    """Subtract the gradients, divided by the root of the sum of squares of the row by Adagrad."""
    assert weight.grad is not None
    step = update.rate.to(weight.dtype).expand(len(weight))
    if update.method == METHODS["adagrad"]:
        square = torch.linalg.vector_norm(weight.grad, dim=1).square()
        if bias is not None and bias.grad is not None:
            square = square + bias.grad.square()
        update.state.add_(square / weight.shape[1])
        step = step / (update.state.sqrt() + update.eps)
    weight.addcmul_(weight.grad, step[:, None], value=-1)  # one pass over the weights
    if bias is not None and bias.grad is not None:
        bias -= bias.grad * step


def _plain_adam(weight: Tensor, state: Tensor, update: Update) -> None:
    assert weight.grad is not None
    for i, power in enumerate((1, 2)):
        state[i].mul_(BETAS[i]).add_(weight.grad**power, alpha=1 - BETAS[i])
    mean, square = (state[i] / (1 - BETAS[i] ** update.count) for i in range(2))
    weight -= (update.rate * mean / (square.sqrt() + update.eps)).to(weight.dtype)


def _check(head: TreeHead, method: str, root_method: str, lr: float, root_lr: float) -> None:
    if method not in ("adagrad", "sgd"):
        raise ValueError(f"method must be 'adagrad' or 'sgd', but is {shown(method)}")
    if root_method not in METHODS:
        raise ValueError(
            f"root_method must be 'adam', 'adagrad' or 'sgd', but is {shown(root_method)}"
        )
    for name, value in (("lr", lr), ("root_lr", root_lr)):
        if not value >= 0:
            raise ValueError(f"{name} must be at least 0, but is {shown(value)}")
    if head.fused is not None:
        raise ValueError("head must have one fused optimizer, but has one already")


def _call(update: Callable[[str], None], name: str, _: Tensor) -> None:
    update(name)

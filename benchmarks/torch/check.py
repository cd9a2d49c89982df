"""The kernels on the GPU against the plain path in float64, and the same bits in every run."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import torch
from torch import Tensor

from benchmarks.torch.timing import Recorder
from labeltree.torch import FusedOptimizer, Layout, TreeBCE, TreeSoftmax, graphed, plain

CASES = (
    (3000, 100, 60, None, 4, 512, False),
    (3000, 100, 100, None, 1, 512, True),
    (3000, 0, 60, 7, 1, 512, False),
    (3000, 10, 60, 7, 3, 768, True),
    (5000, 64, 256, None, 1, 256, False),
)


def check_kernels(recorder: Recorder) -> None:
    """Record the relative errors of losses, gradients, updates and searches."""
    for n_labels, n_head, size, middle, n_prototypes, d, bias in CASES:
        layout = Layout.even(n_labels, group_size=size, middle_size=middle, n_head=n_head)
        softmax = TreeSoftmax(d, layout, n_prototypes=n_prototypes, bias=bias)
        recorder.part(f"softmax {layout.n_groups}", partial(_check_softmax, recorder, softmax))
        labels = TreeBCE(d, layout, bias=bias)
        recorder.part(f"bce {layout.n_groups}", partial(_check_bce, recorder, labels))


def _check_softmax(recorder: Recorder, head: Any) -> None:
    head = _drawn(head)
    x = torch.randn(1000, head.in_features, device="cuda").bfloat16().requires_grad_()
    target = (torch.rand(1000, device="cuda") ** 2 * head.n_classes).long()
    wide, same = copy.deepcopy(head).double(), x.detach().double().requires_grad_()
    output, loss = head(x, target)
    found = torch.autograd.grad(loss, [x, *head.parameters()])
    again = torch.autograd.grad(head(x, target).loss, [x, *head.parameters()])
    wanted_output = plain.softmax_log_likelihood(wide, same, target)
    wanted = torch.autograd.grad(-wanted_output.mean(), [same, *wide.parameters()])
    recorder.add(
        what="check softmax",
        head=head.extra_repr(),
        bias=head.root_bias is not None,
        output=_error(output, wanted_output),
        gradients=[_error(a, b) for a, b in zip(found, wanted, strict=True)],
        same_bits=all(torch.equal(a, b) for a, b in zip(found, again, strict=True)),
        updates=[_check_update(head, x, target, m) for m in ("sgd", "adagrad")],
        search=_check_search(head, x),
        graphs=_check_graphs(head, x, target),
    )


def _check_bce(recorder: Recorder, head: Any) -> None:
    head = _drawn(head)
    n = 300
    x = torch.randn(n, head.in_features, device="cuda").bfloat16().requires_grad_()
    target = torch.randint(-1, head.n_classes, (n, 7), device="cuda")
    target[:, 5] = target[:, 4] + 1 - 2 * (target[:, 4] == head.n_classes - 1).long()
    wide, same = copy.deepcopy(head).double(), x.detach().double().requires_grad_()
    output, loss = head(x, target)
    found = torch.autograd.grad(loss, [x, *head.parameters()])
    again = torch.autograd.grad(head(x, target).loss, [x, *head.parameters()])
    row = torch.arange(n, device="cuda")[:, None].expand_as(target)[target >= 0]
    wanted_output = plain.bce_log_likelihood(wide, same, row, target[target >= 0])
    wanted = torch.autograd.grad(-wanted_output.mean(), [same, *wide.parameters()])
    recorder.add(
        what="check bce",
        head=head.extra_repr(),
        bias=head.root_bias is not None,
        output=_error(output, wanted_output),
        gradients=[_error(a, b) for a, b in zip(found, wanted, strict=True)],
        same_bits=all(torch.equal(a, b) for a, b in zip(found, again, strict=True)),
        updates=[_check_update(head, x, target, m) for m in ("sgd", "adagrad")],
        search=_check_search(head, x),
        graphs=_check_graphs(head, x, target),
    )


def _check_graphs(head: Any, x: Tensor, target: Tensor) -> float:
    """Return the largest relative error of CUDA graphs, with gradients and with fused updates.

    Matrix products may be computed by other kernels in a graph.
    """
    errors = []
    n_labels = None if target.ndim == 1 else target.shape[1]
    for method in (None, "adagrad"):
        found = []
        for is_graphed in (False, True):
            own, rows = copy.deepcopy(head), x.detach().clone().requires_grad_()
            if method is not None:
                FusedOptimizer(own, method, lr=0.1)
            if is_graphed:
                graphed(own, len(x), n_labels=n_labels)
            for _ in range(2):
                own.zero_grad(set_to_none=True)
                rows.grad = None
                loss = own(rows, target).loss
                loss.backward()
            kept = [p if p.grad is None else p.grad for p in own.parameters()]
            found.append([t.detach().clone() for t in (loss, rows.grad, *kept)])
        errors += [_error(a, b) for a, b in zip(*found, strict=True)]
    return _largest(errors)


def _check_update(head: Any, x: Tensor, target: Tensor, method: str) -> float:
    """Return the largest relative error of a fused update, against the dense gradients."""
    dense = torch.autograd.grad(head(x, target).loss, list(head.parameters()))
    gradient = dict(zip((name for name, _ in head.named_parameters()), dense, strict=True))
    fused = copy.deepcopy(head)
    FusedOptimizer(fused, method, lr=0.1)
    torch.autograd.grad(fused(x, target).loss, [x])
    errors = []
    for name, parameter in fused.named_parameters():
        level = name.removesuffix("_bias")
        step = gradient[name].float()
        if method == "adagrad":
            square = gradient[level].float().square().sum(1)
            if f"{level}_bias" in gradient:
                square = square + gradient[f"{level}_bias"].float().square()
            rate = 1 / ((square / head.in_features).sqrt() + 1e-8)
            step = step * (rate[:, None] if step.ndim == 2 else rate)
        low = getattr(fused, f"{name}_low").int()
        new = ((parameter.detach().view(torch.int16).int() << 16) + low).view(torch.float32)
        errors.append(_error(new - getattr(head, name).detach().float(), -0.1 * step))
    return _largest(errors)


def _check_search(head: Any, x: Tensor) -> dict[str, float]:
    """Return the largest error of values, and of the probabilities of the labels found."""
    x = x.detach()[:200]
    # The same rounding of the root as in the layer; the rest in float32.
    wide = copy.deepcopy(head).float()
    log_prob = wide.log_prob(x.float()).detach()
    exact, beam = head.top_k(x, 5), head.top_k(x, 5, beam=3)
    best = log_prob.topk(5, 1).values
    own = {
        name: log_prob.gather(1, one.classes) for name, one in (("exact", exact), ("beam", beam))
    }
    return {
        "exact_loss": float((best - own["exact"]).max()),
        "exact_value": float((exact.log_prob - own["exact"]).abs().max()),
        "beam_value": float((beam.log_prob - own["beam"]).abs().max()),
    }


def _drawn(head: Any) -> Any:
    head = head.to("cuda")
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.normal_(std=0.15)
        head.root[head.n_columns :] = 0
    return head.to(torch.bfloat16)


def _largest(errors: list[float]) -> float:
    """Return the largest error, or NaN if one is NaN, which max would drop."""
    return float(torch.tensor(errors, dtype=torch.float64).max())


def _error(found: Tensor, wanted: Tensor) -> float:
    wide = wanted.detach().double()
    return float((found.double() - wide).norm() / wide.norm().clamp_min(1e-30))

"""Optimizers that update a layer during the backward pass, in plain PyTorch."""

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree.torch import FusedOptimizer

from .heads import classes, rows, softmax


def test_sgd_is_that_of_torch() -> None:
    head, other, x, target = softmax(bias=True), softmax(bias=True), rows(), classes()
    FusedOptimizer(head, "sgd", lr=0.1)
    head(x, target).loss.backward()
    other(x, target).loss.backward()
    torch.optim.SGD(other.parameters(), lr=0.1).step()
    for one, wanted in zip(head.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one, wanted)


def test_adagrad_divides_by_the_root_mean_square_of_the_row() -> None:
    head, other, x, target = softmax(), softmax(), rows(), classes()
    FusedOptimizer(head, lr=0.1)
    for _ in range(2):
        head(x, target).loss.backward()
    state = torch.zeros(len(other.leaf))
    for _ in range(2):
        root, leaf = torch.autograd.grad(other(x, target).loss, [other.root, other.leaf])
        state += leaf.square().mean(1)
        with torch.no_grad():
            other.leaf -= 0.1 * leaf / (state.sqrt() + 1e-8)[:, None]
            other.root.copy_(_one_step(other.root, root, head, other))
    torch.testing.assert_close(head.leaf_state, state)
    torch.testing.assert_close(head.leaf, other.leaf)


def _one_step(weight, gradient, head, other):
    if not hasattr(other, "seen"):
        other.seen = torch.zeros(len(weight))
    other.seen += gradient.square().mean(1)
    return weight - 0.1 * gradient / (other.seen.sqrt() + 1e-8)[:, None]


def test_adam_at_the_root_is_that_of_torch() -> None:
    head, other, x, target = softmax(bias=True), softmax(bias=True), rows(), classes()
    FusedOptimizer(head, "sgd", lr=0.1, root_method="adam", root_lr=0.01)
    root = torch.optim.Adam([other.root, other.root_bias], lr=0.01, betas=(0.9, 0.99))
    leaf = torch.optim.SGD([other.leaf, other.leaf_bias], lr=0.1)
    for _ in range(3):
        head(x, target).loss.backward()
        other.zero_grad()
        other(x, target).loss.backward()
        root.step()
        leaf.step()
    for one, wanted in zip(head.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one, wanted)


def test_no_gradient_is_left() -> None:
    head = softmax()
    FusedOptimizer(head)
    head(rows(), classes()).loss.backward()
    assert all(parameter.grad is None for parameter in head.parameters())


def test_rows_still_get_their_gradient() -> None:
    head, x = softmax(), rows().requires_grad_()
    FusedOptimizer(head)
    head(x, classes()).loss.backward()
    assert x.grad.abs().sum() > 0


def test_a_scheduler_sets_the_rate_of_the_next_update() -> None:
    head = softmax()
    optimizer = FusedOptimizer(head, "sgd", lr=1.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.0 if step else 1.0)
    head(rows(), classes()).loss.backward()
    optimizer.step()
    schedule.step()
    optimizer.step()
    before = head.leaf.detach().clone()
    head(rows(), classes()).loss.backward()
    assert torch.equal(head.leaf, before)


def test_a_checkpoint_continues_with_the_same_bits() -> None:
    x, target = rows(), classes()
    head, other = softmax(), softmax()
    FusedOptimizer(head)
    FusedOptimizer(other)
    head(x, target).loss.backward()
    other.load_state_dict(head.state_dict())
    for one in (head, other):
        one(x, target).loss.backward()
    assert torch.equal(head.leaf, other.leaf)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^method must be 'adagrad' or 'sgd', but is 'adam'$"):
        FusedOptimizer(softmax(), "adam")


def test_a_second_optimizer_is_refused() -> None:
    head = softmax()
    FusedOptimizer(head)
    with pytest.raises(ValueError, match=r"^head must have one fused optimizer"):
        FusedOptimizer(head)

"""TreeBCE in plain PyTorch, against its definition in float64."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")
F = torch.nn.functional

from .heads import NO_HEAD, THREE, TWO, all_log_prob, bce, rows

TARGET = torch.tensor([[3, 7, 40], [41, -1, 42], [-1, -1, -1], [59, 59, 0]])


def middle_loss(head, x, labels):
    """Return the loss over the children of every positive middle node of one row."""
    layout = head.layout
    deep = [label for label in labels if layout.group[label] >= 0]
    above = np.repeat(np.arange(layout.n_top), layout.middle_sizes)
    positive = {int(layout.group[label]) for label in deep}
    total = torch.zeros((), dtype=x.dtype)
    for node in {int(above[group]) for group in positive}:
        own = np.flatnonzero(above == node).tolist()
        z = F.linear(x, head.middle[own], head.middle_bias[own])
        hot = torch.tensor([float(group in positive) for group in own], dtype=x.dtype)
        total = total + F.binary_cross_entropy_with_logits(z, hot, reduction="sum")
    return total


def loss_by_definition(head, x, target):
    """Return the loss over the children of the root and of every positive group."""
    layout = head.layout
    n = layout.n_head
    total = torch.zeros(len(x), dtype=x.dtype)
    for i, labels in enumerate(target.tolist()):
        labels = {label for label in labels if label >= 0}
        top = F.linear(x[i], head.root, head.root_bias)[: head.n_columns]
        hot = torch.zeros_like(top)
        hot[[int(layout.top[label]) for label in labels]] = 1
        total[i] += F.binary_cross_entropy_with_logits(top, hot, reduction="sum")
        if layout.middle_sizes is not None:
            total[i] += middle_loss(head, x[i], labels)
        for group in {int(layout.group[label]) for label in labels} - {-1}:
            own = layout.order[n:][layout.group[layout.order[n:]] == group].tolist()
            places = [int(layout.position[label]) - n for label in own]
            z = F.linear(x[i], head.leaf[places], head.leaf_bias[places])
            hot = torch.tensor([float(label in labels) for label in own], dtype=x.dtype)
            total[i] += F.binary_cross_entropy_with_logits(z, hot, reduction="sum")
    return total


@pytest.mark.parametrize("layout", [TWO, NO_HEAD, THREE])
def test_the_loss_is_that_of_the_nodes_of_algorithm_1(layout) -> None:
    head, x = bce(layout).double(), rows(4, dtype=torch.float64)
    output, loss = head(x, TARGET)
    wanted = loss_by_definition(head, x, TARGET)
    torch.testing.assert_close(-output, wanted.detach())
    torch.testing.assert_close(loss, wanted.mean())


@pytest.mark.parametrize("layout", [TWO, THREE])
def test_gradients_are_those_of_the_definition(layout) -> None:
    head, x = bce(layout).double(), rows(4, dtype=torch.float64)
    wanted = torch.autograd.grad(
        loss_by_definition(head, x, TARGET).mean(), list(head.parameters())
    )
    found = torch.autograd.grad(head(x, TARGET).loss, list(head.parameters()))
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other)


def test_offsets_give_the_same_loss_as_padding() -> None:
    head, x = bce(), rows(4)
    flat = torch.tensor([3, 7, 40, 41, 42, 59, 0])
    found = head(x, flat, torch.tensor([0, 3, 5, 5]))
    torch.testing.assert_close(found.loss, head(x, TARGET).loss)


@pytest.mark.parametrize("layout", [TWO, THREE])
def test_log_prob_is_the_product_along_the_path(layout) -> None:
    head, x = bce(layout).double(), rows(3, dtype=torch.float64)
    torch.testing.assert_close(head.log_prob(x), all_log_prob(head, x))


def test_predict_compares_with_the_threshold() -> None:
    head, x = bce(), rows()
    assert torch.equal(head.predict(x, 0.2), head.log_prob(x).exp() >= 0.2)


def test_labels_in_one_dimension_need_offsets() -> None:
    with pytest.raises(ValueError, match=r"give offsets for labels in one dimension$"):
        bce()(rows(4), torch.tensor([1, 2, 3, 4]))

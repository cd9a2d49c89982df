"""The kernels, in Triton's interpreter, against the layers in plain PyTorch."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree.torch import FusedOptimizer, Layout, plain

from .heads import NO_HEAD, THREE, TWO, bce, classes, rows, softmax

TARGET = torch.tensor([[3, 7, 40], [41, -1, 42], [-1, -1, -1], [59, 59, 0]])
CASES = [(TWO, 1, False), (TWO, 3, True), (THREE, 2, False), (NO_HEAD, 1, True)]
WIDE = Layout.even(60, group_size=40, n_head=1)


@pytest.mark.parametrize(("layout", "n_prototypes", "bias"), [*CASES, (WIDE, 1, False)])
def test_softmax_has_the_loss_and_gradients_of_the_plain_path(
    layout, n_prototypes, bias, kernels
) -> None:
    head = softmax(layout, n_prototypes=n_prototypes, bias=bias)
    other, target = copy.deepcopy(head), classes()
    x, same = rows().requires_grad_(), rows().requires_grad_()
    output, loss = head(x, target)
    (loss * 3).backward()
    wanted = plain.softmax_log_likelihood(other, same, target)
    (-wanted.mean() * 3).backward()
    torch.testing.assert_close(output, wanted.detach())
    torch.testing.assert_close(x.grad, same.grad)
    for one, of_plain in zip(head.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one.grad, of_plain.grad)


@pytest.mark.parametrize("layout", [TWO, NO_HEAD, THREE])
@pytest.mark.parametrize("bias", [False, True])
def test_bce_has_the_loss_and_gradients_of_the_plain_path(layout, bias, kernels) -> None:
    head = bce(layout, bias=bias)
    other = copy.deepcopy(head)
    x, same = rows(4).requires_grad_(), rows(4).requires_grad_()
    output, loss = head(x, TARGET)
    loss.backward()
    row = torch.arange(4)[:, None].expand_as(TARGET)[TARGET >= 0]
    wanted = plain.bce_log_likelihood(other, same, row, TARGET[TARGET >= 0])
    (-wanted.mean()).backward()
    torch.testing.assert_close(output, wanted.detach())
    torch.testing.assert_close(x.grad, same.grad)
    for one, of_plain in zip(head.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one.grad, of_plain.grad)


@pytest.mark.parametrize("layout", [TWO, THREE])
def test_rows_with_many_labels_count_each_group_once(layout, kernels) -> None:
    head = bce(layout)
    target = torch.stack([torch.arange(45), torch.arange(45) % 7])
    x = rows(2)
    row = torch.arange(2)[:, None].expand_as(target)
    wanted = plain.bce_log_likelihood(head, x, row.reshape(-1), target.reshape(-1))
    torch.testing.assert_close(head(x, target).output, wanted.detach())


@pytest.mark.parametrize(("method", "root"), [("sgd", "sgd"), ("adagrad",) * 2, ("sgd", "adam")])
@pytest.mark.parametrize(("layout", "n_prototypes", "bias"), CASES[1:3])
def test_fused_updates_are_those_of_the_plain_path(
    layout, n_prototypes, bias, method, root, monkeypatch, kernels
) -> None:
    head = softmax(layout, n_prototypes=n_prototypes, bias=bias)
    other, x, target = copy.deepcopy(head), rows(), classes()
    for one in (head, other):
        FusedOptimizer(one, method, lr=0.1, root_method=root)
    head(x, target).loss.backward()
    monkeypatch.delenv("TRITON_INTERPRET")
    other(x, target).loss.backward()
    for one, wanted in zip(head.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one, wanted, atol=2e-5, rtol=1e-4)


def test_fused_bce_updates_groups_with_rows_only(kernels) -> None:
    head, x = bce(), rows(4)
    before = head.leaf.detach().clone()
    FusedOptimizer(head)
    head(x, TARGET).loss.backward()
    touched = set(head.layout.group[[3, 7, 40, 41, 42, 59, 0]].tolist()) - {-1}
    changed = (head.leaf != before).any(1)
    of_leaf = head.layout.group[head.layout.order][head.n_head :]
    assert {int(g) for g in of_leaf[changed.numpy()]} == touched


@pytest.mark.parametrize("layout", [TWO, THREE])
def test_fused_bce_updates_are_those_of_the_plain_path(layout, monkeypatch, kernels) -> None:
    head, x = bce(layout), rows(4)
    other = copy.deepcopy(head)
    for one in (head, other):
        FusedOptimizer(one, lr=0.1)
    head(x, TARGET).loss.backward()
    monkeypatch.delenv("TRITON_INTERPRET")
    other(x, TARGET).loss.backward()
    for one, wanted in zip(head.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one, wanted, atol=2e-5, rtol=1e-4)


def test_bfloat16_weights_are_updated_in_float32(kernels) -> None:
    from labeltree.torch.kernels import launch

    weight = torch.randn(8, 16)
    high, low = weight.bfloat16(), torch.zeros(8, 16, dtype=torch.int16)
    state, rate = torch.zeros(8), torch.tensor(1e-3)
    update = launch.Update(1, low, None, state, None, rate, torch.tensor(1.0), 1e-8)
    wanted, gradient = high.float(), torch.randn(8, 16)
    for _ in range(10):
        launch.update_rows(gradient, None, high, None, torch.tensor(1.0), update)
        wanted = wanted - rate * gradient
    found = ((high.view(torch.int16).int() << 16) + low.int()).view(torch.float32)
    torch.testing.assert_close(found, wanted)
    assert torch.equal(high, wanted.bfloat16())


@pytest.mark.parametrize(("n", "kind"), [(1, torch.int16), (300, torch.int16), (300, torch.int32)])
def test_rows_are_sorted_stably_by_key(n, kind, kernels) -> None:
    from labeltree.torch.kernels import launch

    key = torch.randint(-1, 20, (n,), generator=torch.Generator().manual_seed(0)).to(kind)
    wanted = torch.sort(key, stable=True)
    values, order = launch.sort_keys(key, 20)
    assert torch.equal(values, wanted.values)
    assert torch.equal(order, wanted.indices)


def test_more_rows_than_can_be_ranked_are_sorted(monkeypatch, kernels) -> None:
    from labeltree.torch.kernels import launch

    head, x, target = softmax(), rows(), classes()
    wanted = head(x, target).output
    monkeypatch.setattr(launch, "MAX_RANKED", 8)
    assert torch.equal(head(x, target).output, wanted)


def test_repeated_runs_give_the_same_bits(kernels) -> None:
    head, x, target = softmax(THREE), rows(), classes()
    found = []
    for _ in range(2):
        loss = head(x, target).loss
        found.append([loss, *torch.autograd.grad(loss, list(head.parameters()))])
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


@pytest.mark.parametrize(("make", "target"), [(softmax, classes(0)), (bce, TARGET[:0])])
def test_no_rows_have_no_output(make, target, kernels) -> None:
    head = make(THREE)
    assert len(head(rows(0), target).output) == 0
    assert len(head.top_k(rows(0), 3).classes) == 0


def test_a_target_that_is_no_class_makes_the_loss_nan(kernels) -> None:
    output, loss = softmax()(rows(2), torch.tensor([3, 60]))
    assert output.isnan().tolist() == [False, True]
    assert loss.isnan()


def test_without_gradients_only_the_loss_is_computed(kernels) -> None:
    head, x, target = softmax(), rows(), classes()
    with torch.no_grad():
        loss = head(x, target).loss
    torch.testing.assert_close(loss, -plain.softmax_log_likelihood(head, x, target).mean())


def test_a_width_that_the_kernels_cannot_load_is_refused(kernels) -> None:
    from labeltree.torch import TreeSoftmax

    with pytest.raises(
        ValueError, match=r"^in_features must be a multiple of 16 on a GPU, but is 3"
    ):
        TreeSoftmax(3, 10)(torch.ones(1, 3), torch.tensor([1]))

"""TreeSoftmax in plain PyTorch, against its definition in float64."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree import LabelTree
from labeltree.torch import Layout, TreeSoftmax

from .heads import N_FEATURES, NO_HEAD, THREE, TWO, all_log_prob, classes, rows, softmax

LAYOUTS = [TWO, THREE, NO_HEAD, Layout.even(5, n_head=5)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_prototypes", [1, 3])
def test_log_prob_is_the_product_along_the_path(layout, n_prototypes) -> None:
    head = softmax(layout, n_prototypes=n_prototypes, bias=True).double()
    x = rows(3, dtype=torch.float64)
    torch.testing.assert_close(head.log_prob(x), all_log_prob(head, x))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_probabilities_sum_to_one(layout) -> None:
    head = softmax(layout, n_prototypes=2).double()
    total = head.log_prob(rows(dtype=torch.float64)).exp().sum(1)
    torch.testing.assert_close(total, torch.ones_like(total))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_output_is_the_log_prob_of_the_target(layout) -> None:
    head, x = softmax(layout).double(), rows(dtype=torch.float64)
    target = classes(n_classes=head.n_classes)
    output, loss = head(x, target)
    torch.testing.assert_close(output, head.log_prob(x).gather(1, target[:, None])[:, 0])
    torch.testing.assert_close(loss, -output.mean())


@pytest.mark.parametrize("layout", [TWO, THREE])
def test_gradients_are_those_of_finite_differences(layout) -> None:
    head = softmax(layout, n_prototypes=2, bias=True).double()
    x, target = rows(4, dtype=torch.float64).requires_grad_(), classes(4)
    names = [name for name, _ in head.named_parameters()]

    def loss(x, *parameters):
        given = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(head, given, (x, target)).loss

    assert torch.autograd.gradcheck(loss, (x, *head.parameters()), fast_mode=True)


def test_top_k_is_the_top_of_all_classes() -> None:
    head, x = softmax(), rows()
    found = head.top_k(x, 7)
    values, places = head.log_prob(x).topk(7, 1)
    assert torch.equal(found.classes, places)
    torch.testing.assert_close(found.log_prob, values)


def test_predict_is_the_most_probable_class() -> None:
    head, x = softmax(), rows()
    assert torch.equal(head.predict(x), head.log_prob(x).argmax(1))


def test_a_label_tree_may_be_given() -> None:
    head = TreeSoftmax(N_FEATURES, LabelTree.from_nested([[4, 1], 2, [3, 0, 5]]))
    assert (head.n_classes, head.n_head, head.layout.n_groups) == (6, 1, 2)


def test_a_state_dict_restores_the_layer() -> None:
    head, x = softmax(), rows()
    other = TreeSoftmax(N_FEATURES, TWO)
    other.load_state_dict(head.state_dict())
    assert torch.equal(other.log_prob(x), head.log_prob(x))


def test_gradients_accumulate_over_batches() -> None:
    head, x, target = softmax(), rows(), classes()
    head(x, target).loss.backward()
    whole = head.leaf.grad.clone()
    head.zero_grad()
    for part in (slice(0, 6), slice(6, 12)):
        (head(x[part], target[part]).loss / 2).backward()
    torch.testing.assert_close(head.leaf.grad, whole)


def test_autocast_computes_in_bfloat16_and_keeps_gradients_in_float32() -> None:
    head, x, target = softmax(), rows(), classes()
    with torch.autocast("cpu", torch.bfloat16):
        output, loss = head(x, target)
    loss.backward()
    assert head.leaf.grad.dtype == torch.float32
    torch.testing.assert_close(output.float(), head(x, target).output, rtol=0.05, atol=0.05)


def test_a_copy_gives_the_same_bits() -> None:
    head, x, target = softmax(), rows(), classes()
    assert torch.equal(copy.deepcopy(head)(x, target).loss, head(x, target).loss)


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^x must have the shape \(rows, 16\), but has \(2, 3\)$"):
        softmax()(torch.ones(2, 3), classes(2))


def test_targets_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^target must have the shape \(12,\), but has \(3,\)$"):
        softmax()(rows(), classes(3))


def test_a_target_that_is_no_class_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^targets lie in 0..59, but one is 60$"):
        softmax()(rows(1), torch.tensor([60]))


def test_k_beyond_the_classes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^k must be at most 60, but is 61$"):
        softmax().top_k(rows(), 61)

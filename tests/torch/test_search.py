"""Search by kernels, in Triton's interpreter."""

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree.torch import Layout
from labeltree.torch.kernels import beam as launched

from .heads import NO_HEAD, THREE, TWO, bce, rows, softmax

MANY = Layout.even(60, group_size=4, n_head=2)
pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize(
    ("layout", "n_prototypes"), [(TWO, 2), (NO_HEAD, 1), (THREE, 1), (MANY, 1)]
)
def test_the_exact_search_finds_the_top_of_all_classes(layout, n_prototypes) -> None:
    head, x = softmax(layout, n_prototypes=n_prototypes), rows(6)
    found = head.top_k(x, 5)
    values, places = head.log_prob(x).topk(5, 1)
    assert torch.equal(found.classes, places)
    torch.testing.assert_close(found.log_prob, values.detach())


@pytest.mark.parametrize("layout", [MANY, THREE])
def test_the_exact_search_of_labels_finds_the_top_of_all(layout) -> None:
    head, x = bce(layout), rows(6)
    found = head.top_k(x, 5)
    values, places = head.log_prob(x).topk(5, 1)
    assert torch.equal(found.classes, places)
    torch.testing.assert_close(found.log_prob, values.detach())


@pytest.mark.parametrize("room", [1, 3])
def test_rows_without_room_are_searched_again(room, monkeypatch) -> None:
    monkeypatch.setattr(launched, "MORE_PER_ROW", room)
    head, x = softmax(MANY), rows(6)
    assert torch.equal(head.top_k(x, 5).classes, head.log_prob(x).topk(5, 1).indices)


def test_rows_are_searched_in_parts_if_there_are_many_pairs(monkeypatch) -> None:
    monkeypatch.setattr(launched, "MORE_PER_ROW", 1)
    monkeypatch.setattr(launched, "MAX_PAIRS", 4)
    head, x = softmax(MANY), rows(6)
    assert torch.equal(head.top_k(x, 5).classes, head.log_prob(x).topk(5, 1).indices)


def test_rows_that_are_not_finite_do_no_harm() -> None:
    head, x = softmax(MANY), rows(6)
    x[2] = float("nan")
    found = head.top_k(x, 5)
    others = [0, 1, 3, 4, 5]
    assert torch.equal(found.classes[others], head.log_prob(x[others]).topk(5, 1).indices)
    assert ((found.classes >= 0) & (found.classes < 60)).all()


def test_a_beam_returns_the_probabilities_of_its_classes() -> None:
    head, x = softmax(MANY), rows(6)
    found = head.top_k(x, 5, beam=2)
    torch.testing.assert_close(found.log_prob, head.log_prob(x).gather(1, found.classes).detach())


def test_a_beam_holds_at_least_k_classes() -> None:
    head, x = softmax(MANY), rows(2)
    found = head.top_k(x, 9, beam=1)
    assert all(len(set(labels)) == 9 for labels in found.classes.tolist())
    assert found.log_prob.isfinite().all()

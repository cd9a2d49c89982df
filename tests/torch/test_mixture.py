"""Mixtures of trees."""

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree.torch import TreeMixture, TreeSoftmax
from labeltree.torch import mixture as mixtures

from .heads import NO_HEAD, TWO, classes, drawn, rows, softmax


def mixture() -> TreeMixture:
    return TreeMixture([softmax(TWO), drawn(TreeSoftmax(16, NO_HEAD), seed=4)])


def test_probabilities_are_the_mean_over_the_trees() -> None:
    made, x = mixture(), rows()
    one, other = (head.log_prob(x).exp() for head in made.heads)
    torch.testing.assert_close(made.log_prob(x).exp(), (one + other) / 2)


def test_output_is_the_log_prob_of_the_target() -> None:
    made, x, target = mixture(), rows(), classes()
    wanted = made.log_prob(x).gather(1, target[:, None])[:, 0]
    torch.testing.assert_close(made(x, target).output, wanted)


def test_the_loss_is_the_mean_of_the_losses() -> None:
    made, x, target = mixture(), rows(), classes()
    losses = [head(x, target).loss for head in made.heads]
    torch.testing.assert_close(made(x, target).loss, sum(losses) / 2)


def test_top_k_is_the_top_of_all_classes() -> None:
    made, x = mixture(), rows()
    assert torch.equal(made.top_k(x, 4).classes, made.log_prob(x).topk(4, 1).indices)
    assert torch.equal(made.predict(x), made.log_prob(x).argmax(1))


def test_trees_of_other_classes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^heads must have the same features and classes"):
        TreeMixture([softmax(TWO), TreeSoftmax(16, 7)])


def test_no_trees_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^heads must have at least one layer"):
        TreeMixture([])


@pytest.mark.usefixtures("kernels")
def test_candidates_of_the_trees_hold_the_top_of_all_classes() -> None:
    mixture, x = TreeMixture([softmax(TWO), softmax(NO_HEAD, n_prototypes=2)]), rows(6)
    values, classes = mixture.log_prob(x).topk(3, 1)
    found = mixture.top_k(x, 3)
    assert torch.equal(found.classes, classes)
    torch.testing.assert_close(found.log_prob, values.detach())


@pytest.mark.usefixtures("kernels")
def test_rows_without_certain_candidates_are_compared_with_all_classes(monkeypatch) -> None:
    monkeypatch.setattr(mixtures, "MIN_CANDIDATES", 1)
    mixture, x = TreeMixture([softmax(TWO), softmax(NO_HEAD, n_prototypes=2)]), rows(12)
    assert torch.equal(mixture.predict(x), mixture.log_prob(x).argmax(1))

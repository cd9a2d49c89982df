"""Layers for other groups that keep what was learned."""

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree.torch import FusedOptimizer, Layout, TreeSoftmax, cluster
from labeltree.torch.clusters import rearranged
from labeltree.torch.regroup import transfer

from .heads import N_FEATURES, THREE, TWO, classes, drawn, rows, softmax


def test_the_same_groups_keep_all_probabilities() -> None:
    head, x = softmax(TWO), rows()
    other = TreeSoftmax(N_FEATURES, TWO)
    transfer(head, other)
    mean = head.leaf.detach().split(TWO.group_sizes.tolist())
    with torch.no_grad():  # a mean that the leaves have in common moves to the root
        for g, part in enumerate(mean):
            other.root[TWO.n_head + g] -= part.mean(0)
    torch.testing.assert_close(other.log_prob(x), head.log_prob(x))


def test_scores_of_classes_within_a_new_group_keep_their_differences() -> None:
    head = softmax(TWO)
    new = drawn(TreeSoftmax(N_FEATURES, rearranged(TWO, torch.randn(60, 4))), seed=5)
    transfer(head, new)
    one, other = new.layout.order[new.n_head : new.n_head + 2]
    wanted = _score(head, one) - _score(head, other)
    torch.testing.assert_close(_score(new, one) - _score(new, other), wanted)


@pytest.mark.parametrize("n_prototypes", [1, 4])
@pytest.mark.parametrize("layout", [TWO, THREE])
def test_a_layer_with_other_prototypes_is_near_the_old(layout, n_prototypes) -> None:
    head, x, target = TreeSoftmax(N_FEATURES, layout), rows(60), torch.arange(60)
    optimizer = torch.optim.Adam(head.parameters(), lr=0.05)
    for _ in range(50):
        optimizer.zero_grad()
        head(x, target).loss.backward()
        optimizer.step()
    other = TreeSoftmax(N_FEATURES, layout, n_prototypes=n_prototypes)
    fresh = other(x, target).loss.item()
    transfer(head, other)
    assert other(x, target).loss.item() < 0.7 * fresh


def test_a_layer_is_regrouped_in_place() -> None:
    head, x = softmax(TWO), rows()
    before = {label: _score(head, label) for label in TWO.order[TWO.n_head :].tolist()}
    parameters = list(head.parameters())
    head.regroup(torch.randn(60, 4, generator=torch.Generator().manual_seed(0)))
    assert all(one is other for one, other in zip(head.parameters(), parameters, strict=True))
    torch.testing.assert_close(head.log_prob(x).exp().sum(1), torch.ones(len(x)))
    one, other = head.layout.order[head.n_head : head.n_head + 2].tolist()
    wanted = before[one] - before[other]
    torch.testing.assert_close(_score(head, one) - _score(head, other), wanted)


def test_embeddings_of_other_classes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^embeddings must have one row per class, 60 in all"):
        softmax(TWO).regroup(torch.ones(3, 4))


def test_states_follow_their_classes() -> None:
    head = softmax(TWO)
    new = TreeSoftmax(N_FEATURES, rearranged(TWO, torch.randn(60, 4)))
    for one in (head, new):
        FusedOptimizer(one)
    head(rows(), classes()).loss.backward()
    transfer(head, new)
    for label in range(TWO.n_head, 60):
        places = [int(one.position[label]) - TWO.n_head for one in (head, new)]
        assert head.leaf_state[places[0]] == new.leaf_state[places[1]]


def test_rearranged_groups_have_the_sizes_of_the_old() -> None:
    found = rearranged(THREE, torch.randn(60, 8))
    assert found.group_sizes.tolist() == THREE.group_sizes.tolist()
    assert sorted(found.order.tolist()) == list(range(60))


def test_rearranged_groups_are_those_of_cluster() -> None:
    embeddings = torch.randn(60, 8)
    layout = Layout.even(60, group_size=8)
    assert rearranged(layout, embeddings).order.tolist() == (
        cluster(embeddings, group_size=8).order.tolist()
    )


def _score(head, label) -> torch.Tensor:
    """Return the weights of a class, summed along its path."""
    column = int(head.column[label])
    total = head.root[column].detach()
    return total + head.leaf[int(head.position[label]) - head.n_head].detach()

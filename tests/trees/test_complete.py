import numpy as np
import pytest

from labeltree import cost, trees


def test_star_has_depth_one() -> None:
    assert trees.star(5).to_nested() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("arity", [2, 3, 5])
def test_all_inner_nodes_except_the_last_are_full(arity: int) -> None:
    for m in range(2, 60):
        degree = trees.complete(m, arity=arity).degree
        inner = degree[degree > 0]
        assert (inner[:-1] == arity).all()
        assert 2 <= inner[-1] <= arity


@pytest.mark.parametrize("arity", [2, 3, 5])
def test_depth_is_minimal(arity: int) -> None:
    for m in range(2, 60):
        depth = trees.complete(m, arity=arity).depth
        assert arity ** (depth - 1) < m <= arity**depth


@pytest.mark.parametrize("arity", [2, 3, 4])
def test_frequent_labels_get_the_cheap_leaves(arity: int) -> None:
    for m in range(1, 40):
        counts = np.random.default_rng(m).permutation(m) + 1
        tree = trees.complete(m, arity, counts)
        cheapest = np.sort(cost.leaf_costs(trees.complete(m, arity)))
        assert cost.leaf_costs(tree)[np.argsort(-counts)].tolist() == cheapest.tolist()


def test_counts_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one entry per label, 3 in all, but has 2"):
        trees.complete(3, counts=[1, 2])


def test_an_arity_above_the_number_of_labels_gives_a_star() -> None:
    assert trees.complete(4, arity=10) == trees.star(4)


@pytest.mark.parametrize("arity", [2, 3, 7])
def test_random_tree_has_at_most_one_short_node(arity: int) -> None:
    for m in range(2, 40):
        degree = trees.random(m, arity=arity, random_state=m).degree
        inner = np.sort(degree[degree > 0])
        assert inner[0] >= 2
        assert (inner[1:] == min(arity, m)).all()


def test_random_trees_of_three_labels_are_equally_frequent() -> None:
    alone = [trees.random(3, arity=2, random_state=seed).to_nested() for seed in range(600)]
    by_label = [sum(j in tree for tree in alone) for j in range(3)]
    assert sum(by_label) == 600
    assert min(by_label) > 150


def test_another_random_state_gives_another_tree() -> None:
    assert trees.random(50, random_state=1) != trees.random(50, random_state=2)

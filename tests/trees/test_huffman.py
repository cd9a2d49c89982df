import itertools

import numpy as np
import pytest

from labeltree import cost, trees
from tests.reference import counts as reference
from tests.reference.cost import leaf_cost
from tests.reference.trees import all_trees, subtrees


def price(tree: trees.LabelTree, counts: list[int]) -> int:
    return int(np.array(counts) @ cost.leaf_costs(tree))


def small_counts(max_labels: int, largest: int) -> list[list[int]]:
    """Every multiset of counts."""
    return [
        list(counts)
        for m in range(1, max_labels + 1)
        for counts in itertools.combinations_with_replacement(range(largest + 1), m)
    ]


@pytest.mark.parametrize("arity", [2, 3, 4, 5])
def test_cost_is_the_lower_of_both_places_for_the_short_merge(arity: int) -> None:
    for counts in small_counts(8, 3) + small_counts(5, 7):
        expected = min(reference.huffman_cost(counts, arity, s) for s in ("first", "root"))
        assert price(trees.huffman(counts, arity), counts) == expected


@pytest.mark.parametrize(("arity", "m"), [(2, 2), (2, 4), (2, 5), (3, 3), (3, 5), (4, 4)])
def test_cost_is_optimal_among_trees_of_the_same_arity(arity: int, m: int) -> None:
    full = [
        np.array([leaf_cost(tree, j) for j in range(m)])
        for tree in all_trees(range(m))
        if all(len(node) == arity for node in subtrees(tree) if isinstance(node, list))
    ]
    for counts in itertools.combinations_with_replacement([1, 2, 3, 5, 9], m):
        best = min(int(np.array(counts) @ costs) for costs in full)
        assert price(trees.huffman(counts, arity), list(counts)) == best


def test_skewed_counts_have_the_short_merge_at_the_root() -> None:
    counts = [1, 1, 1, 997]
    assert price(trees.huffman(counts), counts) == 2009
    assert reference.huffman_cost(counts, 3, "first") == 3004


def test_uniform_counts_have_the_short_merge_first() -> None:
    assert sorted(map(str, trees.huffman([5] * 4).to_nested())) == ["2", "3", "[0, 1]"]


def test_cost_per_row_is_at_most_three_above_the_entropy_bound() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        counts = (10 ** rng.uniform(0, 4, rng.integers(1, 60))).astype(int).tolist()
        bound = reference.entropy_bound(counts)
        assert bound - 1e-6 <= price(trees.huffman(counts), counts) <= bound + 3 * sum(counts)


def test_labels_without_rows_share_one_node() -> None:
    assert trees.huffman([0, 0, 0, 0, 5, 5]).to_nested() == [4, 5, [3, [0, 1, 2]]]


def test_ties_are_broken_by_the_lower_label() -> None:
    assert trees.huffman([1] * 5).to_nested() == [3, 4, [0, 1, 2]]


def test_fibonacci_counts_make_a_caterpillar() -> None:
    counts = [1, 1]
    while len(counts) < 40:
        counts.append(counts[-1] + counts[-2])
    assert trees.huffman(counts, arity=2).depth == 39

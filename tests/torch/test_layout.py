"""Layouts of label trees in two or three levels."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree import LabelTree, trees
from labeltree.torch import Layout


def test_children_of_the_root_without_children_are_head_labels() -> None:
    layout = Layout.from_tree(LabelTree.from_nested([[4, 1], 2, [3, 0, 5]]))
    assert layout.n_head == 1
    assert layout.order[0] == 2


def test_a_tree_of_two_levels_comes_back() -> None:
    tree = LabelTree.from_nested([2, [4, 1], [3, 0, 5]])
    assert Layout.from_tree(tree).to_tree() == tree


def test_a_tree_of_three_levels_comes_back() -> None:
    tree = LabelTree.from_nested([6, [[4, 1], [2, 7]], [[3, 0], [5, 8, 9]]])
    found = Layout.from_tree(tree, n_levels=3, max_group_size=3, max_middle_size=2)
    assert found.to_tree() == tree


def test_a_deep_tree_is_collapsed_to_its_largest_subtrees() -> None:
    tree = trees.complete(64, arity=2)
    layout = Layout.from_tree(tree, max_group_size=8)
    assert layout.group_sizes.tolist() == [8] * 8
    below = [set(layout.order[8 * g : 8 * g + 8].tolist()) for g in range(8)]
    depth_three = [v for v in range(tree.n_nodes) if v in range(7, 15)]
    assert {frozenset(group) for group in below} == {
        frozenset(_labels_below(tree, node)) for node in depth_three
    }


def test_labels_between_large_subtrees_become_head_labels() -> None:
    layout = Layout.from_tree(
        LabelTree.from_nested([[0, [1, 2, 3], [4, 5, 6]], [7, 8]]), max_group_size=3
    )
    assert layout.n_head == 1
    assert layout.group_sizes.tolist() == [3, 3, 2]


def test_more_groups_than_the_root_holds_get_a_middle_level() -> None:
    layout = Layout.from_tree(trees.complete(2**15, arity=2), max_group_size=4)
    assert layout.middle_sizes is not None
    assert layout.middle_sizes.sum() == layout.n_groups == 2**13


def test_positions_invert_the_order() -> None:
    layout = Layout.from_tree(trees.random(50, random_state=3), max_group_size=10)
    assert np.array_equal(layout.order[layout.position], np.arange(50))


def test_an_order_that_is_no_permutation_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^order must be a permutation of the labels 0..2"):
        Layout(np.array([0, 1, 1]), 1, np.array([2]))


def test_a_group_wider_than_the_kernels_hold_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^group_size must be at most 256, but is 300$"):
        Layout.even(1000, group_size=300)


def _labels_below(tree: LabelTree, node: int) -> list[int]:
    if tree.label[node] >= 0:
        return [int(tree.label[node])]
    return [label for child in tree.children(node) for label in _labels_below(tree, child)]

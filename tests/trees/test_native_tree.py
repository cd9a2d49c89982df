import gc

import numpy as np
import pytest

from labeltree import _core
from labeltree.trees import LabelTree


def native(parent: list[int], label: list[int]) -> _core.Tree:
    return _core.Tree(np.array(parent, np.int32), np.array(label, np.int32))


def test_arrays_are_read_only_views_that_outlive_the_tree() -> None:
    parent = native([-1, 0, 0], [-1, 0, 1]).parent
    assert parent.tolist() == [-1, 0, 0]
    assert not parent.flags.writeable


def test_wrong_dtype_is_refused_and_not_copied() -> None:
    with pytest.raises(TypeError):
        _core.Tree(np.array([-1, 0, 0]), np.array([-1, 0, 1], np.int32))


def of_file(parent: list[int], label: list[int]) -> _core.Tree:
    return _core.Tree.of_file(np.array(parent, np.int32), np.array(label, np.int32))


def test_a_tree_of_a_file_has_no_copy_of_its_arrays() -> None:
    parent, label = np.array([-1, 0, 0], np.int32), np.array([-1, 1, 0], np.int32)
    tree = _core.Tree.of_file(parent, label)
    assert np.shares_memory(tree.parent, parent)
    assert np.shares_memory(tree.label, label)


def test_a_tree_of_a_file_keeps_its_arrays() -> None:
    tree = of_file([-1, 0, 0, 1, 1], [-1, -1, 2, 0, 1])
    gc.collect()
    assert tree.parent.tolist() == [-1, 0, 0, 1, 1]
    assert tree.label.tolist() == [-1, -1, 2, 0, 1]


def test_a_tree_of_a_file_equals_one_that_is_built() -> None:
    built = LabelTree.from_nested([[0, 5], 1, [[2, 3], 4]])
    tree = of_file(built.parent.tolist(), built.label.tolist())
    assert tree.leaf.tolist() == built.leaves.tolist()
    assert tree.first_child.tolist() == built.first_child.tolist()


@pytest.mark.parametrize(
    ("parent", "label", "rule"),
    [
        ([], [], "at least one node"),
        ([-1, 0, 0], [-1, 0], "equally long"),
        ([-1, 0, 0, 2, 2, 1, 1], [-1, -1, -1, 0, 1, 2, 3], "numbered breadth first"),
        ([-1, 0, 1, 1], [-1, -1, 0, 1], "none have one child"),
        ([-1, 0, 0], [-1, 0, 0], "label 0 is on node 1 and on node 2"),
        ([-1, 0, 0], [-1, 0, 2], "labels of 2 leaves are 0..1"),
        ([-1, 0, 0], [-1, 0, -7], "every leaf has a label, but node 2"),
        ([-1, 0, 0], [-7, 0, 1], "labels sit on leaves, but node 0"),
        ([-1, -1, 0], [-1, 0, 1], "a tree has one root"),
        ([-1, 0, -2], [-1, 0, 1], r"parents must lie in -1\.\.2, but node 2 has -2"),
        ([-1, 2, 1], [-1, 0, 1], "its own ancestor"),
    ],
)
def test_a_tree_of_a_file_that_breaks_a_rule_is_refused(parent, label, rule) -> None:
    with pytest.raises(ValueError, match=rule):
        of_file(parent, label)


def test_arrays_of_several_large_pages_are_those_of_small_ones() -> None:
    n_labels = 600_000  # more than 2 MiB of nodes
    label = np.random.default_rng(0).permutation(n_labels).astype(np.int32)
    star = np.concatenate([[-1], np.zeros(n_labels, np.int32)]).astype(np.int32)
    tree = _core.Tree.of_file(star, np.concatenate([[-1], label]).astype(np.int32))
    assert (tree.label[tree.leaf] == np.arange(n_labels)).all()
    assert tree.first_child[0] == 1
    assert (tree.first_child[1:] == n_labels + 1).all()

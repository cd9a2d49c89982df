import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import LabelTree

EXAMPLE = [[0, 1], 2, [3, 4, 5]]


def nested_trees(max_labels: int = 12) -> st.SearchStrategy[object]:
    """Nested lists over 0..m-1 in random order, nodes of degree one included."""

    def number(shape: object, order: list[int]) -> object:
        return order.pop() if shape is None else [number(child, order) for child in shape]

    def leaves(shape: object) -> int:
        return 1 if shape is None else sum(map(leaves, shape))

    shapes = st.recursive(
        st.none(), lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=max_labels
    )
    return shapes.flatmap(
        lambda shape: st.permutations(range(leaves(shape))).map(
            lambda order: number(shape, list(order))
        )
    )


def test_nodes_are_breadth_first_with_adjacent_siblings() -> None:
    tree = LabelTree.from_nested(EXAMPLE)
    assert tree.parent.tolist() == [-1, 0, 0, 0, 1, 1, 3, 3, 3]
    assert tree.label.tolist() == [-1, -1, 2, -1, 0, 1, 3, 4, 5]
    assert tree.degree.tolist() == [3, 2, 0, 3, 0, 0, 0, 0, 0]
    assert tree.leaves.tolist() == [4, 5, 2, 6, 7, 8]
    assert (tree.n_labels, tree.n_nodes, tree.depth, tree.max_degree) == (6, 9, 2, 3)


def test_a_single_label_is_a_tree_of_one_leaf() -> None:
    tree = LabelTree.from_nested(0)
    assert (tree.n_labels, tree.n_nodes, tree.depth, tree.max_degree) == (1, 1, 0, 0)
    assert tree.to_nested() == 0


def test_nodes_of_degree_one_are_contracted() -> None:
    assert LabelTree.from_nested([[[[0], [[1], 2]]]]).to_nested() == [0, [1, 2]]


def test_order_of_given_nodes_does_not_matter() -> None:
    assert LabelTree.from_parents([2, 4, 4, 2, -1], [0, 2, -1, 1, -1]).to_nested() == [2, [0, 1]]


@given(nested_trees(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_parents_in_order_make_the_tree_that_they_make_in_any_other(nested, random) -> None:
    tree = LabelTree.from_nested(nested)
    # Old siblings keep their order, so that only families change places.
    order = sorted(range(tree.n_nodes), key=lambda v: (random.random(), v))
    place = np.empty(tree.n_nodes, np.int32)
    for family in {int(p) for p in tree.parent}:
        members = np.flatnonzero(tree.parent == family)
        place[members] = sorted(order.index(v) for v in members)
    parent, label = np.empty_like(tree.parent), np.empty_like(tree.label)
    parent[place] = np.where(tree.parent < 0, -1, place[tree.parent])
    label[place] = tree.label
    for nodes in ((parent, label), (tree.parent, tree.label)):
        made = LabelTree.from_parents(*nodes)
        for name in ("parent", "label", "first_child", "leaves"):
            assert np.array_equal(getattr(made, name), getattr(tree, name))


@given(nested_trees())
@settings(deadline=None)
def test_children_and_parents_agree(nested: object) -> None:
    tree = LabelTree.from_nested(nested)
    for v in range(tree.n_nodes):
        assert all(tree.parent[child] == v for child in tree.children(v))
        assert len(tree.children(v)) == tree.degree[v] != 1
    assert sorted(tree.label[tree.leaves]) == list(range(tree.n_labels))
    assert (np.diff(tree.parent) >= 0).all()


@pytest.mark.parametrize(
    ("parent", "label", "message"),
    [
        ([], [], "at least one node"),
        ([-1, 0], [-1], "equally long"),
        ([-1, -1], [0, 1], "node 0 and node 1 both have parent -1"),
        ([1, 0], [0, 1], "no node has parent -1"),
        ([-1, 0, 0, 4, 3], [-1, 0, 1, -1, -1], "node [34] is its own ancestor"),
        ([-1, 0, 0, 3], [-1, 0, 1, 2], "node 3 is its own ancestor"),
        ([-1, 0, 7], [-1, 0, 1], "node 2 has 7"),
        ([-1, 0, -2], [-1, 0, 1], "holds -2"),
        ([-1, 0, 0], [-1, 0, 0], "label 0 is on node 1 and on node 2"),
        ([-1, 0, 0], [-1, 0, 2], "node 2 has label 2, so another is missing"),
        ([-1, 0, 0], [-1, 0, -1], "node 2 is a leaf with label -1"),
        ([-1, 0, 0], [2, 0, 1], "node 0 has children and label 2"),
        ([-1, 0, 2**31], [-1, 0, 1], "holds 2147483648"),
        ([[-1, 0, 0]], [-1, 0, 1], "one dimension"),
    ],
)
def test_errors_for_malformed_parents_name_node_and_rule(parent, label, message) -> None:
    with pytest.raises(ValueError, match=message):
        LabelTree.from_parents(parent, label)


def test_parents_that_are_not_integers_are_refused() -> None:
    with pytest.raises(TypeError, match="parent must hold integers, but its dtype is float64"):
        LabelTree.from_parents([-1.0, 0.0, 0.0], [-1, 0, 1])


@pytest.mark.parametrize(
    ("nested", "error", "message"),
    [
        ([0, []], ValueError, "node 2 is an empty list"),
        ([0, 1.5], TypeError, "node 2 is float"),
        ([0, "cat"], ValueError, "label 0 is mixed with names"),
        ([0, True], TypeError, "node 2 is bool"),
        (["cat", "cat"], ValueError, "the name 'cat' occurs twice"),
    ],
)
def test_malformed_nested_lists_are_refused(nested, error, message) -> None:
    with pytest.raises(error, match=message):
        LabelTree.from_nested(nested)


def test_a_list_that_contains_itself_is_refused() -> None:
    nested: list[object] = [0]
    nested.append(nested)
    with pytest.raises(ValueError, match="occurs twice"):
        LabelTree.from_nested(nested)


@pytest.mark.parametrize(
    ("linkage", "message"),
    [
        ([[0, 1, 1.0]], None),
        ([[0, 2, 1.0, 2], [1, 3, 1.0, 3]], None),
        ([[0, 2, 1.0, 2]], "must join clusters 0..1, but names 2"),
        ([[0, 1, 1.0, 2], [0, 2, 1.0, 3]], "0 is again in step 1"),
        ([[0, 0.5, 1.0, 2]], "names 0.5"),
        ([[0, float("nan"), 1.0, 2]], "names nan"),
        ([0, 1], "a linkage must have 4 columns"),
    ],
)
def test_linkage_is_checked(linkage, message) -> None:
    if message is None:
        assert LabelTree.from_linkage(linkage).n_labels == len(linkage) + 1
        return
    with pytest.raises(ValueError, match=message):
        LabelTree.from_linkage(linkage)


def test_scipy_linkage_becomes_a_binary_tree() -> None:
    from scipy.cluster.hierarchy import linkage

    tree = LabelTree.from_linkage(linkage([[0.0], [0.1], [5.0], [5.3]], "average"))
    assert tree.to_nested() == [[0, 1], [2, 3]]


def test_a_tree_is_immutable() -> None:
    tree = LabelTree.from_nested(EXAMPLE)
    with pytest.raises(AttributeError, match="a LabelTree is immutable"):
        tree.parent = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        tree.degree[0] = 7


@pytest.mark.parametrize("index", [-1, 6, 9])
def test_labels_out_of_range_are_refused(index: int) -> None:
    with pytest.raises(IndexError, match=r"labels are 0\.\.5"):
        LabelTree.from_nested(EXAMPLE).leaf(index)


def test_nodes_out_of_range_are_refused() -> None:
    with pytest.raises(IndexError, match=r"nodes are 0\.\.8, but 9 was requested"):
        LabelTree.from_nested(EXAMPLE).children(9)


@pytest.mark.parametrize(
    "again", [lambda t: pickle.loads(pickle.dumps(t)), copy.deepcopy, copy.copy]
)
def test_copies_are_equal(again) -> None:
    tree = LabelTree.from_nested([["cat", "dog"], "fish"])
    assert again(tree) == tree
    assert hash(again(tree)) == hash(tree)
    assert tree != tree.with_names(None)


def test_the_number_of_names_must_match() -> None:
    with pytest.raises(ValueError, match="2 in all, but has 3"):
        LabelTree.from_parents([-1, 0, 0], [-1, 0, 1], names="abc")


def test_a_caterpillar_of_a_million_labels_is_handled() -> None:
    m = 1_000_000
    inner = np.arange(m - 1)
    parent = np.concatenate([inner - 1, inner, [m - 2]])
    label = np.concatenate([np.full(m - 1, -1), np.arange(m)])
    tree = LabelTree.from_parents(parent, label)
    assert (tree.n_labels, tree.depth, tree.max_degree) == (m, m - 1, 2)


def test_a_parent_of_many_digits_is_not_printed() -> None:
    with pytest.raises(ValueError, match="but holds an integer of 997 bits"):
        LabelTree.from_parents([-1, 10**300, 0], [-1, 0, 1])

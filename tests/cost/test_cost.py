import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree import LabelTree, cost
from labeltree.data import as_labels
from tests.reference import cost as reference
from tests.reference.trees import subtrees
from tests.trees.test_tree import nested_trees

TREE = LabelTree.from_nested([[0, 1], 2, [3, 4, 5]])
Case = tuple[LabelTree, list[set[int]]]


@st.composite
def trees_with_label_rows(draw: st.DrawFn) -> Case:
    """A tree and rows of its labels, including rows without labels."""
    tree = LabelTree.from_nested(draw(nested_trees()))
    rows = draw(st.lists(st.sets(st.integers(0, tree.n_labels - 1)), max_size=8))
    return tree, rows


@given(trees_with_label_rows())
@settings(deadline=None)
def test_assign_is_algorithm_1(case: Case) -> None:
    tree, rows = case
    for labels in rows:
        positive, negative = cost.assign(tree, labels)
        expected = reference.assign(tree.parent.tolist(), tree.label.tolist(), list(labels))
        assert (set(positive.tolist()), set(negative.tolist())) == expected
        assert len(positive) + len(negative) == reference.row_cost(tree.to_nested(), labels)


@given(trees_with_label_rows())
@settings(deadline=None)
def test_three_formulas_agree_with_the_definition(case: Case) -> None:
    tree, rows = case
    expected = reference.training_cost(tree.to_nested(), rows)
    weights = cost.node_weights(tree, rows)
    assert cost.training_cost(tree, rows) == expected
    assert cost.row_costs(tree, rows).sum() == expected
    assert len(rows) + weights @ tree.degree == expected
    assert len(rows) + weights[tree.parent[1:]].sum() == expected


@given(trees_with_label_rows())
@settings(deadline=None)
def test_node_weights_count_the_rows_of_each_node(case: Case) -> None:
    tree, rows = case
    expected = sorted(reference.hamming_weight(node, rows) for node in subtrees(tree.to_nested()))
    assert sorted(cost.node_weights(tree, rows).tolist()) == expected
    leaf_weights = cost.node_weights(tree, rows)[tree.leaves]
    assert leaf_weights.tolist() == [sum(j in row for row in rows) for j in range(tree.n_labels)]


@given(nested_trees())
@settings(deadline=None)
def test_leaf_costs_sum_the_degrees_above(nested: object) -> None:
    tree = LabelTree.from_nested(nested)
    expected = [reference.leaf_cost(tree.to_nested(), j) for j in range(tree.n_labels)]
    assert cost.leaf_costs(tree).tolist() == expected


def test_a_row_without_labels_costs_one() -> None:
    assert cost.row_costs(TREE, [[]]).tolist() == [1]


def test_a_row_of_a_single_label_tree_costs_one() -> None:
    assert cost.training_cost(LabelTree.from_nested(0), [[0], [], [0]]) == 3


def test_zero_rows_cost_nothing() -> None:
    assert cost.training_cost(TREE, []) == 0
    assert cost.node_weights(TREE, []).tolist() == [0] * TREE.n_nodes


def test_expected_cost_of_the_empirical_distribution_is_the_mean() -> None:
    rows = [[0], [0, 4], [], [5, 2]]
    expected = cost.training_cost(TREE, rows) / 4
    assert cost.expected_cost(TREE, rows, np.full(4, 0.25)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([0.5, 0.6], "the sum 1.1"),
        ([1.5, -0.5], "the smallest is -0.5"),
        ([1.0], "there are 2 sets and the shape"),
        ([0.5, float("nan")], "sum to 1"),
    ],
)
def test_probabilities_are_checked(probabilities, message) -> None:
    with pytest.raises(ValueError, match=message):
        cost.expected_cost(TREE, [[0], [1]], probabilities)


def test_all_forms_of_y_cost_the_same() -> None:
    sets = [[0, 4], [], [5]]
    indicator = as_labels(sets, n_labels=6).to_csr()
    for y in (
        sets,
        indicator,
        sparse.coo_matrix(indicator),
        indicator.toarray(),
        as_labels(indicator),
    ):
        assert cost.training_cost(TREE, y) == 1 * 3 + (3 + 2 + 3) + 0 + (3 + 3)


def test_labels_are_matched_by_name_if_the_tree_has_names() -> None:
    tree = LabelTree.from_nested([["dog", "cat"], "fish"])
    assert cost.row_costs(tree, [["fish"], ["cat"]]).tolist() == [3, 5]


def test_labels_that_are_not_in_the_tree_are_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.\.5, but row 1 of Y has 6"):
        cost.training_cost(TREE, [[0], [6]])
    with pytest.raises(ValueError, match="Y has 5 labels, but 6 are expected"):
        cost.training_cost(TREE, sparse.csr_array((2, 5)))


@pytest.mark.parametrize("n_labels", [40, 700])
@pytest.mark.parametrize("shape", ["chain", "halves"])
def test_weights_of_deep_trees_are_those_of_their_paths(shape: str, n_labels: int) -> None:
    if shape == "chain":
        nested: list[object] = [n_labels - 2, n_labels - 1]
        for label in range(n_labels - 3, -1, -1):
            nested = [label, nested]
        tree = LabelTree.from_nested(nested)
    else:  # a chain of nodes with two labels each
        nested = [0, 1]
        for label in range(2, n_labels, 2):
            nested = [nested, [label, label + 1]]
        tree = LabelTree.from_nested(nested)
    rng = np.random.default_rng(0)
    rows = [rng.choice(n_labels, size, replace=False).tolist() for size in rng.integers(0, 9, 300)]
    expected = np.zeros(tree.n_nodes, int)
    for labels in rows:
        expected[list(cost.assign(tree, labels)[0])] += 1
    assert cost.node_weights(tree, rows).tolist() == expected.tolist()

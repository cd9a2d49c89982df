import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import cost, trees
from labeltree.data import as_labels
from tests.reference import merging as reference
from tests.reference.trees import labels_under, subtrees

Case = tuple[list[set[int]], int]
CHOICES = ("smallest-input", "smallest-output", "largest-match")


def label_sets(max_labels: int, max_rows: int) -> st.SearchStrategy[Case]:
    return st.integers(1, max_labels).flatmap(
        lambda m: st.tuples(st.lists(st.sets(st.integers(0, m - 1)), max_size=max_rows), st.just(m))
    )


def unordered(nested: object) -> object:
    return nested if isinstance(nested, int) else frozenset(map(unordered, nested))


@given(label_sets(9, 12), st.sampled_from(CHOICES))
@settings(deadline=None, max_examples=300)
def test_merging_equals_the_reference(case: Case, choose: str) -> None:
    rows, m = case
    tree = trees.binary_merge(as_labels(rows, n_labels=m), choose=choose)
    assert unordered(tree.to_nested()) == unordered(reference.greedy_merge(rows, m, choose))


@pytest.mark.parametrize("choose", CHOICES)
def test_cost_is_n_plus_twice_the_merge_cost_minus_the_leaves(choose: str) -> None:
    rows = [{0, 1}, {1, 2}, {2}, {0, 3}, {3}, set()]
    tree = trees.binary_merge(rows, choose=choose)
    merge_cost = int(cost.node_weights(tree, rows).sum())  # leaves and root are counted too
    assert cost.training_cost(tree, rows) == len(rows) + 2 * (merge_cost - sum(map(len, rows)))


def test_the_error_for_an_unknown_choice_lists_the_choices() -> None:
    with pytest.raises(ValueError, match="smallest-input, smallest-output, largest-match, but is"):
        trees.binary_merge([[0]], choose="best")  # type: ignore[arg-type]


def test_zero_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="a tree needs at least one label"):
        trees.binary_merge(as_labels([[]], n_labels=0))


def test_merging_keeps_names() -> None:
    assert trees.binary_merge([["b"], ["a"]]).names == ("a", "b")


@given(label_sets(12, 8), st.integers(2, 12), st.booleans(), st.integers(0, 9))
@settings(deadline=None, max_examples=200)
def test_a_binarized_tree_costs_less_than_twice_as_much(
    case: Case, arity: int, weigh: bool, seed: int
) -> None:
    rows, m = case
    Y = as_labels(rows, n_labels=m)
    tree = trees.random(m, arity=arity, random_state=seed)
    binary = trees.binarize(tree, Y if weigh else None)
    assert binary.max_degree <= 2
    given_cost = cost.training_cost(tree, Y)
    assert cost.training_cost(binary, Y) < 2 * given_cost or not rows


def test_a_binarized_tree_keeps_the_clusters() -> None:
    tree = trees.LabelTree.from_nested([[0, 1, 2], 3, [4, 5, 6, 7]])
    clusters = {frozenset(labels_under(v)) for v in subtrees(tree.to_nested())}
    binary = trees.binarize(tree).to_nested()
    assert clusters <= {frozenset(labels_under(v)) for v in subtrees(binary)}


def test_a_binary_tree_is_unchanged() -> None:
    tree = trees.complete(9, arity=2)
    assert trees.binarize(tree) == tree


def test_a_star_of_identical_labels_approaches_the_factor_of_two() -> None:
    rows = [list(range(50))]
    assert cost.training_cost(trees.star(50), rows) == 51
    assert cost.training_cost(trees.binarize(trees.star(50)), rows) == 99


def test_rare_children_are_joined_first() -> None:
    rows = [[0]] * 8 + [[1]] * 4 + [[2]] * 2 + [[3]]
    assert trees.binarize(trees.star(4), rows).to_nested() == [0, [1, [2, 3]]]


def test_binarizing_keeps_names() -> None:
    tree = trees.LabelTree.from_nested(["a", "b", "c"])
    assert trees.binarize(tree, [["a"], ["c"]]).names == ("a", "b", "c")

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree import LabelTree, cost, trees
from labeltree.data import as_labels
from tests.cost.test_cost import Case, trees_with_label_rows
from tests.reference import cost as reference
from tests.reference.merging import collapsed_trees

PRICES = st.sampled_from([(0.0, 1.0), (2.0, 1.0), (0.5, 0.25)])


@given(trees_with_label_rows(), PRICES)
@settings(deadline=None, max_examples=300)
def test_collapse_is_the_best_of_all_removals(case: Case, price: tuple[float, float]) -> None:
    tree, rows = case
    collapsed = trees.collapse(tree, rows, cost_model=trees.CostModel(*price)).to_nested()
    best = min(
        reference.model_cost(candidate, rows, *price)
        for candidate in collapsed_trees(tree.to_nested())
    )
    assert reference.model_cost(collapsed, rows, *price) == pytest.approx(best, rel=1e-12)


def test_the_smaller_of_equally_cheap_trees_is_returned() -> None:
    tree = LabelTree.from_nested([[0, 1], [2, 3]])
    assert trees.collapse(tree, [[0], [1], [2], [3]]).to_nested() == [0, 1, 2, 3]


def test_nodes_without_rows_are_kept() -> None:
    tree = LabelTree.from_nested([[[0, 1], [2, 3]], 4])
    assert trees.collapse(tree, [[4]]).to_nested() == [[[0, 1], [2, 3]], 4]


def test_collapse_of_a_deep_caterpillar_is_fast_and_correct() -> None:
    m = 100_000
    inner = np.arange(m - 1)
    parent = np.concatenate([inner - 1, inner, [m - 2]])
    label = np.concatenate([np.full(m - 1, -1), np.arange(m)])
    tree = LabelTree.from_parents(parent, label)
    every_label_once = sparse.csr_array(
        (np.ones(m), (np.zeros(m, int), np.arange(m))), shape=(1, m)
    )
    assert trees.collapse(tree, every_label_once).degree[0] == m


@given(trees_with_label_rows(), PRICES, st.sampled_from([0.0, 0.5, 1.0]))
@settings(deadline=None, max_examples=200)
def test_a_sweep_never_raises_the_cost(case: Case, price, max_share) -> None:
    tree, rows = case
    swept = trees.sweep(tree, rows, max_share=max_share, cost_model=trees.CostModel(*price))
    assert swept.n_labels == tree.n_labels
    before = reference.model_cost(tree.to_nested(), rows, *price)
    assert reference.model_cost(swept.to_nested(), rows, *price) <= before * (1 + 1e-12)


@given(trees_with_label_rows())
@settings(deadline=None, max_examples=100)
def test_after_sweeps_moving_a_leaf_to_another_node_never_lowers_the_cost(case: Case) -> None:
    tree, rows = case
    tree = trees.sweep(tree, rows, sweeps=50, max_share=0.0)
    price = cost.training_cost(tree, rows)
    for moved in moves_of_leaves(tree, rows):
        assert cost.training_cost(moved, rows) >= price


def moves_of_leaves(tree: LabelTree, rows: list[set[int]]):
    """Yield every tree with one leaf moved to another node that shares its rows."""
    for j in range(tree.n_labels):
        touched = {
            v
            for row in rows
            if j in row
            for v in cost.assign(tree, row - {j})[0].tolist()
            if tree.degree[v]
        }
        for v in touched - {tree.parent[tree.leaf(j)]}:
            parent = tree.parent.copy()
            parent[tree.leaf(j)] = v
            yield LabelTree.from_parents(parent, tree.label)


def test_labels_that_share_rows_are_grouped() -> None:
    tree = LabelTree.from_nested([[0, 2], [1, 3]])
    swept = trees.sweep(tree, [[0, 1], [0, 1], [2, 3], [2, 3]])
    assert cost.training_cost(swept, [[0, 1], [0, 1], [2, 3], [2, 3]]) == 20


def test_names_are_kept() -> None:
    tree = LabelTree.from_nested([["a", "b"], ["c", "d"]])
    rows = [["a", "c"], ["b", "d"]]
    assert trees.sweep(tree, rows).names == trees.collapse(tree, rows).names == tree.names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sweeps": -1}, "sweeps must be at least 0, but is -1"),
        ({"max_share": 1.5}, "max_share must lie in 0..1, but is 1.5"),
    ],
)
def test_options_of_sweep_are_checked(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        trees.sweep(LabelTree.from_nested([0, 1]), [[0]], **options)


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ((-1.0, 1.0), "per_row must be at least 0, at most 1e\\+30, but is -1"),
        ((0.0, float("nan")), "per_pair must be at least 0, at most"),
        ((1.0, 0.0), "per_pair must be at least 1e-30, but is 0"),
    ],
)
def test_cost_models_are_checked(prices, message) -> None:
    with pytest.raises(ValueError, match=message):
        trees.CostModel(*prices)


def test_refinement_accepts_any_form_of_y() -> None:
    tree = LabelTree.from_nested([[0, 1], [2, 3]])
    Y = as_labels([[0, 1], [2, 3]]).to_csr()
    assert trees.collapse(tree, Y) == trees.collapse(tree, [[0, 1], [2, 3]])

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree import cost, trees
from labeltree.data import as_labels
from tests.reference import cost as reference
from tests.strategies import nested_counts, nested_rows, row_lists
from tests.trees.test_merge import label_sets


@given(label_sets(max_labels=5, max_rows=6), st.sampled_from([0, 1, 3]))
@settings(deadline=None)
def test_cheapest_is_never_worse_than_the_guaranteed_trees(case, sweeps) -> None:
    rows, m = case
    labels = as_labels(rows, n_labels=m)
    price = cost.training_cost(trees.cheapest(labels, sweeps=sweeps), rows)
    for tree in (trees.huffman(labels.counts), trees.complete(m, counts=labels.counts)):
        assert price <= cost.training_cost(tree, rows)
    assert price >= reference.cheapest_cost(rows, m)


def test_sweeps_never_raise_the_cost() -> None:
    rng = np.random.default_rng(0)
    Y = as_labels(sparse.random_array((300, 60), density=0.06, rng=rng).astype(bool))
    costs = [cost.training_cost(trees.cheapest(Y, sweeps=sweeps), Y) for sweeps in range(4)]
    assert costs == sorted(costs, reverse=True)
    assert costs[1] < costs[0]


def test_a_higher_cost_per_row_makes_wider_nodes() -> None:
    rows = [[j] for j in range(64)]
    narrow = trees.cheapest(rows)
    wide = trees.cheapest(rows, cost_model=trees.CostModel(per_row=8.0))
    assert narrow.max_degree <= 4 < wide.max_degree


@given(row_lists(5, max_size=1))
@settings(deadline=None)
def test_cheapest_is_optimal_with_one_label_per_row(rows) -> None:
    tree = trees.cheapest(as_labels(rows, n_labels=5))
    assert cost.training_cost(tree, rows) == reference.cheapest_cost(rows, 5)


@given(nested_counts(min_labels=2, max_labels=5))
@settings(deadline=None)
def test_cheapest_is_optimal_for_nested_labels(counts) -> None:
    rows = nested_rows(counts)
    tree = trees.cheapest(as_labels(rows, n_labels=len(counts)))
    assert cost.training_cost(tree, rows) == reference.cheapest_cost(rows, len(counts))


@pytest.mark.parametrize(
    "Y",
    [
        sparse.csr_array((0, 4), dtype=np.uint8),
        sparse.csr_array((3, 1), dtype=np.uint8),
        sparse.csr_array(np.ones((3, 1), np.uint8)),
        sparse.csr_array((3, 7), dtype=np.uint8),
        sparse.csr_array(np.ones((5, 6), np.uint8)),
        sparse.csr_array(np.repeat([[1], [0], [1]], 5, axis=1).astype(np.uint8)),
    ],
    ids=[
        "no rows",
        "one label, no positives",
        "one label",
        "no positives",
        "all labels",
        "identical",
    ],
)
def test_edge_cases_give_a_tree_within_its_bounds(Y) -> None:
    tree = trees.cheapest(Y, sweeps=1)
    assert tree.n_labels == Y.shape[1]
    assert cost.training_cost(tree, Y) >= cost.lower_bound(Y)


def test_zero_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="a tree needs at least one label"):
        trees.cheapest(sparse.csr_array((3, 0), dtype=np.uint8))


def test_a_million_labels_of_count_one_stay_shallow() -> None:
    tree = trees.cheapest(sparse.eye_array(1_000_000, format="csr", dtype=np.uint8))
    assert tree.depth <= 14
    assert cost.leaf_costs(tree).max() <= 42

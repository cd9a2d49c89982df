"""The hardness of the cheapest tree: label matrices that encode the clique problem."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import bounds, cost, trees
from tests.reference.bounds import cheapest_of_spans, largest_clique

CLIQUE = [(u, v) for u in range(20) for v in range(u)]
PATH = [(20, 0)] + [(v, v - 1) for v in range(21, 30)]


def test_the_tree_of_a_clique_costs_the_threshold() -> None:
    instance = bounds.clique_instance(CLIQUE + PATH, 30)
    assert (instance.rows.n_rows, instance.rows.n_labels) == (30 + 3915, 430)
    assert instance.threshold == 1_696_295 + 30 + 3915 == 1_700_240
    tree = instance.tree(range(20))
    assert cost.training_cost(tree, instance.rows) == instance.threshold


def test_a_missing_edge_makes_the_tree_too_expensive() -> None:
    instance = bounds.clique_instance(CLIQUE[1:] + PATH, 30)
    assert cost.training_cost(instance.tree(range(20)), instance.rows) > instance.threshold


@pytest.mark.parametrize("size", [1, 10, 19, 21, 30])
def test_another_set_of_vertices_makes_the_tree_too_expensive(size: int) -> None:
    complete = [(u, v) for u in range(30) for v in range(u)]
    instance = bounds.clique_instance(complete, 30)
    assert cost.training_cost(instance.tree(range(size)), instance.rows) > instance.threshold


def test_rows_of_vertices_hold_the_arcs_that_touch_them() -> None:
    instance = bounds.clique_instance([(0, 1)], 30)
    assert instance.arcs[instance.rows.row(0)].tolist() == [[0, 0], [0, 1], [1, 0]]
    assert len(instance.rows.row(30)) == len(instance.arcs) == 32


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.data())
def test_the_prepared_graph_has_the_clique_if_and_only_if_the_original_does(
    n: int, data: st.DataObject
) -> None:
    possible = [(u, v) for u in range(n) for v in range(u)]
    edges = data.draw(st.sets(st.sampled_from(possible))) if possible else set()
    k = data.draw(st.integers(1, n))
    instance = bounds.reduce_clique(edges, n, k)
    arcs = set(map(tuple, instance.arcs.tolist()))
    prepared = largest_clique(instance.n_vertices, arcs) >= instance.clique_size
    assert prepared == (largest_clique(n, edges) >= k)


def test_the_clique_of_a_prepared_graph_has_two_thirds_of_the_vertices() -> None:
    instance = bounds.reduce_clique([], 12, 2)
    assert (instance.n_vertices, instance.clique_size) == (30, 20)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.clique_instance([], 31), "multiple of 30, but is 31"),
        (lambda: bounds.clique_instance([(0, 30)], 30), r"0\.\.29, but there is an edge \(0, 30\)"),
        (
            lambda: bounds.reduce_clique([], 3, 4),
            "k must be between 1 and the 3 vertices, but is 4",
        ),
    ],
)
def test_invalid_graphs_are_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# Six vertices ------------------------------------------------------------------------------------

FOUR = [(u, v) for u in range(4) for v in range(u)]
PAIRS = list(itertools.combinations(range(6), 2))


@pytest.mark.parametrize(
    "edges",
    [
        FOUR,
        [*FOUR[1:], (4, 5)],
        PAIRS[:5],
        [],
    ],
    ids=["clique", "edge missing", "star", "no edge"],
)
def test_the_optimum_of_a_small_graph_is_the_threshold_if_it_has_a_clique(edges: list) -> None:
    instance = bounds.clique_instance(edges, 6, n_full=24)
    optimum = cost.training_cost(trees.exact(instance.rows), instance.rows)
    assert (optimum <= instance.threshold) == (largest_clique(6, set(edges)) >= 4)
    assert optimum == cheapest_of_spans(edges, 6, 24)


@settings(max_examples=30, deadline=None)
@given(st.sets(st.sampled_from(PAIRS)), st.sampled_from([23, 24, 25]))
def test_a_graph_of_six_vertices_has_a_cheap_tree_if_and_only_if_it_has_a_clique(
    edges: set, n_full: int
) -> None:
    instance = bounds.clique_instance(edges, 6, n_full=n_full)
    is_cheap = cheapest_of_spans(edges, 6, n_full) <= instance.threshold
    assert is_cheap == (largest_clique(6, edges) >= 4)


def test_with_more_full_rows_the_star_of_six_vertices_costs_the_threshold_too() -> None:
    assert bounds.clique_instance(FOUR, 6, n_full=26).threshold == 32 + 18 * 32


def test_a_small_instance_needs_a_multiple_of_three_vertices() -> None:
    with pytest.raises(ValueError, match="multiple of 3, but is 7"):
        bounds.clique_instance([], 7, n_full=24)

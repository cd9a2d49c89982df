import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree import cost, trees
from labeltree.data import as_labels
from tests.reference import merging as reference


def label_sets(
    max_labels: int = 8, max_rows: int = 10
) -> st.SearchStrategy[tuple[list[set[int]], int]]:
    return st.integers(1, max_labels).flatmap(
        lambda m: st.tuples(st.lists(st.sets(st.integers(0, m - 1)), max_size=max_rows), st.just(m))
    )


def unordered(nested: object) -> object:
    return nested if isinstance(nested, int) else frozenset(map(unordered, nested))


@given(label_sets())
@settings(deadline=None, max_examples=300)
def test_merge_equals_the_reference(case: tuple[list[set[int]], int]) -> None:
    rows, m = case
    tree = trees.merge(as_labels(rows, n_labels=m))
    assert unordered(tree.to_nested()) == unordered(reference.phi_merge(rows, m))


@given(label_sets(), st.integers(2, 5))
@settings(deadline=None, max_examples=100)
def test_rows_that_are_repeated_count_each_time(
    case: tuple[list[set[int]], int], n_times: int
) -> None:
    rows, m = case
    rows = [row for i, row in enumerate(rows) for _ in range(1 + i % n_times)]
    tree = trees.merge(as_labels(rows, n_labels=m))
    assert unordered(tree.to_nested()) == unordered(reference.phi_merge(rows, m))


def test_the_order_of_thousands_of_distinct_rows_does_not_change_the_tree() -> None:
    rng = np.random.default_rng(0)
    rows = [set(rng.integers(0, 50, 3).tolist()) for _ in range(6000)]
    shuffled = [rows[i] for i in rng.permutation(len(rows))]
    tree, other = trees.merge(rows), trees.merge(shuffled)
    np.testing.assert_array_equal(tree.parent, other.parent)
    np.testing.assert_array_equal(tree.label, other.label)


def test_disjoint_labels_become_a_binary_huffman_tree() -> None:
    rows = [[j] for j, count in enumerate([1, 1, 2, 4, 8]) for _ in range(count)]
    assert cost.leaf_costs(trees.merge(rows)).tolist() == [8, 8, 6, 4, 2]


def test_nested_labels_become_the_sorted_caterpillar() -> None:
    rows = [range(j, 4) for j in (0, 1, 2, 3)]
    assert unordered(trees.merge(rows).to_nested()) == unordered([3, [2, [1, 0]]])


def test_names_keep_their_labels() -> None:
    tree = trees.merge([["b", "c"], ["a"], ["a"]])
    assert tree.names == ("a", "b", "c")
    assert unordered(tree.to_nested()) == unordered([0, [1, 2]])


def test_rows_with_too_many_labels_count_but_suggest_no_pairs() -> None:
    m = 40_000  # 40,000² exceeds the budget for pairs of labels
    every_label = sparse.csr_array(np.ones((1, m), np.uint8))
    pairs = sparse.kron(sparse.eye_array(m // 2, dtype=np.uint8), np.ones((1, 2), np.uint8))
    tree = trees.merge(sparse.vstack([every_label, sparse.csr_array(pairs)]))
    assert tree.n_labels == m
    assert all(tree.parent[tree.leaves[::2]] == tree.parent[tree.leaves[1::2]])


@pytest.mark.parametrize("m", [1, 2, 3, 10])
def test_labels_that_are_never_positive_stay_shallow(m: int) -> None:
    tree = trees.merge(sparse.csr_array((5, m), dtype=np.uint8))
    assert tree.n_labels == m
    assert tree.depth <= np.ceil(np.log2(m) / np.log2(3)) + 1


def test_zero_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="a tree needs at least one label"):
        trees.merge(sparse.csr_array((3, 0), dtype=np.uint8))


@pytest.mark.parametrize("per_row", [1e6, 1e12, 1e30])
def test_any_price_of_rows_gives_a_tree(per_row: float) -> None:
    # The best degree is about per_row / log(per_row), which cannot be found by counting.
    tree = trees.merge([[0, 1], [1, 2], [3]], cost_model=trees.CostModel(per_row=per_row))
    assert tree.n_labels == 4


@pytest.mark.parametrize(
    ("per_row", "per_pair"), [(1e31, 1.0), (0.0, 1e31), (0.0, 1e-31), (float("inf"), 1.0)]
)
def test_prices_beyond_the_limits_are_refused(per_row: float, per_pair: float) -> None:
    with pytest.raises(ValueError, match=r"per_\w+ must "):
        trees.CostModel(per_row, per_pair)


@pytest.mark.parametrize("price", ["1", None, 1j, True])
def test_prices_that_are_no_numbers_are_refused(price: object) -> None:
    with pytest.raises(TypeError, match="per_row must be a number, but is"):
        trees.CostModel(price)  # type: ignore[arg-type]

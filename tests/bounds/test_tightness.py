"""When bounds are attained, on all label matrices of a small size."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeltree import bounds, cost, trees
from labeltree.data import LabelRows, as_labels
from tests.bounds.small_cases import fast
from tests.strategies import nested_counts


def all_matrices(max_labels: int, max_rows: int) -> Iterator[LabelRows]:
    for m, n in itertools.product(range(2, max_labels + 1), range(1, max_rows + 1)):
        sets = [s for size in range(m + 1) for s in itertools.combinations(range(m), size)]
        for rows in itertools.combinations_with_replacement(sets, n):
            yield as_labels(list(rows), n_labels=m)


def optimum(rows: LabelRows) -> int:
    return cost.training_cost(trees.exact(rows), rows)


def test_the_simple_bound_is_attained_if_and_only_if_all_columns_are_identical() -> None:
    for rows in all_matrices(4, 2):
        are_identical = bool(np.isin(np.diff(rows.indptr), (0, rows.n_labels)).all())
        assert (optimum(rows) == bounds.simple_lower_bound(rows)) == are_identical


def all_counts(n: int, m: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Yield the descending positive counts of m labels that sum to n."""
    if m == 0:
        yield from [()] if n == 0 else []
        return
    for first in range(min(n, largest), 0, -1):
        yield from ((first, *rest) for rest in all_counts(n - first, m - 1, first))


def test_the_entropy_bound_is_attained_if_and_only_if_all_shares_are_powers_of_a_third() -> None:
    tight = []
    for m, n in itertools.product(range(2, 8), range(2, 13)):
        for counts in all_counts(n, m, n):
            best = n + int(cost.leaf_costs(trees.multiclass(counts)) @ np.array(counts))
            is_tight = math.isclose(best, bounds.entropy_lower_bound(counts))
            assert is_tight == all(n in (c, 3 * c, 9 * c) for c in counts)
            tight += [counts] if is_tight else []
    assert (3, 3, 1, 1, 1) in tight


@pytest.mark.parametrize("k", [3, 4, 5])
def test_three_blocks_of_identical_columns_attain_the_lower_bound(k: int) -> None:
    rows = as_labels([range(b * k, b * k + k) for b in range(3)])
    assert cost.lower_bound(rows) == optimum(rows) == 3 * (4 + k)


@fast
@given(nested_counts(min_labels=2, max_labels=8))
def test_nested_labels_cost_less_than_twice_the_simple_bound(counts: list[int]) -> None:
    best = bounds.nested_optimum(counts, counts[-1])
    assert best <= counts[-1] + 2 * sum(counts[1:]) < 2 * (counts[-1] + sum(counts))


@pytest.mark.parametrize("m", [2, 5, 9])
def test_nested_counts_that_double_attain_the_bound_of_nested_labels(m: int) -> None:
    counts = [2**j for j in range(m)]
    assert bounds.nested_optimum(counts, counts[-1]) == counts[-1] + 2 * sum(counts[1:])


def largest_row_costs(m: int) -> list[int]:
    """Return the largest cost of a row with k = 1 .. m labels in the complete ternary tree."""
    tree = trees.complete(m)
    return [
        int(cost.row_costs(tree, [list(s) for s in itertools.combinations(range(m), k)]).max())
        for k in range(1, m + 1)
    ]


@pytest.mark.parametrize("m", range(2, 13))
def test_complete_ternary_trees_satisfy_the_printed_ratio_for_every_row(m: int) -> None:
    factor = 3 * math.log(m, 3)
    finer = 3 * (math.ceil(math.log(m, 3) - 1e-9) - 1) if m > 9 else (10 / 3 if m > 3 else 4 / 3)
    for k, largest in enumerate(largest_row_costs(m), start=1):
        at_least = max(3, 1 + k)  # in any tree
        assert largest <= min(factor, finer) * at_least + 1e-9


@fast
@given(st.integers(2, 400), st.data())
def test_complete_ternary_trees_satisfy_the_printed_ratio_for_many_labels(
    m: int, data: st.DataObject
) -> None:
    row = data.draw(st.sets(st.integers(0, m - 1), min_size=1, max_size=40))
    price = int(cost.row_costs(trees.complete(m), [row])[0])
    assert price <= 3 * math.log(m, 3) * max(3, 1 + len(row)) + 1e-9


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_binary_huffman_trees_are_optimal_among_binary_trees(m: int) -> None:
    for counts in all_counts(9, m, 9):
        tree = trees.huffman(counts, arity=2)
        assert int(cost.leaf_costs(tree) @ np.array(counts)) == cheapest_binary(counts)


def cheapest_binary(counts: tuple[int, ...]) -> int:
    """Return the smallest Σ count·D_j over all binary trees, by all ways to join two nodes."""
    if len(counts) == 1:
        return 0
    found = []
    for i, j in itertools.combinations(range(len(counts)), 2):
        joined = counts[i] + counts[j]
        rest = tuple(c for at, c in enumerate(counts) if at not in (i, j))
        found.append(2 * joined + cheapest_binary((joined, *rest)))
    return min(found)

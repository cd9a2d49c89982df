"""Trees over label counts: the optimum, Huffman trees and Shannon trees."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from tests.reference.trees import set_partitions


def lowest_cost(weight: Callable[[frozenset[int]], int], labels: frozenset[int]) -> int:
    """Return the minimum over trees of Σ weight · degree, by recursion on the parts of the root."""

    @functools.cache
    def best(part: frozenset[int]) -> int:
        if len(part) == 1:
            return 0
        return min(
            len(parts) * weight(part) + sum(best(frozenset(p)) for p in parts)
            for parts in set_partitions(sorted(part))
            if len(parts) > 1
        )

    return best(labels)


def lowest_multiclass_cost(counts: Sequence[int]) -> int:
    """Return Σ n_j D_j of the best tree if no row has two labels."""
    return lowest_cost(lambda part: sum(counts[j] for j in part), frozenset(range(len(counts))))


def lowest_nested_cost(counts: Sequence[int]) -> int:
    """Return the same if every row of a label is also a row of all more frequent labels."""
    return lowest_cost(lambda part: max(counts[j] for j in part), frozenset(range(len(counts))))


def huffman_cost(counts: Sequence[int], arity: int, short: str) -> int:
    """Return Σ n_j D_j if `arity` nodes are merged at a time; the first or last merge is short."""
    positive = [count for count in counts if count]
    roots = sorted(
        positive + [0] * (len(positive) < len(counts))
    )  # labels without rows count as one
    excess = (len(roots) - 1) % (arity - 1)
    size = excess + 1 if excess and short == "first" else arity
    cost = 0
    while len(roots) > 1:
        merged = roots[:size]
        cost += len(merged) * sum(merged)
        roots = sorted([*roots[size:], sum(merged)])
        size = arity
    return cost


def entropy_bound(counts: Sequence[int]) -> float:
    """Return n'·A₃·H(p), a lower bound on Σ n_j D_j."""
    total = sum(counts)
    return sum(3 * count * math.log(total / count, 3) for count in counts if count)


def shannon_depth(count: int, total: int) -> int:
    depth = 0
    while count * 3**depth < total:
        depth += 1
    return depth

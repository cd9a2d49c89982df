"""The cost of trees, by the definitions."""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.trees import Nested, all_trees, labels_under, subtrees


def row_cost(tree: Nested, labels: set[int]) -> int:
    """Return the cost by equation 3: one for the root, one for each child of a positive node."""
    cost = 1
    for node in subtrees(tree):
        if isinstance(node, list) and labels_under(node) & labels:
            cost += len(node)
    return cost


def training_cost(tree: Nested, rows: Sequence[set[int]]) -> int:
    return sum(row_cost(tree, labels) for labels in rows)


def hamming_weight(node: Nested, rows: Sequence[set[int]]) -> int:
    return sum(1 for labels in rows if labels_under(node) & labels)


def leaf_cost(tree: Nested, label: int) -> int:
    """Return D_j, the sum of the degrees of the proper ancestors of the leaf of j."""
    return sum(
        len(node)
        for node in subtrees(tree)
        if isinstance(node, list) and label in labels_under(node)
    )


def assign(
    parent: Sequence[int], label: Sequence[int], labels: Sequence[int]
) -> tuple[set[int], set[int]]:
    """Return positive and negative nodes by Algorithm 1, line by line."""
    positive: set[int] = set()
    negative = {list(parent).index(-1)}
    for j in labels:
        v = list(label).index(j)
        while v != -1 and v not in positive:
            positive.add(v)
            negative.discard(v)
            for child in (u for u, p in enumerate(parent) if p == v):
                if child not in positive:
                    negative.add(child)
            v = parent[v]
    return positive, negative


def model_cost(tree: Nested, rows: Sequence[set[int]], per_row: float, per_pair: float) -> float:
    """Return the cost of all nodes under a cost model, excluding the classifier of the root."""
    return sum(
        hamming_weight(node, rows) * (per_row + per_pair * len(node))
        for node in subtrees(tree)
        if isinstance(node, list)
    )


def cheapest_cost(rows: Sequence[set[int]], n_labels: int) -> int:
    """Return the minimum of c(T, Y) over all trees."""
    return min(training_cost(tree, rows) for tree in all_trees(list(range(n_labels))))

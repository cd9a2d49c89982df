"""The method, slowly and plainly: what the native code is judged by.

Trees are nested lists with label numbers at the leaves, label matrices are lists of sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Nested = int | list  # type: ignore[type-arg]

# Trees and their cost ---------------------------------------------------------------------------


def labels_under(tree: Nested) -> set[int]:
    return {tree} if isinstance(tree, int) else set().union(*map(labels_under, tree))


def subtrees(tree: Nested) -> Iterator[Nested]:
    """Every node, as the subtree under it."""
    yield tree
    if isinstance(tree, list):
        for child in tree:
            yield from subtrees(child)


def contract(tree: Nested) -> Nested:
    """The tree without nodes of degree one."""
    if isinstance(tree, int):
        return tree
    return contract(tree[0]) if len(tree) == 1 else [contract(child) for child in tree]


def row_cost(tree: Nested, labels: set[int]) -> int:
    """Equation 3: one for the root, and one for every child of a positive node."""
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
    """D_j: the degrees of the proper ancestors of the leaf of j, summed."""
    return sum(
        len(node)
        for node in subtrees(tree)
        if isinstance(node, list) and label in labels_under(node)
    )


def assign(
    parent: Sequence[int], label: Sequence[int], labels: Sequence[int]
) -> tuple[set[int], set[int]]:
    """Algorithm 1, line by line."""
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


def all_trees(labels: Sequence[int]) -> Iterator[Nested]:
    """Every tree over the labels without nodes of degree one, siblings in one order."""
    if len(labels) == 1:
        yield labels[0]
        return
    for parts in set_partitions(list(labels)):
        if len(parts) > 1:
            yield from _all_combinations(parts)


def _all_combinations(parts: list[list[int]]) -> Iterator[list[Nested]]:
    if not parts:
        yield []
        return
    for first in all_trees(parts[0]):
        for rest in _all_combinations(parts[1:]):
            yield [first, *rest]


def set_partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    for partition in set_partitions(items[1:]):
        yield [[items[0]], *partition]
        for i, part in enumerate(partition):
            yield [*partition[:i], [items[0], *part], *partition[i + 1 :]]

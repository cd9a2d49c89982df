"""Trees as nested lists, and the enumeration of all trees over a few labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Nested = int | list  # type: ignore[type-arg]


def labels_under(tree: Nested) -> set[int]:
    return {tree} if isinstance(tree, int) else set().union(*map(labels_under, tree))


def subtrees(tree: Nested) -> Iterator[Nested]:
    """Yield every node as the subtree under it."""
    yield tree
    if isinstance(tree, list):
        for child in tree:
            yield from subtrees(child)


def contract(tree: Nested) -> Nested:
    """Return the tree without nodes of degree one."""
    if isinstance(tree, int):
        return tree
    return contract(tree[0]) if len(tree) == 1 else [contract(child) for child in tree]


def all_trees(labels: Sequence[int]) -> Iterator[Nested]:
    """Yield every tree over the labels without nodes of degree one, with siblings in one order."""
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

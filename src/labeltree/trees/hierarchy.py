"""Conversion of a user-provided hierarchy of named concepts to parents of nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from labeltree.arguments import is_hashable, shown
from labeltree.trees.parents import Parents

NO_PARENT = -1


def parse_hierarchy(
    pairs: Iterable[tuple[Hashable, Hashable]],
    labels: Iterable[Hashable] | None,
    *,
    join_roots: bool,
    first_parent: bool,
) -> Parents:
    """Return the parents and labels of the tree that `LabelTree.from_hierarchy` describes."""
    number, parent = number_concepts(pairs, first_parent=first_parent)
    concepts = list(number)
    check_no_cycle(parent, concepts)
    names = concepts if labels is None else _check_labels(labels, number)
    kept = _with_ancestors([number[name] for name in names], parent)
    roots = [v for v in kept if parent[v] == NO_PARENT]
    if len(roots) > 1 and not join_roots:
        first, second = (shown(concepts[root]) for root in roots[:2])
        raise ValueError(
            f"a tree must have one root, but {first} and {second} have no parent; pass "
            "join_roots=True to put them under one"
        )
    return _place_labels(kept, parent, [number[name] for name in names], names)


def number_concepts(
    pairs: Iterable[tuple[Hashable, Hashable]], *, first_parent: bool
) -> tuple[dict[Hashable, int], list[int]]:
    """Return the number of each concept in order of appearance, and the parent of each number."""
    number: dict[Hashable, int] = {}
    parent: list[int] = []

    def number_of(concept: Hashable) -> int:
        if not is_hashable(concept):
            raise TypeError(f"concepts must be hashable, but one is {shown(concept)}")
        if concept not in number:
            number[concept] = len(parent)
            parent.append(NO_PARENT)
        return number[concept]

    for above, below in pairs:
        p, v = number_of(above), number_of(below)
        if parent[v] in (NO_PARENT, p):
            parent[v] = p
        elif not first_parent:
            raise ValueError(
                f"a node must have one parent, but {shown(below)} is under "
                f"{shown(list(number)[parent[v]])} and under {shown(above)}; pass "
                "first_parent=True to keep the first"
            )
    if not number:
        raise ValueError("a hierarchy must have at least one (parent, child) pair, but has none")
    return number, parent


def check_no_cycle(parent: Sequence[int], concepts: Sequence[Hashable]) -> None:
    """Raise ValueError if a node is its own ancestor."""
    walk_of = [NO_PARENT] * len(parent)  # the walk that first visited a node, to detect cycles
    for start in range(len(parent)):
        v = start
        while v != NO_PARENT and walk_of[v] == NO_PARENT:
            walk_of[v] = start
            v = parent[v]
        if v != NO_PARENT and walk_of[v] == start:
            raise ValueError(
                f"a tree must have no cycle, but {shown(concepts[v])} is its own ancestor"
            )


def _check_labels(labels: Iterable[Hashable], number: dict[Hashable, int]) -> list[Hashable]:
    names = list(labels)
    seen: set[Hashable] = set()
    for name in names:
        if name not in number:
            raise ValueError(
                f"labels must be concepts of the hierarchy, but {shown(name)} is not in it"
            )
        if name in seen:
            raise ValueError(f"a label must be on one leaf, but {shown(name)} is in labels twice")
        seen.add(name)
    if not names:
        raise ValueError("a tree needs at least one label, but labels is empty")
    return names


def _with_ancestors(nodes: Iterable[int], parent: Sequence[int]) -> list[int]:
    kept: set[int] = set()
    for v in nodes:
        while v != NO_PARENT and v not in kept:
            kept.add(v)
            v = parent[v]
    return sorted(kept)


def _place_labels(
    kept: Sequence[int], parent: Sequence[int], nodes: Sequence[int], names: Sequence[Hashable]
) -> Parents:
    new = {NO_PARENT: 0} | {v: i for i, v in enumerate(kept, start=1)}  # 0 joins the roots
    new_parent = [NO_PARENT] + [new[parent[v]] for v in kept]
    inner = {parent[v] for v in kept}
    # The leaf of an inner concept is its first child, so it needs the smallest number.
    own_leaf = [(j, v) for j, v in enumerate(nodes) if v in inner]
    shift = len(own_leaf)
    new_parent = [new[v] + shift for _, v in own_leaf] + [
        p if p == NO_PARENT else p + shift for p in new_parent
    ]
    label = [j for j, _ in own_leaf] + [NO_PARENT] * (len(kept) + 1)
    for j, v in enumerate(nodes):
        if v not in inner:
            label[new[v] + shift] = j
    return Parents(new_parent, label, names)

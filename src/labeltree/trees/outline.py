"""A tree as text: a few levels with the number of labels below each node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from labeltree.trees.label_lists import listed, shortened
from labeltree.trees.overview import Part, examples, overview

if TYPE_CHECKING:
    from labeltree.trees.tree import LabelTree

WIDTH = 100
_SMALL = 40  # maximum number of nodes of a tree that is shown whole
_LARGE = {"max_parts": _SMALL, "max_depth": 3, "max_children": 6}
_WHOLE = {"max_parts": _SMALL, "max_depth": _SMALL, "max_children": _SMALL}


def as_text(tree: LabelTree) -> str:
    """Return the tree as at most 41 lines; lines with … stand for what is left out."""
    root = overview(tree, **(_WHOLE if tree.n_nodes <= _SMALL else _LARGE))
    return "\n".join([heading(tree), *_lines(tree, root, "")])


def heading(tree: LabelTree) -> str:
    """Return the size of the tree in one line."""
    sizes = f"{counted(tree.n_labels, 'label')}, {counted(tree.n_nodes, 'node')}"
    if tree.n_nodes == 1:
        return f"LabelTree: {sizes}"
    return f"LabelTree: {sizes}, depth {tree.depth}, at most {tree.max_degree:,} children per node"


def counted(n: int, noun: str) -> str:
    """Return the number and the noun, in the plural unless the number is 1."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def rest_count(tree: LabelTree, part: Part) -> str:
    """Return how many nodes and labels a part for several siblings stands for."""
    n_nodes = len(part.nodes)
    is_every_child = n_nodes == tree.degree[tree.parent[part.nodes[0]]]
    more = "" if is_every_child else "more "
    if n_nodes == part.n_labels:
        return f"{n_nodes:,} {more}labels"
    return f"{n_nodes:,} {more}nodes, {part.n_labels:,} labels"


def leaf_name(tree: LabelTree, part: Part) -> str:
    """Return the name of the label of a leaf, or its number."""
    name = examples(tree, part, 1)[0]
    return f"label {name}" if tree.names is None else name


def _lines(tree: LabelTree, part: Part, indent: str) -> Iterator[str]:
    if part.is_leaf and part.depth == 0:
        yield f"└─ {shortened(leaf_name(tree, part), WIDTH - 3)}"
    for child in part.children:
        is_last = child is part.children[-1]
        start = indent + ("└─ " if is_last else "├─ ")
        yield start + _described(tree, child, WIDTH - len(start))
        yield from _lines(tree, child, indent + ("   " if is_last else "│  "))


def _described(tree: LabelTree, part: Part, width: int) -> str:
    if part.is_leaf:
        return shortened(leaf_name(tree, part), width)
    if part.children:
        return counted(part.n_labels, "label")
    head = f"… {rest_count(tree, part)}: " if part.is_rest else f"{part.n_labels:,} labels: "
    return head + listed(examples(tree, part), part.n_labels, width - len(head))

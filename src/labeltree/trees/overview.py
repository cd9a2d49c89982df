"""The part of a tree that is worth showing: its largest nodes from the root down."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from labeltree.trees.tree import LabelTree

_N_EXAMPLES = 6  # labels named per part


@dataclass(frozen=True, eq=False)
class Part:
    """A node, or several siblings that are too many or too small to show one by one."""

    nodes: NDArray[np.int64]
    depth: int
    n_labels: int  # at or below the nodes
    is_leaf: bool
    children: list[Part] = field(default_factory=list)

    @property
    def is_rest(self) -> bool:
        """Whether it stands for several siblings."""
        return len(self.nodes) > 1

    @property
    def is_cut(self) -> bool:
        """Whether it has children that are not shown."""
        return not (self.children or self.is_leaf or self.is_rest)

    def walk(self) -> Iterator[Part]:
        """Yield this part and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


def overview(
    tree: LabelTree, *, max_parts: int, max_depth: int, max_children: int, min_labels: int = 1
) -> Part:
    """Return the root with its descendants, the nodes with most labels first.

    Parameters
    ----------
    tree
        The tree.
    max_parts
        Maximum number of parts in total.
    max_depth
        Maximum number of levels below the root.
    max_children
        Maximum number of children that a node shows one by one; one part stands for the rest.
    min_labels
        Minimum number of labels of a node that is shown by itself.
    """
    below = leaves_below(tree)
    root = Part(np.array([0]), 0, tree.n_labels, is_leaf=tree.degree[0] == 0)
    n_parts, queue = 1, [(-root.n_labels, 0, root)]
    while queue:
        part = heapq.heappop(queue)[2]
        if part.is_leaf or part.is_rest or part.depth == max_depth:
            continue
        children = list(_children(tree, below, part, max_children, min_labels))
        if n_parts + len(children) > max_parts:
            continue
        n_parts += len(children)
        part.children.extend(children)
        for child in children:
            heapq.heappush(queue, (-child.n_labels, int(child.nodes[0]), child))
    return root


def _children(
    tree: LabelTree, below: NDArray[np.int64], part: Part, max_children: int, min_labels: int
) -> Iterator[Part]:
    """Yield the largest children in the order of the tree, and one part for the others."""
    children = np.asarray(tree.children(int(part.nodes[0])), dtype=np.int64)
    largest = children[np.argsort(-below[children], kind="stable")]
    n_single = min(int(np.count_nonzero(below[children] >= min_labels)), max_children)
    if n_single == len(children) - 1:
        n_single = len(children)  # a part for the rest would take as much room as the last child
    if n_single == 0 and part.depth > 0:
        return  # a part for all children would repeat its parent
    for node in np.sort(largest[:n_single]):
        is_leaf = bool(tree.degree[node] == 0)
        yield Part(np.array([node]), part.depth + 1, int(below[node]), is_leaf)
    rest = np.sort(largest[n_single:])
    if len(rest):
        yield Part(rest, part.depth + 1, int(below[rest].sum()), is_leaf=False)


def leaves_below(tree: LabelTree) -> NDArray[np.int64]:
    """Return the number of leaves at or below each node."""
    below: NDArray[np.int64] = (tree.degree == 0).astype(np.int64)
    levels = [slice(0, 1)]  # nodes are numbered breadth first, so a level is a slice
    while levels[-1].start < levels[-1].stop:
        last = levels[-1]
        levels.append(slice(int(tree.first_child[last.start]), int(tree.first_child[last.stop])))
    for level in reversed(levels[1:]):
        # A copy, because numpy copies all of `below` where the two overlap.
        np.add.at(below, tree.parent[level], below[level].copy())
    return below


def examples(tree: LabelTree, part: Part, n: int = _N_EXAMPLES) -> list[str]:
    """Return the names of some labels of a part, those nearest to the root first."""
    found: list[int] = []
    nodes = part.nodes[: 8 * n].tolist()
    while nodes and len(found) < n:
        found += [int(tree.label[v]) for v in nodes if tree.degree[v] == 0]
        inner = [v for v in nodes if tree.degree[v]]
        nodes = [child for v in inner for child in tree.children(v)[: 8 * n]][: 8 * n]
    names = tree.names
    return [str(label if names is None else names[label]) for label in found[:n]]

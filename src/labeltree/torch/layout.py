"""The arrangement of a label tree in two or three levels, as the output layers need it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import check_integer

if TYPE_CHECKING:  # the native core is not needed on a machine that only trains
    from labeltree.trees import LabelTree

IntArray = NDArray[np.int64]

#: A group wider than this does not fit into the registers of a GPU.
MAX_GROUP_SIZE = 256
#: With more groups than this, a root over all of them costs more than a level between.
MAX_ROOT_GROUPS = 4096


@dataclass(frozen=True, eq=False)
class Layout:
    """Labels in tree order: first the labels at the root, then those in groups.

    The root chooses among head labels and groups. With `middle_sizes`, it chooses among head
    labels and middle nodes, and a middle node chooses among its groups. A group chooses among its
    labels.

    Examples
    --------
    >>> from labeltree import LabelTree
    >>> layout = Layout.from_tree(LabelTree.from_nested([[4, 1], 2, [3, 0, 5]]))
    >>> layout.order.tolist(), layout.n_head, layout.group_sizes.tolist()
    ([2, 4, 1, 3, 0, 5], 1, [2, 3])
    """

    order: IntArray  #: label at each position
    n_head: int  #: number of labels that are children of the root
    group_sizes: IntArray  #: number of labels of each group
    middle_sizes: IntArray | None = None  #: number of groups of each middle node

    def __post_init__(self) -> None:
        n_labels = self.n_head + int(self.group_sizes.sum())
        if not np.array_equal(np.sort(self.order), np.arange(n_labels)):
            raise ValueError(
                f"order must be a permutation of the labels 0..{n_labels - 1}, "
                f"but has {len(self.order)} entries that are not"
            )
        if len(self.group_sizes) and self.group_sizes.min() < 1:
            raise ValueError("group_sizes must be at least 1, but one is 0")
        if self.middle_sizes is not None and self.middle_sizes.sum() != self.n_groups:
            raise ValueError(
                f"middle_sizes must sum to {self.n_groups}, the number of groups, "
                f"but sum to {self.middle_sizes.sum()}"
            )

    @classmethod
    def even(
        cls, n_labels: int, *, group_size: int = 64, middle_size: int | None = None, n_head: int = 0
    ) -> Self:
        """Return the layout that keeps the order of the labels and cuts it into equal groups.

        Examples
        --------
        >>> Layout.even(10, group_size=4, n_head=1).group_sizes.tolist()
        [4, 4, 1]
        """
        check_integer("n_labels", n_labels, minimum=1)
        check_integer("group_size", group_size, minimum=1, maximum=MAX_GROUP_SIZE)
        check_integer("n_head", n_head, minimum=0, maximum=n_labels)
        sizes = even_sizes(n_labels - n_head, group_size)
        middle = None if middle_size is None else even_sizes(len(sizes), middle_size)
        return cls(np.arange(n_labels), n_head, sizes, middle)

    @classmethod
    def from_tree(
        cls,
        tree: LabelTree,
        *,
        max_group_size: int = MAX_GROUP_SIZE,
        n_levels: int | None = None,
        max_middle_size: int = 128,
    ) -> Self:
        """Return the layout of a label tree, collapsed to two or three levels.

        The largest subtrees with at most `max_group_size` labels become groups. Labels outside of
        them become head labels.

        Parameters
        ----------
        tree
            The label tree.
        max_group_size
            Maximum number of labels of a group, at most 256.
        n_levels
            Number of levels, 2 or 3. By default, 3 if there are more than 4096 groups.
        max_middle_size
            Maximum number of groups of a middle node.
        """
        check_integer("max_group_size", max_group_size, minimum=1, maximum=MAX_GROUP_SIZE)
        if n_levels is not None:
            check_integer("n_levels", n_levels, minimum=2, maximum=3)
        found = _Subtrees.of(tree)
        groups = found.largest(found.n_leaves, max_group_size)
        deep = found.spread(groups)[tree.leaves]
        order = np.argsort(found.start[tree.leaves] + np.where(deep, tree.n_labels, 0))
        groups = groups[np.argsort(found.start[groups], kind="stable")]
        sizes = found.n_leaves[groups]
        if n_levels == 2 or (n_levels is None and len(groups) <= MAX_ROOT_GROUPS):
            return cls(order, int((~deep).sum()), sizes)
        middle = found.group_counts(groups, max_middle_size)
        return cls(order, int((~deep).sum()), sizes, middle)

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.order)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.group_sizes)

    @property
    def n_top(self) -> int:
        """Number of groups or middle nodes that are children of the root."""
        return self.n_groups if self.middle_sizes is None else len(self.middle_sizes)

    @cached_property
    def widths(self) -> tuple[int, int]:
        """Largest number of groups of a middle node, and of labels of a group; 0 without any."""
        middle = 0 if self.middle_sizes is None else int(self.middle_sizes.max(initial=0))
        return middle, int(self.group_sizes.max(initial=0))

    @cached_property
    def position(self) -> IntArray:
        """Position of each label."""
        position = np.empty_like(self.order)
        position[self.order] = np.arange(self.n_labels)
        return position

    @cached_property
    def group(self) -> IntArray:
        """Group of each label; -1 for head labels."""
        by_position = np.repeat(np.arange(self.n_groups), self.group_sizes)
        return np.concatenate([np.full(self.n_head, -1), by_position])[self.position]

    @cached_property
    def top(self) -> IntArray:
        """Child of the root above each label: head labels first, then groups or middle nodes."""
        above = np.arange(self.n_groups)
        if self.middle_sizes is not None:
            above = np.repeat(np.arange(self.n_top), self.middle_sizes)
        above = np.append(above, 0)  # for head labels, whose group is -1
        return np.where(self.group < 0, self.position, self.n_head + above[self.group])

    def to_tree(self) -> LabelTree:
        """Return the label tree of the layout.

        Examples
        --------
        >>> Layout.even(5, group_size=2, n_head=1).to_tree().to_nested()
        [0, [1, 2], [3, 4]]
        """
        from labeltree.trees import LabelTree

        n_middle = 0 if self.middle_sizes is None else len(self.middle_sizes)
        first_group = 1 + n_middle
        first_leaf = first_group + self.n_groups
        above = np.zeros(self.n_groups, dtype=np.int64)
        if self.middle_sizes is not None:
            above = 1 + np.repeat(np.arange(n_middle), self.middle_sizes)
        group = self.group[self.order]
        parent = np.concatenate(
            [[-1], np.zeros(n_middle, int), above, np.where(group < 0, 0, first_group + group)]
        )
        label = np.concatenate([np.full(first_leaf, -1), self.order])
        # Head labels come before the groups, so that siblings keep the order of the layout.
        rank = np.concatenate([[0], np.zeros(first_leaf - 1, int) + 2, np.where(group < 0, 1, 3)])
        by_rank = np.argsort(rank, kind="stable")
        place = np.empty_like(by_rank)
        place[by_rank] = np.arange(len(by_rank))
        moved = np.where(parent < 0, -1, place[parent])
        return LabelTree.from_parents(moved[by_rank], label[by_rank])


def even_sizes(total: int, size: int) -> IntArray:
    """Return the sizes of consecutive parts of a total; the last may be smaller.

    Examples
    --------
    >>> even_sizes(7, 3).tolist()
    [3, 3, 1]
    """
    return np.diff(np.append(np.arange(0, total, size), total))


@dataclass(frozen=True, eq=False)
class _Subtrees:
    tree: LabelTree
    levels: list[IntArray]  #: nodes by depth
    n_leaves: IntArray  #: labels below each node
    start: IntArray  #: number of labels before each node, in depth-first order

    @classmethod
    def of(cls, tree: LabelTree) -> Self:
        levels = [np.zeros(1, dtype=np.int64)]
        end = 1
        while end < tree.n_nodes:  # nodes are numbered breadth first
            begin, end = end, int(tree.first_child[levels[-1][-1] + 1])
            levels.append(np.arange(begin, end))
        n_leaves = (tree.label >= 0).astype(np.int64)
        for nodes in reversed(levels[1:]):
            np.add.at(n_leaves, tree.parent[nodes], n_leaves[nodes])
        before = np.append(0, np.cumsum(n_leaves))
        start = np.zeros(tree.n_nodes, dtype=np.int64)
        for nodes in levels[1:]:
            above = tree.parent[nodes]
            start[nodes] = start[above] + before[nodes] - before[tree.first_child[above]]
        return cls(tree, levels, n_leaves, start)

    def largest(self, sizes: IntArray, limit: int) -> IntArray:
        """Return the inner nodes of at most the given size whose parent is larger or the root."""
        inner = (self.tree.degree > 0) & (sizes <= limit) & (sizes > 0)
        inner[0] = False
        above = self.tree.parent
        return np.flatnonzero(inner & ~inner[above])

    def spread(self, roots: IntArray) -> NDArray[np.bool_]:
        """Return whether each node is in a subtree of one of the given roots."""
        inside = np.zeros(self.tree.n_nodes, dtype=bool)
        inside[roots] = True
        for nodes in self.levels[1:]:
            inside[nodes] |= inside[self.tree.parent[nodes]]
        return inside

    def group_counts(self, groups: IntArray, limit: int) -> IntArray:
        """Return how many of the groups each middle node has, in depth-first order."""
        counts = np.zeros(self.tree.n_nodes, dtype=np.int64)
        counts[groups] = 1
        for nodes in reversed(self.levels[1:]):
            np.add.at(counts, self.tree.parent[nodes], counts[nodes])
        roots = self.largest(counts, limit)
        roots = roots[np.argsort(self.start[roots], kind="stable")]
        return counts[roots]

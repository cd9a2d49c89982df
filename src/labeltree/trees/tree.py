"""The label tree: immutable, stored in flat arrays, with one label per leaf."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree import _core
from labeltree.arguments import checked
from labeltree.data import LabelRows, as_labels
from labeltree.trees import formats, icicle, outline
from labeltree.trees.hierarchy import parse_hierarchy
from labeltree.trees.parents import Parents, as_nodes, checked_names

IntArray = NDArray[np.int32]


class LabelTree:
    """A rooted tree with one label on each leaf.

    Nodes are numbered breadth first: node 0 is the root, and siblings are adjacent. Nodes of degree
    one are contracted when a tree is created. A tree is immutable, and its arrays are read-only.

    Create a tree with a builder of `labeltree.trees`, or with `from_nested`, `from_parents`,
    `from_linkage`, `from_hierarchy` or `load`. ``print(tree)`` shows its top levels as text, and a
    notebook draws them.

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2, [3, 4, 5]])
    >>> tree
    LabelTree(n_labels=6, n_nodes=9, depth=2, max_degree=3)
    >>> tree.parent
    array([-1,  0,  0,  0,  1,  1,  3,  3,  3], dtype=int32)
    >>> tree.label
    array([-1, -1,  2, -1,  0,  1,  3,  4,  5], dtype=int32)
    >>> list(tree.children(1)), tree.leaf(2)
    ([4, 5], 2)
    >>> print(LabelTree.from_nested([["cat", "dog"], "fish"]))
    LabelTree: 3 labels, 5 nodes, depth 2, at most 2 children per node
    ├─ 2 labels
    │  ├─ cat
    │  └─ dog
    └─ fish
    """

    __slots__ = ("_degree", "_names", "_native", "first_child", "label", "leaves", "parent")

    _native: _core.Tree
    parent: IntArray  #: parent of each node, -1 for the root
    label: IntArray  #: label of each node, -1 for inner nodes
    first_child: IntArray  #: children of v are first_child[v] .. first_child[v + 1] - 1
    leaves: IntArray  #: node of each label
    _degree: IntArray | None
    _names: tuple[Hashable, ...] | Callable[[], Iterable[Hashable]] | None

    def __init__(
        self,
        native: _core.Tree,
        names: Iterable[Hashable] | Callable[[], Iterable[Hashable]] | None = None,
    ) -> None:
        arrays = {
            "parent": native.parent,
            "label": native.label,
            "first_child": native.first_child,
            "leaves": native.leaf,
        }
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "_degree", None)
        for name, array in arrays.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        checked = names if callable(names) else checked_names(names, len(native.leaf))
        object.__setattr__(self, "_names", checked)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"a LabelTree is immutable; create a new one instead of setting {name}"
        )

    # Constructors -------------------------------------------------------------------------------

    @classmethod
    @checked
    def from_parents(
        cls, parent: ArrayLike, label: ArrayLike, *, names: Iterable[Hashable] | None = None
    ) -> Self:
        """Return the tree in which node v has the given parent and label.

        Nodes may come in any order and are renumbered; siblings keep their order.

        Parameters
        ----------
        parent
            Parent of each node; -1 for the root.
        label
            Label of each leaf; -1 for inner nodes.
        names
            Name of each label, in the order of the labels.

        Examples
        --------
        >>> LabelTree.from_parents([2, 2, -1], [0, 1, -1]).to_nested()
        [0, 1]
        """
        return cls(_core.Tree(as_nodes("parent", parent), as_nodes("label", label)), names)

    @classmethod
    def from_nested(cls, nested: object) -> Self:
        """Return the tree given as nested lists; an integer is a label, a string its name.

        Strings are numbered in the order in which they appear.

        Examples
        --------
        >>> LabelTree.from_nested([["cat", "dog"], "fish"]).names
        ('cat', 'dog', 'fish')
        """
        return cls._of(formats.parse_nested(nested))

    @classmethod
    @checked
    def from_linkage(cls, linkage: ArrayLike, *, names: Iterable[Hashable] | None = None) -> Self:
        """Return the binary tree of a scipy linkage matrix whose observations are the labels.

        Examples
        --------
        >>> LabelTree.from_linkage([[0, 1, 0.5, 2], [2, 3, 1.0, 3]]).to_nested()
        [2, [0, 1]]
        """
        merges = np.asarray(linkage, dtype=np.float64)
        if merges.ndim != 2 or merges.shape[1] not in (3, 4):
            raise ValueError(f"a linkage must have 4 columns, but its shape is {merges.shape}")
        n_labels = len(merges) + 1
        children = merges[:, :2]
        parent = np.full(2 * n_labels - 1, -1, dtype=np.int32)
        for step, pair in enumerate(children):
            for child in pair:
                if not (child.is_integer() and 0 <= child < n_labels + step):
                    raise ValueError(
                        f"step {step} of a linkage must join clusters 0..{n_labels + step - 1}, "
                        f"but names {child:g}"
                    )
                if parent[int(child)] != -1:
                    raise ValueError(
                        f"a cluster must be joined once, but {child:g} is again in step {step}"
                    )
                parent[int(child)] = n_labels + step
        label = np.full(len(parent), -1, dtype=np.int32)
        label[:n_labels] = np.arange(n_labels)
        return cls.from_parents(parent, label, names=names)

    @classmethod
    @checked
    def from_hierarchy(
        cls,
        pairs: Iterable[tuple[Hashable, Hashable]],
        *,
        labels: Iterable[Hashable] | None = None,
        join_roots: bool = False,
        first_parent: bool = False,
    ) -> Self:
        """Return the tree of a hierarchy of named concepts, given as (parent, child) pairs.

        An inner concept that is a label gets its own leaf, which is the first child of its node.

        Parameters
        ----------
        pairs
            The (parent, child) pairs of a taxonomy, in any order.
        labels
            The concepts that are labels, in the order of the label numbers (`classes_` of a model,
            or the columns of Y). Branches without labels are omitted. By default, all concepts are
            labels, in order of appearance.
        join_roots
            Whether to put several top concepts under one root instead of raising an error.
        first_parent
            Whether to keep the first of several parents of a concept instead of raising an error.

        Examples
        --------
        >>> pairs = [("animal", "cat"), ("animal", "dog"), ("dog", "poodle")]
        >>> tree = LabelTree.from_hierarchy(pairs)
        >>> tree.names
        ('animal', 'cat', 'dog', 'poodle')
        >>> tree.to_nested()
        [0, 1, [2, 3]]
        """
        return cls._of(
            parse_hierarchy(pairs, labels, join_roots=join_roots, first_parent=first_parent)
        )

    @classmethod
    @checked
    def from_json(cls, text: str) -> Self:
        """Return the tree that `to_json` wrote."""
        return cls._of(formats.parse_json(text))

    @classmethod
    @checked
    def from_newick(cls, text: str) -> Self:
        """Return the tree of a Newick string; names of inner nodes and lengths are ignored.

        Examples
        --------
        >>> LabelTree.from_newick("((cat:1,dog:2)pets,fish);").names
        ('cat', 'dog', 'fish')
        """
        return cls._of(formats.parse_newick(text))

    @classmethod
    @checked
    def from_dot(cls, text: str) -> Self:
        """Return the tree of a Graphviz digraph whose edges point down.

        Examples
        --------
        >>> LabelTree.from_dot("digraph {\\n pets -> cat\\n pets -> dog\\n}").to_newick()
        '(cat,dog);'
        """
        return cls._of(formats.parse_dot(text))

    @classmethod
    @checked
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the tree of a file that ends in .json, .nwk or .dot, optionally .gz or .zst."""
        parents = formats.load(path)
        try:
            return cls._of(parents)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def _of(cls, parents: Parents) -> Self:
        return cls.from_parents(parents.parent, parents.label, names=parents.names)

    # Properties ---------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[Hashable, ...] | None:
        """Name of each label, or None."""
        if callable(self._names):  # the names of a model file are read on first use
            object.__setattr__(self, "_names", checked_names(self._names(), self.n_labels))
        return cast(tuple[Hashable, ...] | None, self._names)

    @property
    def n_labels(self) -> int:
        """Number of labels, which is the number of leaves."""
        return len(self.leaves)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, root and leaves included."""
        return len(self.parent)

    @property
    def depth(self) -> int:
        """Number of edges on the longest path from the root to a leaf."""
        return int(_core.node_depths(self._native)[-1])

    @property
    def degree(self) -> IntArray:
        """Number of children of each node."""
        if self._degree is None:
            degree = np.diff(self.first_child)
            degree.flags.writeable = False
            object.__setattr__(self, "_degree", degree)
            return degree
        return self._degree

    @property
    def max_degree(self) -> int:
        """Largest number of children of a node."""
        return int(self.degree.max())

    @checked
    def children(self, node: int) -> range:
        """Return the children of a node."""
        node = _check_index("node", node, self.n_nodes)
        return range(int(self.first_child[node]), int(self.first_child[node + 1]))

    @checked
    def leaf(self, label: int) -> int:
        """Return the node of a label."""
        return int(self.leaves[_check_index("label", label, self.n_labels)])

    def label_rows(self, Y: object) -> LabelRows:
        """Return Y as label rows of this tree; labels are matched by name if the tree has names.

        Examples
        --------
        >>> tree = LabelTree.from_nested([["cat", "dog"], "fish"])
        >>> tree.label_rows([["fish", "cat"]]).indices.tolist()
        [0, 2]
        """
        if isinstance(Y, LabelRows) or self.names is None:
            return as_labels(Y, n_labels=self.n_labels)
        return as_labels(Y, names=self.names)

    # Conversions --------------------------------------------------------------------------------

    def to_nested(self) -> Any:
        """Return nested lists with label numbers at the leaves."""
        return formats.to_nested(self)

    def to_json(self) -> str:
        """Return the tree as JSON, including names."""
        return formats.to_json(self)

    def to_newick(self) -> str:
        """Return the tree as a Newick string.

        Examples
        --------
        >>> LabelTree.from_nested([["cat", "dog"], "sea fish"]).to_newick()
        "((cat,dog),'sea fish');"
        """
        return formats.to_newick(self)

    def to_dot(self) -> str:
        """Return the tree as a Graphviz digraph."""
        return formats.to_dot(self)

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tree to a file that ends in .json, .nwk or .dot, optionally .gz or .zst.

        Only JSON distinguishes label numbers from names. The file is written completely or not at
        all.
        """
        formats.save(self, path)

    def with_names(
        self, names: Iterable[Hashable] | Callable[[], Iterable[Hashable]] | None
    ) -> Self:
        """Return the same tree with other label names; a function is called on first use."""
        return type(self)(self._native, names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelTree):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.parent, other.parent)
            and np.array_equal(self.label, other.label)
        )

    def __hash__(self) -> int:
        return hash((self.parent.tobytes(), self.label.tobytes(), self.names))

    def __repr__(self) -> str:
        return (
            f"LabelTree(n_labels={self.n_labels}, n_nodes={self.n_nodes}, depth={self.depth}, "
            f"max_degree={self.max_degree})"
        )

    def __str__(self) -> str:
        return outline.as_text(self)

    def _repr_html_(self) -> str:
        return icicle.as_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.parent, self.label, self.names)


def _restore(parent: IntArray, label: IntArray, names: tuple[Hashable, ...] | None) -> LabelTree:
    return LabelTree.from_parents(parent, label, names=names)


def _check_index(kind: str, index: int, size: int) -> int:
    if not 0 <= index < size:
        raise IndexError(f"{kind}s are 0..{size - 1}, but {index} was requested")
    return int(index)

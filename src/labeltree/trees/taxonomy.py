"""A user's own hierarchy, and the tree that it makes of the labels of data."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Self

from labeltree.data import LabelRows, as_labels
from labeltree.data.files import Source
from labeltree.trees._refine import collapse as collapse_tree
from labeltree.trees.hierarchy import number_concepts, refuse_cycle
from labeltree.trees.taxonomy_files import read_hierarchy
from labeltree.trees.tree import LabelTree

_TOP = object()  # above all concepts, and above labels that are in no hierarchy


class Hierarchy:
    """Named concepts, each with one parent at most.

    Parameters
    ----------
    pairs
        The (parent, child) pairs, in any order. Of several parents of a concept the first is kept,
        with a warning.
    names
        Other names of concepts, as (concept, name) pairs.

    Examples
    --------
    >>> animals = Hierarchy([("animal", "cat"), ("animal", "dog"), ("dog", "poodle")])
    >>> animals.ancestors("poodle")
    ['dog', 'animal']
    >>> animals.tree(["cat", "poodle", "dog"]).to_nested()
    [0, [2, 1]]
    """

    def __init__(
        self,
        pairs: Iterable[tuple[Hashable, Hashable]],
        *,
        names: Iterable[tuple[Hashable, Hashable]] = (),
    ) -> None:
        listed = list(pairs)
        number, parent = number_concepts(listed, first_parent=True)
        self.concepts: list[Hashable] = list(number)
        self._known = set(number)
        refuse_cycle(parent, self.concepts)
        self._parent = {
            concept: self.concepts[p]
            for concept, p in zip(self.concepts, parent, strict=True)
            if p >= 0
        }
        several = [below for above, below in listed if self._parent[below] != above]
        if several:
            warnings.warn(
                f"{len(set(several)):,} concepts have several parents, such as {several[0]!r}; "
                "the first is kept",
                stacklevel=2,
            )
        self._named: dict[Hashable, list[Hashable]] = {}
        self._titles: dict[Hashable, Hashable] = {}
        for concept, name in names:
            if concept in number:
                self._named.setdefault(name, []).append(concept)
                self._titles.setdefault(concept, name)

    @classmethod
    def load(
        cls, path: Source, *, separator: str | None = None, language: str | None = None
    ) -> Self:
        """Return the hierarchy of a file: a table of tabs, or SKOS.

        A line of a table is a concept and its parent, and perhaps the parent's parent and so on;
        just the concept and a tab for one at the top. SKOS is .ttl, .rdf, .xml, .nt or .jsonld:
        skos:broader and skos:narrower, with skos:prefLabel and skos:notation as other names of
        concepts. Any of them may be packed (.gz, .zst).

        Parameters
        ----------
        path
            The file.
        separator
            Between the steps of a path from the top, if the second column of a table has such
            paths: "/" for ``poodle<tab>animal/dog``.
        language
            Of the names in a SKOS file, such as "en"; None for all.
        """
        read = read_hierarchy(path, separator=separator, language=language)
        return cls(read.pairs, names=read.names)

    def __contains__(self, concept: object) -> bool:
        return concept in self._known

    def find(self, label: Hashable) -> Hashable | None:
        """Return the concept that a label names, None if there is none."""
        if label in self._known:
            return label
        concepts = list(dict.fromkeys(self._named.get(label, ())))
        if len(concepts) > 1:
            raise ValueError(
                f"a label names one concept, but {label!r} is {concepts[0]!r} and {concepts[1]!r}; "
                "use these names for labels"
            )
        return concepts[0] if concepts else None

    def title(self, concept: Hashable) -> Hashable:
        """Return what people call a concept: its first other name, or itself."""
        return self._titles.get(concept, concept)

    def ancestors(self, concept: Hashable) -> list[Hashable]:
        """Return the concepts above one, nearest first."""
        above = []
        while concept in self._parent:
            concept = self._parent[concept]
            above.append(concept)
        return above

    def tree(self, Y: Any) -> LabelTree:
        """Return the label tree of the hierarchy over some labels.

        A concept that is a label and has others below gets a leaf of its own beside them. Branches
        without labels are left out. Labels that are not in the hierarchy hang directly under the
        root, with a warning.

        Parameters
        ----------
        Y
            Names of labels, each once, in the order of the label numbers; or label rows.
        """
        labels = _names(Y)
        placed: dict[Hashable, Hashable] = {}
        missing = []
        leaves: list[Hashable] = []
        for label in labels:
            concept = self.find(label)
            if concept is None:
                missing.append(label)
                concept = (_TOP, label)
            if concept in placed:
                raise ValueError(
                    f"a concept is one label, but {placed[concept]!r} and {label!r} are both "
                    f"{concept!r}"
                )
            placed[concept] = label
            leaves.append(concept)
        if len(missing) == len(labels):
            raise ValueError(
                f"no label is in the hierarchy; labels are such as {labels[0]!r}, concepts such "
                f"as {self.concepts[0]!r}"
            )
        if missing:
            warnings.warn(
                f"{len(missing):,} of {len(labels):,} labels are not in the hierarchy, such as "
                f"{missing[0]!r}; they hang under the root",
                stacklevel=2,
            )
        tops = [concept for concept in self.concepts if concept not in self._parent]
        pairs = [(_TOP, top) for top in tops] + [(_TOP, (_TOP, label)) for label in missing]
        pairs += [(above, below) for below, above in self._parent.items()]
        tree = LabelTree.from_hierarchy(pairs, labels=leaves)
        has_names = not isinstance(Y, LabelRows) or Y.names is not None
        return tree.with_names(labels if has_names else None)


def from_hierarchy(
    hierarchy: Hierarchy | Source | Iterable[tuple[Hashable, Hashable]],
    Y: Any,
    *,
    collapse: bool = False,
    separator: str | None = None,
    language: str | None = None,
) -> LabelTree:
    """Return the tree of your own hierarchy over the labels of Y.

    See `Hierarchy.tree` for what becomes of inner concepts and of labels that it does not have.

    Parameters
    ----------
    hierarchy
        A `Hierarchy`, a file (see `Hierarchy.load`), or (parent, child) pairs.
    Y
        Label rows, or the names of labels.
    collapse
        Remove inner nodes that are not worth their cost on Y; see `labeltree.trees.collapse`. Y
        must be label rows then.
    separator, language
        Of a file.

    Examples
    --------
    >>> pairs = [("animal", "cat"), ("animal", "dog"), ("dog", "poodle"), ("dog", "boxer")]
    >>> Y = [["cat"], ["poodle", "boxer"], ["boxer"]]
    >>> from_hierarchy(pairs, Y).to_newick()
    '(cat,(poodle,boxer));'
    """
    if isinstance(hierarchy, str | os.PathLike):
        hierarchy = Hierarchy.load(hierarchy, separator=separator, language=language)
    elif not isinstance(hierarchy, Hierarchy):
        hierarchy = Hierarchy(hierarchy)  # type: ignore[arg-type]
    rows = Y if isinstance(Y, LabelRows) else None
    if rows is None and not _is_names(Y):
        rows = as_labels(Y)
    tree = hierarchy.tree(Y if rows is None else rows)
    if not collapse:
        return tree
    if rows is None:
        raise ValueError("collapse needs label rows, but Y has names of labels only")
    return collapse_tree(tree, rows)


def _is_names(Y: Any) -> bool:
    return isinstance(Y, list | tuple) and all(isinstance(name, str) for name in Y)


def _names(Y: Any) -> Sequence[Hashable]:
    if not isinstance(Y, LabelRows):
        return list(Y)
    # Labels without names are called by their number, as text: so a file has them.
    return [str(j) for j in range(Y.n_labels)] if Y.names is None else Y.names.tolist()

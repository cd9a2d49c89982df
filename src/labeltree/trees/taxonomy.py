"""User-provided hierarchies, and the label trees built from them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Self

from labeltree.arguments import checked, shown
from labeltree.data import LabelRows, as_labels
from labeltree.data.files import Source, file_name
from labeltree.trees._refine import collapse as collapse_tree
from labeltree.trees.hierarchy import check_no_cycle, number_concepts
from labeltree.trees.taxonomy_files import read_hierarchy
from labeltree.trees.tree import LabelTree

_TOP = object()  # the parent of all top concepts and of labels that are not in the hierarchy


class Hierarchy:
    """Named concepts, each with at most one parent.

    Parameters
    ----------
    pairs
        The (parent, child) pairs, in any order. If a concept has several parents, the first is kept
        and a warning is issued.
    names
        Alternative names of concepts, as (concept, name) pairs.

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
        check_no_cycle(parent, self.concepts)
        self._parent = {
            concept: self.concepts[p]
            for concept, p in zip(self.concepts, parent, strict=True)
            if p >= 0
        }
        several = [below for above, below in listed if self._parent[below] != above]
        if several:
            warnings.warn(
                f"concepts with several parents: {len(set(several)):,}, such as "
                f"{shown(several[0])}; their first parent is kept",
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
        """Return the hierarchy of a file: a tab-separated table, or SKOS.

        A line of a table holds a concept, its parent, and optionally the parent's parent and so on.
        A top concept is followed by a tab only. SKOS files end in .ttl, .rdf, .xml, .nt or .jsonld.
        Their hierarchy is given by skos:broader and skos:narrower; skos:prefLabel and skos:notation
        are alternative names of concepts. Files may be compressed (.gz, .zst).

        Parameters
        ----------
        path
            The file.
        separator
            Separator between the steps of a path, if the second column of a table holds the path
            from the top: "/" for ``poodle<tab>animal/dog``.
        language
            Language of the names to read from a SKOS file, such as "en"; None for all languages.
        """
        read = read_hierarchy(path, separator=separator, language=language)
        try:
            return cls(read.pairs, names=read.names)
        except ValueError as error:
            raise ValueError(f"{file_name(path)}: {error}") from None

    def __contains__(self, concept: object) -> bool:
        return concept in self._known

    def find(self, label: Hashable) -> Hashable | None:
        """Return the concept that a label names, or None."""
        if label in self._known:
            return label
        concepts = list(dict.fromkeys(self._named.get(label, ())))
        if len(concepts) > 1:
            raise ValueError(
                f"a label must name one concept, but {shown(label)} is {shown(concepts[0])} and "
                f"{shown(concepts[1])}; use these names for labels"
            )
        return concepts[0] if concepts else None

    def title(self, concept: Hashable) -> Hashable:
        """Return the display name of a concept: its first alternative name, or itself."""
        return self._titles.get(concept, concept)

    def ancestors(self, concept: Hashable) -> list[Hashable]:
        """Return the ancestors of a concept, nearest first."""
        above = []
        while concept in self._parent:
            concept = self._parent[concept]
            above.append(concept)
        return above

    def tree(self, Y: Any) -> LabelTree:
        """Return the label tree of the hierarchy over the given labels.

        A concept that is a label and has other labels below it gets its own leaf next to them.
        Branches without labels are omitted. Labels that are not in the hierarchy are placed
        directly under the root, with a warning.

        Parameters
        ----------
        Y
            Unique names of labels, in the order of the label numbers; or label rows.
        """
        labels = _names(Y)
        if not labels or not self.concepts:
            what = "labels" if not labels else "concepts"
            raise ValueError(f"a tree needs at least one of the {what}, but there are none")
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
                    f"a concept must be one label, but {shown(placed[concept])} and "
                    f"{shown(label)} are both {shown(concept)}"
                )
            placed[concept] = label
            leaves.append(concept)
        if len(missing) == len(labels):
            raise ValueError(
                "at least one label must be in the hierarchy, but none is; an example of a label "
                f"is {shown(labels[0])}, of a concept {shown(self.concepts[0])}"
            )
        if missing:
            warnings.warn(
                f"{len(missing):,} of {len(labels):,} labels are not in the hierarchy, such as "
                f"{shown(missing[0])}; they hang under the root",
                stacklevel=2,
            )
        tops = [concept for concept in self.concepts if concept not in self._parent]
        pairs = [(_TOP, top) for top in tops] + [(_TOP, (_TOP, label)) for label in missing]
        pairs += [(above, below) for below, above in self._parent.items()]
        tree = LabelTree.from_hierarchy(pairs, labels=leaves)
        has_names = not isinstance(Y, LabelRows) or Y.names is not None
        return tree.with_names(labels if has_names else None)


@checked
def from_hierarchy(
    hierarchy: Hierarchy | Source | Iterable[tuple[Hashable, Hashable]],
    Y: Any,
    *,
    collapse: bool = False,
    separator: str | None = None,
    language: str | None = None,
) -> LabelTree:
    """Return the tree of your own hierarchy over the labels of Y.

    See `Hierarchy.tree` for how inner concepts and labels outside the hierarchy are handled.

    Parameters
    ----------
    hierarchy
        A `Hierarchy`, a file (see `Hierarchy.load`), or (parent, child) pairs.
    Y
        Label rows, or the names of labels.
    collapse
        Whether to remove inner nodes whose removal lowers the cost on Y; see
        `labeltree.trees.collapse`. Y must then be label rows.
    separator, language
        Options of `Hierarchy.load`, used if `hierarchy` is a file.

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
        raise ValueError("collapse needs label rows, but Y holds only names of labels")
    return collapse_tree(tree, rows)


def _is_names(Y: Any) -> bool:
    return isinstance(Y, list | tuple) and all(isinstance(name, str) for name in Y)


def _names(Y: Any) -> Sequence[Hashable]:
    if not isinstance(Y, LabelRows):
        return list(Y)
    # Labels without names are identified by their number as a string, as in a file.
    return [str(j) for j in range(Y.n_labels)] if Y.names is None else Y.names.tolist()

"""Probabilities of the ancestors of labels, from a model whose tree follows a hierarchy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.arguments import checked
from labeltree.estimators import validation
from labeltree.trees import Hierarchy, LabelTree

THRESHOLD = 0.5


class Ancestors(NamedTuple):
    """Probabilities of the concepts above the labels."""

    concepts: list[Any]  #: concepts above labels of the model, named like its labels
    probabilities: Any  #: csr_array, rows x concepts


@checked
def ancestor_proba(
    model: Any, X: Any, hierarchy: Hierarchy, *, threshold: float = THRESHOLD
) -> Ancestors:
    """Return the probabilities of the concepts above the labels, for each row.

    The probability of a concept is that of its node: the probability that the row has any label
    below it. So no concept is less probable than a label or a concept below it. If the node of a
    concept was collapsed, its remaining parts are assumed to be independent given the node above.
    The tree of the model must follow the hierarchy; `trees.from_hierarchy` builds such trees. With
    several trees all nodes are evaluated, because their mean is needed.

    Parameters
    ----------
    model
        A fitted `PLTClassifier` or `TextTagger`.
    X
        Features of the rows, or texts.
    hierarchy
        The hierarchy from which the tree of the model was built.
    threshold
        Minimum probability; concepts below it are not returned.

    Examples
    --------
    >>> from labeltree import PLTClassifier, trees
    >>> animals = Hierarchy([("dog", "poodle"), ("dog", "boxer"), ("pet", "dog"), ("pet", "cat")])
    >>> X, Y = np.eye(3).repeat(4, axis=0), [["poodle"]] * 4 + [["boxer"]] * 4 + [["cat"]] * 4
    >>> clf = PLTClassifier(tree=trees.from_hierarchy(animals, Y)).fit(X, Y)
    >>> concepts, probabilities = ancestor_proba(clf, X[[0, 11]], animals)
    >>> concepts, (probabilities.toarray() > 0).tolist()
    (['dog', 'pet'], [[True, True], [False, True]])
    """
    return Ancestry(model, hierarchy).proba(X, threshold)


class Ancestry:
    """The places of the concepts of a hierarchy in the trees of a model; see `ancestor_proba`."""

    def __init__(self, model: Any, hierarchy: Hierarchy) -> None:
        self._model = model
        labels = model.classes_.tolist()
        below = _labels_below(hierarchy, labels)
        by_title = not any(label in hierarchy for label in labels)
        self.concepts = [hierarchy.title(concept) if by_title else concept for concept in below]
        self._places = [_places(tree, below) for tree in model.model_.trees]

    def proba(self, X: Any, threshold: float = THRESHOLD) -> Ancestors:
        """Return the probabilities of concepts for each row or text."""
        validation.check_share("threshold", threshold)
        rows = self._model._query(X)
        curve = self._model.model_.calibration.curve
        before = threshold if curve is None else float(curve.before(threshold))
        minimum = before if len(self._places) == 1 else 0.0
        indptr, indices, data = [0], [np.empty(0, np.int64)], [np.empty(0, np.float32)]
        for i in range(rows.shape[0]):
            numbers, products = self._of_row(rows[[i]], minimum)
            known = products.astype(np.float32) if curve is None else curve(products)
            is_kept = known >= threshold
            indices.append(numbers[is_kept])
            data.append(known[is_kept])
            indptr.append(indptr[-1] + int(is_kept.sum()))
        parts = (np.concatenate(data), np.concatenate(indices).astype(np.int32), indptr)
        shape = (rows.shape[0], len(self.concepts))
        return Ancestors(self.concepts, sparse.csr_array(parts, shape=shape))

    def _of_row(self, row: Any, minimum: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return concepts, sorted, and their products along paths, averaged over trees."""
        sums: dict[int, float] = {}
        for t, places in enumerate(self._places):
            for i, product in _products(self._model.model_, t, row, places, minimum):
                sums[i] = sums.get(i, 0.0) + product
        numbers = np.array(sorted(sums), np.int64)
        return numbers, np.array([sums[i] for i in numbers.tolist()]) / len(self._places)


@dataclass(frozen=True)
class _Place:
    """The part of a node that a concept covers: all of it, or some of its children."""

    concept: int
    children: NDArray[np.int64] | None  # positions among the children; None for the whole node


def _labels_below(hierarchy: Hierarchy, labels: list[Any]) -> dict[Any, list[int]]:
    """Return the numbers of the labels below each concept that has any."""
    # Labels without names are numbers, but strings in the file of a hierarchy.
    concepts = [
        hierarchy.find(label) or (None if isinstance(label, str) else hierarchy.find(str(label)))
        for label in labels
    ]
    below: dict[Any, list[int]] = {}
    for j, concept in enumerate(concepts):
        for above in hierarchy.ancestors(concept) if concept is not None else ():
            below.setdefault(above, []).append(j)
    for j, concept in enumerate(concepts):  # a concept covers its own label, too
        if concept in below:
            below[concept].append(j)
    return below


def _places(tree: LabelTree, below: dict[Any, list[int]]) -> dict[int, list[_Place]]:
    """Return the concepts placed at each node."""
    parent, n_leaves = tree.parent.tolist(), _n_leaves(tree)
    places: dict[int, list[_Place]] = {}
    for i, (concept, labels) in enumerate(below.items()):
        inside: Counter[int] = Counter()
        for j in labels:
            node = int(tree.leaves[j])
            while node >= 0:
                inside[node] += 1
                node = parent[node]
        # Nodes are numbered breadth first, so of the nodes with all labels the lowest is the last.
        lowest = max(node for node, n in inside.items() if n == len(labels))
        if n_leaves[lowest] == len(labels):
            places.setdefault(lowest, []).append(_Place(i, None))
            continue
        children = tree.children(lowest)
        held = [c for c in children if inside[c]]
        if any(inside[c] != n_leaves[c] for c in held):
            raise ValueError(
                f"the tree of the model must follow the hierarchy, but labels below {concept!r} "
                "are mixed with others; train with a tree from trees.from_hierarchy (--hierarchy)"
            )
        places.setdefault(lowest, []).append(_Place(i, np.array(held) - children.start))
    return places


def _products(
    model: Any, t: int, row: Any, places: dict[int, list[_Place]], minimum: float
) -> Iterator[tuple[int, float]]:
    """Yield concepts and their products in one tree; nodes below the minimum are skipped."""
    tree = model.trees[t]
    queue = [(0, float(model.child_estimates(t, -1, row)[0]))]
    while queue:
        node, product = queue.pop()
        if product < minimum:
            continue
        own = model.child_estimates(t, node, row) if tree.degree[node] else np.empty(0)
        for place in places.get(node, ()):
            share = 1.0 if place.children is None else 1 - np.prod(1 - own[place.children])
            yield place.concept, product * float(share)
        queue += zip(tree.children(node), (product * own).tolist(), strict=True)


def _n_leaves(tree: LabelTree) -> NDArray[np.int64]:
    counts = np.zeros(tree.n_nodes, np.int64)
    counts[tree.leaves] = 1
    for node in range(tree.n_nodes - 1, 0, -1):
        counts[tree.parent[node]] += counts[node]
    return counts

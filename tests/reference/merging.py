"""Trees built by merging clusters of labels, and by collapsing nodes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from tests.reference.trees import Nested


def phi_merge(rows: Sequence[set[int]], n_labels: int) -> Nested:
    """Return the tree of φ merging with the paper's cost model; ties go to the oldest cluster."""
    per_bit = 3.0 / math.log2(3.0)

    def phi(x: float) -> float:
        return per_bit * x * math.log2(len(rows) / x) if x else 0.0

    # (age, rows, tree); labels without rows are merged first, three per node
    clusters: list[tuple[int, frozenset[int], Nested]] = [
        (j, frozenset(i for i, row in enumerate(rows) if j in row), j) for j in range(n_labels)
    ]
    age = n_labels

    def size(cluster: tuple[int, frozenset[int], Nested]) -> tuple[int, int]:
        return len(cluster[1]), cluster[0]

    while len(empty := sorted((c for c in clusters if not c[1]), key=size)[:3]) > 1:
        clusters = [c for c in clusters if c not in empty]
        clusters.append((age, frozenset(), [c[2] for c in empty]))
        age += 1
    while len(clusters) > 1:
        a = min(clusters, key=size)
        clusters.remove(a)
        next_smallest = min(clusters, key=size)

        def score(c: tuple[int, frozenset[int], Nested], a=a) -> tuple[float, int, int]:  # type: ignore[no-untyped-def]
            union = float(len(a[1] | c[1]))
            return union * 2.0 + phi(union) - phi(float(len(c[1]))), *size(c)

        c = min((c for c in clusters if c is next_smallest or a[1] & c[1]), key=score)
        clusters.remove(c)
        clusters.append((age, a[1] | c[1], [a[2], c[2]]))
        age += 1
    return clusters[0][2]


def collapsed_trees(tree: Nested) -> Iterator[Nested]:
    """Yield every tree obtained by removing inner nodes other than the root."""
    if isinstance(tree, int):
        yield tree
        return
    yield from (list(children) for children in _collapsed_children(tree))


def _collapsed_children(tree: list[Nested]) -> Iterator[list[Nested]]:
    if not tree:
        yield []
        return
    first, rest = tree[0], tree[1:]
    for later in _collapsed_children(rest):
        for kept in collapsed_trees(first):
            yield [kept, *later]
            if isinstance(kept, list):
                yield [*kept, *later]


def greedy_merge(rows: Sequence[set[int]], n_labels: int, choose: str) -> Nested:
    """Return the tree of merging the best pair of clusters; ties go to the lower numbers."""
    clusters: dict[int, tuple[set[int], Nested]] = {
        j: ({i for i, row in enumerate(rows) if j in row}, j) for j in range(n_labels)
    }

    def key(pair: tuple[int, int]) -> tuple[object, ...]:
        a, b = (clusters[number][0] for number in pair)
        if choose == "smallest-input":
            return tuple(sorted((len(clusters[number][0]), number) for number in pair))
        match, output = len(a & b), len(a | b)
        return ((output, -match) if choose == "smallest-output" else (-match, output)), pair

    for number in range(n_labels, 2 * n_labels - 1):
        a, b = min(itertools.combinations(clusters, 2), key=key)
        (rows_a, tree_a), (rows_b, tree_b) = clusters.pop(a), clusters.pop(b)
        clusters[number] = (rows_a | rows_b, [tree_a, tree_b])
    return next(iter(clusters.values()))[1]


def label_vectors(
    X: Sequence[Sequence[float]], rows: Sequence[set[int]], n_labels: int
) -> list[list[float]]:
    """Return the sum of each label's rows, scaled to unit length; zeros if the sum is zero."""
    vectors = []
    for j in range(n_labels):
        of_label = [x for x, labels in zip(X, rows, strict=True) if j in labels]
        total = [sum(column) for column in zip(*of_label, strict=True)] or [0.0] * len(X[0])
        length = math.sqrt(sum(value * value for value in total))
        vectors.append([value / length if length else 0.0 for value in total])
    return vectors


def blend_merge(
    X: Sequence[Sequence[float]], rows: Sequence[set[int]], n_labels: int, similarity: float
) -> Nested:
    """Return the tree of joining the smallest cluster to the one that minimizes the blend.

    The criterion is cost^(1 - similarity) · distance^similarity. All labels must have rows, and
    there must be few enough for one part; every cluster is a candidate.
    """
    per_bit = 3.0 / math.log2(3.0)

    def phi(x: float) -> float:
        return per_bit * x * math.log2(len(rows) / x)

    def cosine(a: list[float], b: list[float]) -> float:
        lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
        return sum(x * y for x, y in zip(a, b, strict=True)) / lengths

    vectors = label_vectors(X, rows, n_labels)
    # (rows, age, vector, tree); age breaks ties as in φ merging
    clusters = [
        ({i for i, row in enumerate(rows) if j in row}, j, vectors[j], j) for j in range(n_labels)
    ]
    age = n_labels
    while len(clusters) > 1:
        clusters.sort(key=lambda cluster: (len(cluster[0]), cluster[1]))
        a = clusters.pop(0)
        scores = []
        for c in clusters:
            union = len(a[0] | c[0])
            cost = 2.0 * union + phi(union) - phi(len(c[0]))
            distance = 1.01 - cosine(a[2], c[2])
            scores.append((1.0 - similarity) * math.log(cost) + similarity * math.log(distance))
        c = clusters.pop(scores.index(min(scores)))
        both = [x + y for x, y in zip(a[2], c[2], strict=True)]
        clusters.append((a[0] | c[0], age, both, [a[3], c[3]]))
        age += 1
    return clusters[0][3]

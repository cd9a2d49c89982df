"""Optima, node probabilities and cliques, for comparison with bounds."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from tests.reference.trees import Nested, labels_under


def nested_optimum(counts: Sequence[int], n_rows: int) -> int:
    """Return the optimum of Theorem 5 by its O(m²) recurrence, for counts in ascending order."""
    if len(counts) == 1:
        return n_rows
    best = [0]
    for j in range(1, len(counts) + 1):
        first = [j * counts[j - 1]]
        later = [best[i] + (j - i + 1) * counts[j - 1] for i in range(1, j)]
        best.append(min(first + later))
    return n_rows + best[-1]


def node_probability(
    node: Nested, sets: Sequence[set[int]], probabilities: Sequence[float]
) -> float:
    """Return P(z_v = 1) under a distribution over label sets."""
    under = labels_under(node)
    return sum(p for labels, p in zip(sets, probabilities, strict=True) if labels & under)


def largest_clique(n_vertices: int, edges: set[tuple[int, int]]) -> int:
    """Return the size of the largest clique, by Bron-Kerbosch with pivoting."""
    near: list[set[int]] = [set() for _ in range(n_vertices)]
    for u, v in edges:
        if u != v:
            near[u].add(v)
            near[v].add(u)

    def grow(size: int, open_: set[int], done: set[int]) -> int:
        if not open_:
            return size
        pivot = max(open_ | done, key=lambda v: len(near[v] & open_))
        best = size
        for v in open_ - near[pivot]:
            best = max(best, grow(size + 1, open_ & near[v], done & near[v]))
            open_, done = open_ - {v}, done | {v}
        return best

    return grow(0, set(range(n_vertices)), set())


def cheapest_of_spans(edges: Iterable[tuple[int, int]], n_vertices: int, n_full: int) -> int:
    """Return the cost of the cheapest tree with at most three inner nodes of a clique instance.

    An inner node below the root is given by the vertices that its arcs touch. Each arc belongs to
    the smallest node that has both its ends, and each node to the smallest larger node around it.
    """
    arcs = {(v, v) for v in range(n_vertices)}
    arcs |= {arc for u, v in edges for arc in ((u, v), (v, u))}
    root = frozenset(range(n_vertices))
    spans = [
        frozenset(span)
        for size in range(1, n_vertices)
        for span in itertools.combinations(range(n_vertices), size)
    ]
    inside = {span: {arc for arc in arcs if span.issuperset(arc)} for span in [*spans, root]}

    def cost(*nodes: frozenset[int]) -> int:
        left, found = set(arcs), n_vertices + n_full + (len(arcs) + len(nodes)) * n_full
        for node in (*nodes, root):
            found += len(node) * len(left & inside[node])
            left -= inside[node]
        around = [min(len(b) for b in (*nodes, root) if b > a) for a in nodes]
        return found + sum(around)

    pairs = itertools.combinations(spans, 2)  # spans ascend in size
    return min([cost(), *(cost(span) for span in spans), *(cost(*pair) for pair in pairs)])

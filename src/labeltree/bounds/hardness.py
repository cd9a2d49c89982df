"""NP-hardness of the cheapest tree: label matrices that encode the clique problem (Theorem 2)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import check_integer, checked
from labeltree.data import LabelRows
from labeltree.trees import LabelTree

Edges = Iterable[tuple[int, int]]


#: Maximum number of vertices; the rows grow with its fifth power.
MAX_VERTICES = 120


@dataclass(frozen=True, eq=False)
class CliqueInstance:
    """Label rows that have a tree of cost at most `threshold` if and only if a clique exists.

    Labels are the arcs of the graph. Row i < n_vertices holds the arcs that touch vertex i, and
    every other row holds all arcs.
    """

    rows: LabelRows
    threshold: int
    arcs: NDArray[np.int64]  # (n_labels, 2), self-loops included, ascending
    n_vertices: int
    clique_size: int

    def tree(self, clique: Iterable[int]) -> LabelTree:
        """Return the tree that groups the arcs between the given vertices under one node.

        For a clique of `clique_size` vertices, its cost is the threshold.
        """
        inside = np.isin(self.arcs, list(clique)).all(axis=1)
        n_arcs = len(self.arcs)
        parent = np.concatenate([np.where(inside, n_arcs + 1, n_arcs), [-1, n_arcs]])
        return LabelTree.from_parents(parent, np.concatenate([np.arange(n_arcs), [-1, -1]]))


@checked
def clique_instance(edges: Edges, n_vertices: int, *, n_full: int | None = None) -> CliqueInstance:
    """Return a label matrix that is cheap to train if and only if a graph has a large clique.

    This is the second step of the proof of Theorem 2 (np_complete). The graph, with each edge as
    two arcs and with all self-loops, has a clique of k = 2n/3 vertices if and only if some tree
    costs at most w + n + ℓ, where ℓ = 0.145·n³ and w = ℓ(m+1) - 4n³/27 + nm + n for m arcs.
    Correction: n + ℓ is the number of rows; the paper adds only n.

    The rows hold about ℓ·m ones: 1.7 million for 30 vertices and 430 arcs. A graph of six vertices
    needs only ℓ = 24; docs/explanation/theory-optimum.md has the proof.

    Parameters
    ----------
    edges
        Pairs of vertices 0..n_vertices-1, in either direction; loops are implied.
    n_vertices
        Number of vertices, a multiple of 30. Use `reduce_clique` for other graphs.
    n_full
        ℓ, the number of rows that hold all arcs; 0.145·n³ by default. If it is given, n_vertices
        only has to be a multiple of 3, and a tree of a clique still costs the threshold. That no
        other graph has a tree as cheap is proven for 6 vertices with ℓ = 23, 24 or 25.

    Examples
    --------
    >>> four = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    >>> small = clique_instance(four, 6, n_full=24)
    >>> small.rows.n_rows, small.rows.n_labels, small.threshold
    (30, 18, 568)
    >>> clique = [(u, v) for u in range(20) for v in range(u)]
    >>> path = [(v, v - 1) for v in range(20, 30)]
    >>> instance = clique_instance(clique + path, 30)
    >>> instance.rows.n_rows, instance.rows.n_labels, instance.threshold
    (3945, 430, 1700240)
    >>> from labeltree.cost import training_cost
    >>> training_cost(instance.tree(range(20)), instance.rows)
    1700240
    """
    unit = 30 if n_full is None else 3
    if n_vertices < unit or n_vertices % unit:
        raise ValueError(
            f"n_vertices must be a multiple of {unit}, but is {n_vertices}; use reduce_clique"
        )
    pairs = _check_edges(edges, n_vertices)
    arcs = sorted(pairs | {(v, u) for u, v in pairs} | {(v, v) for v in range(n_vertices)})
    n, m = n_vertices, len(arcs)
    if n_full is None:
        n_full = _n_full(n)
    check_integer("n_full", n_full, minimum=0, maximum=_n_full(MAX_VERTICES))
    w = n_full * (m + 1) - 4 * n**3 // 27 + n * m + n
    ends = np.array(arcs, dtype=np.int64)
    rows = _incidence_rows(ends, n, n_full)
    return CliqueInstance(rows, w + n + n_full, ends, n, 2 * n // 3)


@checked
def reduce_clique(edges: Edges, n_vertices: int, k: int) -> CliqueInstance:
    """Return a label matrix that is cheap to train iff a graph has a clique of k vertices.

    This is the first step of the proof of Theorem 2 (np_complete), followed by `clique_instance`.
    Two additions bring the number of vertices N to a multiple of 30 and the size of the clique to
    2N/3: vertices that are connected to all others, which can join every clique, and a path
    attached to vertex 0, whose vertices cannot join a large clique. The paper adds one or the other
    and assumes a multiple of 30.

    Examples
    --------
    >>> complete = [(u, v) for u in range(20) for v in range(u)]
    >>> reduce_clique(complete, 20, 20).threshold
    1700240
    """
    pairs = _check_edges(edges, n_vertices)
    if not 1 <= k <= n_vertices:
        raise ValueError(f"k must be between 1 and the {n_vertices} vertices, but is {k}")
    # Neither the number of joined vertices nor the length of the path may be negative.
    minimum = max(math.ceil(3 * k / 2), 3 * (n_vertices - k))
    n_all = 30 * math.ceil(minimum / 30)
    n_joined = n_vertices + 2 * n_all // 3 - k
    pairs |= {(v, u) for v in range(n_vertices, n_joined) for u in range(v)}
    pairs |= {(v, v - 1 if v > n_joined else 0) for v in range(n_joined, n_all)}
    return clique_instance(pairs, n_all)


def _n_full(n_vertices: int) -> int:
    """Return 0.145·n³ in integers."""
    return 29 * n_vertices**3 // 200


def _check_edges(edges: Edges, n_vertices: int) -> set[tuple[int, int]]:
    """Return the edges as (larger, smaller) vertex, without loops."""
    if n_vertices > MAX_VERTICES:
        raise ValueError(f"n_vertices must be at most {MAX_VERTICES}, but is {n_vertices}")
    pairs = set()
    for u, v in edges:
        check_integer("vertices", u, minimum=0)
        check_integer("vertices", v, minimum=0)
        if not (0 <= u < n_vertices and 0 <= v < n_vertices):
            raise ValueError(
                f"vertices must be 0..{n_vertices - 1}, but there is an edge ({u}, {v})"
            )
        if u != v:
            pairs.add((max(u, v), min(u, v)))
    return pairs


def _incidence_rows(arcs: NDArray[np.int64], n_vertices: int, n_full: int) -> LabelRows:
    """Return one row with the arcs of each vertex, then n_full rows with all arcs."""
    numbers = np.arange(len(arcs), dtype=np.int32)
    touching = [numbers[(arcs == v).any(axis=1)] for v in range(n_vertices)]
    lengths = np.concatenate([list(map(len, touching)), np.full(n_full, len(arcs))])
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return LabelRows(indptr, np.concatenate([*touching, np.tile(numbers, n_full)]), len(arcs))

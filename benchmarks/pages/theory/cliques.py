"""The clique reduction on all graphs of six vertices, up to isomorphism."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from benchmarks.pages.places import Record
from labeltree import bounds, cost, trees

N_VERTICES, CLIQUE, N_FULL = 6, 4, 24
MAX_EXACT = 18  # labels
PAIRS = list(itertools.combinations(range(N_VERTICES), 2))


def graphs() -> list[list[tuple[int, int]]]:
    """Return the edges of each graph of six vertices, one of each isomorphism class.

    Examples
    --------
    >>> len(graphs())
    156
    """
    place = {pair: i for i, pair in enumerate(PAIRS)}
    codes = np.arange(2 ** len(PAIRS))
    smallest = codes.copy()
    for order in itertools.permutations(range(N_VERTICES)):
        moved: NDArray[np.int64] = np.zeros_like(codes)
        for i, (u, v) in enumerate(PAIRS):
            to = place[min(order[u], order[v]), max(order[u], order[v])]
            moved |= ((codes >> i) & 1) << to
        np.minimum(smallest, moved, out=smallest)
    kept = np.flatnonzero(smallest == codes).tolist()
    return [[pair for i, pair in enumerate(PAIRS) if code >> i & 1] for code in kept]


def has_clique(edges: list[tuple[int, int]]) -> bool:
    """Return whether four vertices are joined by all six edges.

    Examples
    --------
    >>> has_clique(PAIRS), has_clique(PAIRS[:5])
    (True, False)
    """
    found = set(edges)
    return any(
        found.issuperset(itertools.combinations(four, 2))
        for four in itertools.combinations(range(N_VERTICES), CLIQUE)
    )


def cheapest_grouping(edges: list[tuple[int, int]]) -> int:
    """Return the cost of the cheapest tree with at most one inner node below the root.

    The proof shows that another inner node never lowers the cost.

    Examples
    --------
    >>> cheapest_grouping(list(itertools.combinations(range(4), 2)))
    568
    """
    instance = bounds.clique_instance(edges, N_VERTICES, n_full=N_FULL)
    # A group of one vertex has one arc, so its node is contracted and the tree is the star.
    groups = [
        group
        for size in range(1, N_VERTICES)
        for group in itertools.combinations(range(N_VERTICES), size)
    ]
    return min(cost.training_cost(instance.tree(group), instance.rows) for group in groups)


def measured() -> Record:
    """Return how many graphs have a clique, and for how many the costs say so."""
    n_graphs = n_cliques = n_agreeing = n_exact = n_exact_agreeing = 0
    for edges in graphs():
        instance = bounds.clique_instance(edges, N_VERTICES, n_full=N_FULL)
        expected, found = has_clique(edges), cheapest_grouping(edges)
        n_graphs += 1
        n_cliques += expected
        n_agreeing += (found <= instance.threshold) == expected
        if instance.rows.n_labels <= MAX_EXACT:
            optimum = cost.training_cost(trees.exact(instance.rows), instance.rows)
            n_exact += 1
            n_exact_agreeing += optimum == found
    return {
        "graphs": n_graphs,
        "with_clique": n_cliques,
        "agreeing": n_agreeing,
        "solved_exactly": n_exact,
        "exactly_as_grouped": n_exact_agreeing,
    }

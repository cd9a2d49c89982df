"""Where the lower bound of pairs loses: its steps, at the divisions of a good tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from benchmarks.pages.places import Record
from labeltree import LabelTree, cost, trees
from labeltree.bounds.walks import levels
from labeltree.cost import pair_bound
from labeltree.data import read_npz_labels

Floats = NDArray[np.float64]


def measure_gap(folder: Path) -> Record:
    """Return the cost of a swept tree, and bounds that know its divisions."""
    Y = read_npz_labels(folder / "Y.trn.npz")
    tree = trees.cheapest(Y, sweeps=20)
    pairs = pair_bound._pairs_of(Y)
    above, share = best_shares(pairs, 30)
    weights = cost.node_weights(tree, Y).astype(np.float64)
    known = by_sizes(tree, pair_coverage(tree, pairs, share)) + leaf_term(pairs, share)
    return {
        "n_rows": Y.n_rows,
        "cost_per_row": round(cost.training_cost(tree, Y) / Y.n_rows, 2),
        "all_labels_per_row": round(1 + by_sizes(tree, weights) / Y.n_rows, 2),
        "pairs_per_row": round(1 + known / Y.n_rows, 2),
        "certified_per_row": round(1 + above / Y.n_rows, 2),
        "entropy_bound_per_row": round(cost.lower_bound(Y) / Y.n_rows, 2),
    }


def best_shares(pairs: pair_bound._Pairs, iterations: int) -> tuple[float, Floats]:
    """Return the best bound above n, and its distribution of rows over pairs."""
    share, best = np.ones(len(pairs.row)), (-np.inf, np.empty(0))
    for _ in range(iterations + 1):
        share /= np.bincount(pairs.row, share)[pairs.row]
        value, gain = pair_bound._bound(pairs, share)
        best = max(best, (value, share.copy()), key=lambda found: found[0])
        share = pair_bound._ascend(pairs, share, gain)
    return best


def masses(pairs: pair_bound._Pairs, share: Floats) -> tuple[Floats, Floats]:
    """Return the rows of each pair and of each label."""
    together = np.bincount(pairs.pair, share, minlength=len(pairs.first))
    is_pair = pairs.first != pairs.second
    mass = np.bincount(pairs.first, together, minlength=len(pairs.counts))
    more = np.bincount(pairs.second[is_pair], together[is_pair], minlength=len(mass))
    return np.asarray(together), np.asarray(mass + more)


def pair_coverage(tree: LabelTree, pairs: pair_bound._Pairs, share: Floats) -> Floats:
    """Return the expected number of rows whose pair has a label under each node."""
    together, mass = masses(pairs, share)
    is_pair = pairs.first != pairs.second
    depth = np.zeros(tree.n_nodes, np.int64)
    for start, stop in levels(tree)[1:]:
        depth[start:stop] = depth[tree.parent[start:stop]] + 1
    leaves = np.asarray(tree.leaves)
    u, v = leaves[pairs.first[is_pair]], leaves[pairs.second[is_pair]]
    while (u != v).any():
        up, down = (u != v) & (depth[u] >= depth[v]), (u != v) & (depth[v] >= depth[u])
        u, v = np.where(up, tree.parent[u], u), np.where(down, tree.parent[v], v)
    total = np.zeros(tree.n_nodes)
    total[leaves] = mass
    np.subtract.at(total, u, together[is_pair])  # counted twice from here up
    for start, stop in reversed(levels(tree)[1:]):
        np.add.at(total, tree.parent[start:stop], total[start:stop])
    return total


def by_sizes(tree: LabelTree, coverage: Floats) -> float:
    """Return e times the integral of the coverage of the tree's own divisions."""
    nodes = np.flatnonzero(coverage[1:] > 1e-9) + 1
    ratio = coverage[tree.parent[nodes]] / coverage[nodes]
    return float(np.e * (coverage[nodes] @ np.log(ratio)))


def leaf_term(pairs: pair_bound._Pairs, share: Floats) -> float:
    """Return what the edges of leaves add, as in the bound."""
    mass = masses(pairs, share)[1]
    theta = np.minimum(1.0, np.e * mass / np.maximum(pairs.counts, 1.0))
    return float((1.0 - theta) @ pairs.counts + np.e * xlogy(mass, theta).sum())

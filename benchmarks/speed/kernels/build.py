"""Speed of building trees from counts: a million labels with Zipf counts, one thread."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.timing import timed
from labeltree import cost, trees

N_LABELS = 1_000_000
BUILDERS = {"huffman": trees.huffman, "nested": trees.nested, "multiclass": trees.multiclass}


def generate(seed: int, n_labels: int = N_LABELS) -> NDArray[np.int64]:
    """Return Zipf counts of labels in random order."""
    counts = np.maximum(1e9 / np.arange(1, n_labels + 1), 1).astype(np.int64)
    return np.random.default_rng(seed).permutation(counts)


def entropy_bound(counts: NDArray[np.int64]) -> float:
    """Return a lower bound on Σ count·D_j."""
    shares = counts / counts.sum()
    return float(-3 / math.log(3) * counts.sum() * (shares @ np.log(shares)))


def check(name: str, tree: trees.LabelTree, counts: NDArray[np.int64]) -> float:
    """Return the cost of the tree as a multiple of the bound it is checked against."""
    if name == "nested":  # the weight of a node is that of its most frequent label
        weights = np.zeros(tree.n_nodes, np.int64)
        weights[tree.leaves] = counts
        for v in range(tree.n_nodes - 1, 0, -1):
            weights[tree.parent[v]] = max(weights[tree.parent[v]], weights[v])
        star = N_LABELS * int(counts.max())
        ratio = float(weights @ tree.degree) / star
        assert ratio < 1e-3
        return ratio
    ratio = float(counts @ cost.leaf_costs(tree)) / entropy_bound(counts)
    assert 1 <= ratio < {"huffman": 1.007, "multiclass": 1.004}[name]
    return ratio


def measure(*, repeats: int = 3, seed: int = 0) -> dict[str, Any]:
    """Return the median seconds of each builder, and its cost relative to the bound."""
    counts = generate(seed)
    figures: dict[str, Any] = {"name": "build", "threads": 1, "seed": seed, "n_labels": N_LABELS}
    for name, build in BUILDERS.items():
        took, tree = timed(partial(build, counts), repeats)
        figures[name] = {
            **took.figures("seconds"),
            "cost_ratio": round(check(name, tree, counts), 6),
        }
    return figures

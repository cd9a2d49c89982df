"""Optima of small label matrices, and of the graphs of six vertices."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.pages.places import Record
from benchmarks.pages.theory import cliques
from benchmarks.pages.theory.families import ALL, NAMED, RANDOM, matrices
from labeltree import LabelTree, bounds, cost, trees
from labeltree.cost.lower_bounds import PER_BIT, _kraft_sum, spread_entropy
from labeltree.data import LabelRows, as_labels

BUILDS: dict[str, Callable[[LabelRows], LabelTree]] = {
    "cheapest, 2 sweeps": lambda Y: trees.cheapest(Y, sweeps=2),
    "cheapest": trees.cheapest,
    "φ merging, collapsed": lambda Y: trees.collapse(trees.merge(Y), Y),
    "φ merging": trees.merge,
    "binary merging, smallest input": trees.binary_merge,
    "binary merging, smallest output": lambda Y: trees.binary_merge(Y, choose="smallest-output"),
    "multiclass": lambda Y: trees.multiclass(Y.counts),
    "ternary Huffman": lambda Y: trees.huffman(Y.counts),
    "ternary Shannon": lambda Y: trees.shannon(Y.counts),
    "binary Huffman": lambda Y: trees.huffman(Y.counts, arity=2),
    "nested": lambda Y: trees.nested(Y.counts),
    "complete ternary, by counts": lambda Y: trees.complete(Y.n_labels, counts=Y.counts),
    "complete ternary, label order": lambda Y: trees.complete(Y.n_labels),
    "star": lambda Y: trees.star(Y.n_labels),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: everything is enumerated or drawn with a fixed seed."""


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the records of all families, of the named matrices and of the graphs."""
    for family in (*RANDOM, ALL):
        yield {"kind": "builders", "data": family, **ratios(family)}
    for name, (rows, m) in NAMED.items():
        yield {"kind": "bounds", "data": name, **bounds_of(as_labels(rows, n_labels=m))}
    yield {"kind": "cliques", "data": "graphs of six vertices", **cliques.measured()}


def ratios(family: str) -> Record:
    """Return cost divided by optimum of each builder: mean, worst, and how often it is 1."""
    found: dict[str, list[float]] = {name: [] for name in BUILDS}
    for Y in matrices(family):
        optimum = cost.training_cost(trees.exact(Y), Y)
        for name, build in BUILDS.items():
            found[name].append(cost.training_cost(build(Y), Y) / optimum)
    return {
        "n_matrices": len(found["star"]),
        "trees": [
            {
                "tree": name,
                "mean": round(float(np.mean(values)), 4),
                "worst": round(max(values), 4),
                "optimal": round(float(np.mean(np.isclose(values, 1.0))), 4),
            }
            for name, values in found.items()
        ],
    }


def bounds_of(Y: LabelRows) -> Record:
    """Return the optimum of a matrix and what each lower bound says, without rounding up."""
    n, n_labeled = Y.n_rows, Y.n_labeled
    entropy = spread_entropy(Y, iterations=200)
    paths = n + n_labeled * PER_BIT * entropy
    return {
        "n_rows": n,
        "n_labels": Y.n_labels,
        "optimum": cost.training_cost(trees.exact(Y), Y),
        "simple": bounds.simple_lower_bound(Y),
        "paths": round(paths, 3),
        "mixed": round(max(mixed_bound(Y, entropy, theta / 200) for theta in range(10, 201)), 3),
        "best": cost.lower_bound(Y),
        "pairs": cost.pair_lower_bound(Y),
    }


def mixed_bound(Y: LabelRows, entropy: float, theta: float) -> float:
    """Return the bound in which a fraction θ of the leaves beside a path counts to the path."""
    share = PER_BIT * (entropy - math.log2(_kraft_sum(theta)))
    return float(Y.n_rows + Y.n_labeled * share + (1 - theta) * len(Y.indices))

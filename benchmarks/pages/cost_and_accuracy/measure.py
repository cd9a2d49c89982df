"""The command of the page: which parts to measure on which data sets."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages.cost_and_accuracy import gap, known, models
from benchmarks.pages.cost_and_accuracy.builds import BUILDS, Build
from benchmarks.pages.places import Record
from benchmarks.rows import cpu_timed, read_rows
from labeltree import cost, trees
from labeltree.data import LabelRows

#: Rows of data sets on which sweeps run until they end.
MAX_SWEPT_ROWS = 100_000


def measure_costs(folder: Path) -> Record:
    """Return the cost of all trees on all training rows, and lower bounds."""
    X, Y = read_rows(folder)
    builds = dict(BUILDS)
    n_steps = 30 if Y.n_rows <= MAX_SWEPT_ROWS else 10  # 2 s each for 600,000 rows
    if Y.n_rows <= MAX_SWEPT_ROWS:
        builds["cheapest, 20 sweeps"] = lambda X, Y: trees.cheapest(Y, sweeps=20)
    return {
        "n_rows": Y.n_rows,
        "n_labels": Y.n_labels,
        "labels_per_row": round(len(Y.indices) / Y.n_rows, 2),
        "entropy_bound_per_row": round(cost.lower_bound(Y) / Y.n_rows, 2),
        "pair_bound_per_row": round(cost.pair_lower_bound(Y, iterations=n_steps) / Y.n_rows, 2),
        "trees": [{"tree": name, **price(build, X, Y)} for name, build in builds.items()],
    }


def price(build: Build, X: Any, Y: LabelRows) -> dict[str, Any]:
    """Build a tree and compute its cost, and what the bound by sizes is at its own divisions."""
    seconds, tree = cpu_timed(lambda: build(X, Y))
    weights = cost.node_weights(tree, Y).astype(np.float64)
    nodes = np.flatnonzero(weights[1:]) + 1
    ratio = weights[tree.parent[nodes]] / weights[nodes]
    return {
        "cost_per_row": round(cost.training_cost(tree, Y) / Y.n_rows, 2),
        "at_own_sizes_per_row": round(
            float(1 + np.e * (weights[nodes] @ np.log(ratio)) / Y.n_rows), 2
        ),
        "build_cpu_s": round(seconds, 2),
        "depth": tree.depth,
        "max_degree": tree.max_degree,
    }


PARTS: dict[str, Callable[[Path], Record]] = {
    "costs": measure_costs,
    "models": models.measure_models,
    "known": known.measure_known,
    "strengths": known.measure_strengths,
    "gap": gap.measure_gap,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--parts", nargs="+", choices=tuple(PARTS), default=tuple(PARTS))


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the results of each part on each data set."""
    for part in asked.parts:
        for folder in asked.folders:
            yield {"kind": part, "data": folder.name, **PARTS[part](folder)}

"""The command of the page: which parts to measure on which data sets."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.pages.cost_and_accuracy import known, models
from benchmarks.pages.cost_and_accuracy.builds import BUILDS
from benchmarks.pages.places import Record
from benchmarks.rows import cpu_timed, read_rows
from labeltree import cost


def measure_costs(folder: Path) -> Record:
    """Return the cost of all trees on all training rows, and the lower bound."""
    X, Y = read_rows(folder)
    found = []
    for name, build in BUILDS.items():
        seconds, tree = cpu_timed(lambda build=build: build(X, Y))
        found.append(
            {
                "tree": name,
                "cost_per_row": round(cost.training_cost(tree, Y) / Y.n_rows, 2),
                "build_cpu_s": round(seconds, 2),
                "depth": tree.depth,
                "max_degree": tree.max_degree,
            }
        )
    return {
        "n_rows": Y.n_rows,
        "n_labels": Y.n_labels,
        "labels_per_row": round(len(Y.indices) / Y.n_rows, 2),
        "lower_bound_per_row": round(cost.lower_bound(Y) / Y.n_rows, 2),
        "trees": found,
    }


PARTS: dict[str, Callable[[Path], Record]] = {
    "costs": measure_costs,
    "models": models.measure_models,
    "known": known.measure_known,
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

"""Cost and build time of each tree on real label matrices, on one thread."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.markdown import table
from benchmarks.pages.places import Place, Record, Table, measured_on
from benchmarks.rows import cpu_timed, read_rows
from labeltree import LabelTree, cost, trees
from labeltree.data import LabelRows

Build = Callable[[Any, LabelRows], LabelTree]


def _kmeans(arity: int, max_leaf_size: int, *, collapsed: bool = False) -> Build:
    def build(X: Any, Y: LabelRows) -> LabelTree:
        tree = trees.kmeans(X, Y, arity=arity, max_leaf_size=max_leaf_size, n_jobs=1)
        return trees.collapse(tree, Y) if collapsed else tree

    return build


BUILDS: dict[str, Build] = {
    "complete ternary, label order": lambda X, Y: trees.complete(Y.n_labels),
    "complete ternary, by counts": lambda X, Y: trees.complete(Y.n_labels, counts=Y.counts),
    "ternary Huffman": lambda X, Y: trees.huffman(Y.counts),
    "ternary Shannon": lambda X, Y: trees.shannon(Y.counts),
    "2-means, at most 100 labels per node": _kmeans(2, 100),
    "16-means": _kmeans(16, 16),
    "2-means to single labels": _kmeans(2, 1),
    "2-means to single labels, collapsed": _kmeans(2, 1, collapsed=True),
    "blend": lambda X, Y: trees.blend(X, Y, n_jobs=1),
    "blend, similarity 0.5, per_row 10": lambda X, Y: trees.blend(
        X, Y, similarity=0.5, cost_model=trees.CostModel(per_row=10), n_jobs=1
    ),
    "φ merging": lambda X, Y: trees.merge(Y),
    "cheapest": lambda X, Y: trees.cheapest(Y),
    "cheapest, 2 sweeps": lambda X, Y: trees.cheapest(Y, sweeps=2),
}


DATA_SETS = ("eurlex-4k", "tib-gnd", "yso-finna-en", "wordnet-hypernyms")
RUNS = {"all": " ".join(f"DATA/{name}" for name in DATA_SETS)}
MINUTES = 0.9
MINUTES_FROM = "CPU time, measured once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("folders", nargs="+", type=Path)


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the cost of all trees on each data set."""
    for folder in asked.folders:
        X, Y = read_rows(folder)
        yield {
            "data": folder.name,
            "n_rows": Y.n_rows,
            "n_labels": Y.n_labels,
            "lower_bound_per_row": round(cost.lower_bound(Y) / Y.n_rows, 2),
            "trees": [price(name, X, Y) for name in BUILDS],
        }


def price(name: str, X: Any, Y: LabelRows) -> dict[str, Any]:
    """Build one tree and compute its cost."""
    seconds, tree = cpu_timed(lambda: BUILDS[name](X, Y))
    return {
        "tree": name,
        "cost_per_row": round(cost.training_cost(tree, Y) / Y.n_rows, 2),
        "build_cpu_s": round(seconds, 3),
        "n_nodes": tree.n_nodes,
        "depth": tree.depth,
        "max_degree": tree.max_degree,
    }


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the table of costs, trees by data sets."""
    bounds = [f"{record['lower_bound_per_row']:.1f}" for record in records]
    rows = [["*lower bound, any tree*", *bounds]]
    for trees_of_sets in zip(*(record["trees"] for record in records), strict=True):
        cells = [
            f"{tree['cost_per_row']:.1f} ({tree['build_cpu_s']:.1f} s)" for tree in trees_of_sets
        ]
        rows.append([trees_of_sets[0]["tree"], *cells])
    header = ["cost per row (CPU seconds to build)"]
    header += [f"{record['data']}: {record['n_labels']:,} labels" for record in records]
    yield Table("trees", f"{table(header, rows)}\n\n{measured_on(records)}")

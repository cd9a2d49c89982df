"""What each tree costs on real label matrices, and how long it takes to build, on one thread.

    python -m benchmarks.trees DATA/eurlex-4k DATA/tib-gnd [--output results.json]

A folder holds X.trn.npz and Y.trn.npz; the rows of X are scaled to length 1 first.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sklearn.preprocessing import normalize

from benchmarks.machine import machine
from labeltree import LabelTree, cost, trees
from labeltree.data import LabelRows, read_npz, read_npz_labels

Build = Callable[[Any, LabelRows], LabelTree]


def _kmeans(arity: int, max_leaf: int, *, collapsed: bool = False) -> Build:
    def build(X: Any, Y: LabelRows) -> LabelTree:
        tree = trees.kmeans(X, Y, arity=arity, max_leaf=max_leaf, n_jobs=1)
        return trees.collapse(tree, Y) if collapsed else tree

    return build


BUILDS: dict[str, Build] = {
    "complete ternary, label order": lambda X, Y: trees.complete(Y.n_labels),
    "complete ternary, by counts": lambda X, Y: trees.complete(Y.n_labels, counts=Y.counts),
    "ternary Huffman": lambda X, Y: trees.huffman(Y.counts),
    "ternary Shannon": lambda X, Y: trees.shannon(Y.counts),
    "2-means, at most 100 labels a node": _kmeans(2, 100),
    "16-means": _kmeans(16, 16),
    "2-means to single labels": _kmeans(2, 1),
    "2-means to single labels, collapsed": _kmeans(2, 1, collapsed=True),
    "blend": lambda X, Y: trees.blend(X, Y, n_jobs=1),
    "blend, likeness 0.5, per_row 10": lambda X, Y: trees.blend(
        X, Y, likeness=0.5, cost_model=trees.CostModel(per_row=10), n_jobs=1
    ),
    "φ merging": lambda X, Y: trees.merge(Y),
    "cheapest": lambda X, Y: trees.cheapest(Y),
    "cheapest, 2 sweeps": lambda X, Y: trees.cheapest(Y, sweeps=2),
}


def price(name: str, X: Any, Y: LabelRows) -> dict[str, Any]:
    """Build one tree and price it."""
    start = time.process_time()
    tree = BUILDS[name](X, Y)
    seconds = time.process_time() - start
    return {
        "tree": name,
        "cost_per_row": round(cost.training_cost(tree, Y) / Y.n_rows, 2),
        "build_cpu_s": round(seconds, 3),
        "n_nodes": tree.n_nodes,
        "depth": tree.depth,
        "max_degree": tree.max_degree,
    }


def measure(folder: Path) -> dict[str, Any]:
    """Price all trees on one data set."""
    X = normalize(read_npz(folder / "X.trn.npz"), copy=False)
    Y = read_npz_labels(folder / "Y.trn.npz")
    bound = cost.lower_bound(Y) / Y.n_rows
    rows = []
    for name in BUILDS:
        rows.append(price(name, X, Y))
        print(
            f"{folder.name:20s} {name:40s} {rows[-1]['cost_per_row']:8.2f} "
            f"{rows[-1]['build_cpu_s']:8.2f} s",
            flush=True,
        )
    return {
        "data": folder.name,
        "n_rows": Y.n_rows,
        "n_labels": Y.n_labels,
        "lower_bound_per_row": round(bound, 2),
        "trees": rows,
    }


def main() -> None:
    """Measure the folders on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trees", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, help="JSON file to write")
    options = parser.parse_args()
    results = {"machine": machine(), "data": [measure(folder) for folder in options.folders]}
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

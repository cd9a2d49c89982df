"""How much faster two threads fit the default model than one, on an idle machine: best of three.

python -m benchmarks.threads DATA/tib-gnd [--output results.json]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from benchmarks.machine import machine
from labeltree import PLTClassifier
from labeltree.data import as_features, read_npz, read_npz_labels
from labeltree.training.nodes import SolverSettings, train_tree

REPEATS = 3


def measure(folder: Path, n_threads: tuple[int, ...] = (1, 2)) -> dict[str, Any]:
    """Wall seconds of the whole fit, and of training alone over the tree it built."""
    X = as_features(normalize(read_npz(folder / "X.trn.npz"), copy=False))
    Y = read_npz_labels(folder / "Y.trn.npz")
    figures: dict[str, Any] = {"data": folder.name}
    models = {}
    taken: dict[str, list[float]] = defaultdict(list)
    for n in n_threads * REPEATS:
        start = time.perf_counter()
        models[n] = PLTClassifier(n_jobs=n).fit(X, Y)
        taken[f"fit_wall_s_{n}"].append(time.perf_counter() - start)
        scaled = models[n].scaling_(X)
        start = time.perf_counter()
        train_tree(models[n].tree_, scaled, Y, SolverSettings(), n_threads=n)
        taken[f"train_wall_s_{n}"].append(time.perf_counter() - start)
    figures |= {name: round(min(seconds), 2) for name, seconds in taken.items()}
    figures["all"] = {name: [round(s, 2) for s in seconds] for name, seconds in taken.items()}
    layouts = [models[n].model_.layouts[0] for n in n_threads]
    for one, other in zip(*layouts, strict=True):
        np.testing.assert_array_equal(one, other)
    for what in ("fit", "train"):
        ratio = figures[f"{what}_wall_s_{n_threads[0]}"] / figures[f"{what}_wall_s_{n_threads[1]}"]
        figures[f"{what}_speedup"] = round(ratio, 2)
    return figures


def main() -> None:
    """Measure one data set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, help="JSON file to write")
    options = parser.parse_args()
    results = {"machine": machine(), **measure(options.folder)}
    print(json.dumps(results, indent=1))
    if options.output:
        options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

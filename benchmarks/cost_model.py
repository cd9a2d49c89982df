"""Does the cost of a tree tell how long it trains? Seconds foretold against seconds taken.

python -m benchmarks.cost_model DATA/eurlex-4k [--output results.json] [--plot picture.png]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from benchmarks.machine import machine
from benchmarks.study import BONSAI, Choice
from labeltree.data import LabelRows, as_features, read_npz, read_npz_labels
from labeltree.planning.training_times import Times, time_trees
from labeltree.training.feature_weighting import learn_scaling

CHOICES = [
    Choice("huffman"),
    *(Choice("cheapest", {"per_row": per_row}) for per_row in (0, 5, 20, 80, 320)),
    *(Choice("blend", {"likeness": 0.75, "per_row": per_row}) for per_row in (0, 20, 80, 320)),
    Choice("kmeans", {"arity": 2, "max_leaf": 100}),
    Choice("kmeans", {"arity": 16, "max_leaf": 16}),
    Choice("kmeans", BONSAI),
]


def measure(X: Any, Y: LabelRows) -> tuple[Times, dict[str, Any]]:
    """Train all trees; compare their times with prices fitted to them."""
    times = time_trees([choice.grow(X, Y, 0) for choice in CHOICES], X, Y)
    by_pairs = times.pairs * np.exp(np.mean(np.log(times.seconds / times.pairs)))
    per_row, per_pair = times.prices()
    by_cost = times.by_cost()
    error = np.abs(by_cost / times.seconds - 1)
    by_prices = np.abs(times.predicted() / times.seconds - 1)
    trees = [
        {
            "tree": str(choice),
            "rows": int(times.rows[i]),
            "pairs": int(times.pairs[i]),
            "train_cpu_s": round(float(times.seconds[i]), 3),
            "by_cost_s": round(float(by_cost[i]), 3),
            "by_prices_s": round(float(times.predicted()[i]), 3),
            "by_pairs_alone_s": round(float(by_pairs[i]), 3),
        }
        for i, choice in enumerate(CHOICES)
    ]
    return times, {
        "per_row_us": round(per_row, 4),
        "per_pair_us": round(per_pair, 5),
        "largest_error": round(float(error.max()), 3),
        "median_error": round(float(np.median(error)), 3),
        "largest_error_by_prices": round(float(by_prices.max()), 3),
        "largest_error_by_pairs_alone": round(float(np.abs(by_pairs / times.seconds - 1).max()), 3),
        "trees": trees,
    }


def draw(times: Times, path: Path, name: str) -> None:
    """Save a picture of predicted against measured seconds."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.loglog(times.seconds, times.by_cost(), "o", label="as the trainer estimates it")
    axes.loglog(times.seconds, times.predicted(), "x", color="grey", label="by rows and pairs")
    ends = np.array([min(times.seconds) / 1.3, max(times.seconds) * 1.3])
    axes.plot(ends, ends, color="grey", linewidth=1)
    axes.fill_between(ends, ends / 1.2, ends * 1.2, color="grey", alpha=0.2, label="within 20 %")
    axes.set_xlabel("training, CPU seconds")
    axes.set_ylabel("seconds foretold")
    axes.set_title(f"Cost and time of {len(CHOICES)} trees, {name}")
    axes.legend()
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measure one data set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost_model", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, help="JSON file to write")
    parser.add_argument("--plot", type=Path, help="picture to write")
    options = parser.parse_args()
    X = as_features(normalize(read_npz(options.folder / "X.trn.npz"), copy=False))
    Y = read_npz_labels(options.folder / "Y.trn.npz")
    times, figures = measure(learn_scaling(X, Y)(X), Y)
    print(json.dumps(figures, indent=1))
    if options.plot:
        draw(times, options.plot, options.folder.name)
    if options.output:
        results = {"machine": machine(), "data": options.folder.name, **figures}
        options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

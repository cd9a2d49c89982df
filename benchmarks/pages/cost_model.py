"""How well the cost of a tree estimates its training time: estimated and measured seconds."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.pages.places import Picture, Place, Record, Values
from benchmarks.pages.style import LINES, finish, legend, log_axes, new_axes
from benchmarks.rows import read_rows
from labeltree import LabelTree, trees
from labeltree.data import LabelRows
from labeltree.planning.training_times import time_trees
from labeltree.plot.style import GRAY
from labeltree.training.feature_weighting import learn_scaling
from labeltree.trees import CostModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Build = Callable[[Any, LabelRows], LabelTree]


def _cheapest(per_row: float) -> Build:
    return lambda X, Y: trees.cheapest(Y, cost_model=CostModel(per_row=per_row))


def _blend(per_row: float) -> Build:
    return lambda X, Y: trees.blend(
        X, Y, similarity=0.75, cost_model=CostModel(per_row=per_row), n_jobs=1
    )


def _kmeans(arity: int, max_leaf_size: int, *, balanced: bool = True) -> Build:
    return lambda X, Y: trees.kmeans(
        X, Y, arity=arity, max_leaf_size=max_leaf_size, balanced=balanced, n_jobs=1
    )


TREES: dict[str, Build] = {
    "huffman": lambda X, Y: trees.huffman(Y.counts),
    **{f"cheapest, per_row {per_row}": _cheapest(per_row) for per_row in (0, 5, 20, 80, 320)},
    **{f"blend, per_row {per_row}": _blend(per_row) for per_row in (0, 20, 80, 320)},
    "2-means, at most 100 labels per node": _kmeans(2, 100),
    "16-means": _kmeans(16, 16),
    "100-means, not balanced": _kmeans(100, 100, balanced=False),
}


RUNS = {"eurlex-4k": "DATA/eurlex-4k"}
MINUTES = 0.3
MINUTES_FROM = "CPU time, measured once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("folder", type=Path)


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Train all trees, and compare their times with a cost model fitted to them."""
    X, Y = read_rows(asked.folder)
    X = learn_scaling(X, Y)(X)
    times = time_trees([build(X, Y) for build in TREES.values()], X, Y)
    estimates = {
        "by_cost": times.by_cost(),
        "by_prices": times.predicted(),
        "by_pairs_alone": times.pairs * np.exp(np.mean(np.log(times.seconds / times.pairs))),
    }
    errors = {name: np.abs(found / times.seconds - 1) for name, found in estimates.items()}
    per_row, per_pair = times.prices()
    yield {
        "data": asked.folder.name,
        "per_row_us": round(per_row, 4),
        "per_pair_us": round(per_pair, 5),
        "largest_error": round(float(errors["by_cost"].max()), 3),
        "median_error": round(float(np.median(errors["by_cost"])), 3),
        "largest_error_by_prices": round(float(errors["by_prices"].max()), 3),
        "largest_error_by_pairs_alone": round(float(errors["by_pairs_alone"].max()), 3),
        "trees": [
            {
                "tree": name,
                "rows": int(times.rows[i]),
                "pairs": int(times.pairs[i]),
                "train_cpu_s": round(float(times.seconds[i]), 3),
                **{f"{way}_s": round(float(found[i]), 3) for way, found in estimates.items()},
            }
            for i, name in enumerate(TREES)
        ],
    }


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the plot of estimated against measured seconds."""
    for record in records:
        yield Picture("price-and-time.png", draw(record))
        error = f"{100 * record['largest_error']:.0f}"
        yield Values({f"cost_model.{record['data']}.largest_error": error})


def draw(record: Record) -> Figure:
    """Return a figure of estimated against measured seconds."""
    seconds, by_cost, by_prices = (
        np.array([tree[key] for tree in record["trees"]])
        for key in ("train_cpu_s", "by_cost_s", "by_prices_s")
    )
    figure, axes = new_axes(1.4)
    for line, found, label in zip(
        LINES, (by_cost, by_prices), ("estimate of the trainer", "by rows and pairs"), strict=False
    ):
        axes.plot(seconds, found, label=label, **{**line, "linestyle": "none"})
    ends = np.array([min(seconds) / 1.3, max(seconds) * 1.3])
    axes.plot(ends, ends, color=GRAY, linewidth=1)
    axes.fill_between(ends, ends / 1.2, ends * 1.2, color=GRAY, alpha=0.2, label="within 20 %")
    log_axes(axes)
    axes.set_xlabel("training (CPU seconds, log scale)")
    axes.set_ylabel("estimated seconds (log scale)")
    legend(axes)
    finish(axes, f"Cost and time of {len(record['trees'])} trees, {record['data']}", grid="both")
    return figure

"""The plots of the page: one marker and color for each tree, in all plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.pages.cost_and_accuracy.figures import (
    Points,
    bound_of,
    front,
    mean_precision,
    title_of,
)
from benchmarks.pages.places import Record
from benchmarks.pages.style import GRAY, NORMAL, finish, log_axes, new_axes, new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Color and marker of each tree; the colors are those of Okabe and Ito.
LOOKS: dict[str, tuple[str, str]] = {
    "star": ("#000000", "*"),
    "random": ("#999999", "x"),
    "complete": ("#56B4E9", "v"),
    "huffman": ("#0072B2", "^"),
    "cheapest": ("#D55E00", "o"),
    "cheapest, 2 sweeps": ("#D55E00", "P"),
    "blend": ("#E69F00", "D"),
    "2-means": ("#CC79A7", "s"),
    "16-means": ("#CC79A7", "h"),
    "auto": ("#009E73", "X"),
}


def _mark(axes: Axes, tree: str, x: Any, y: Any, **more: Any) -> None:
    color, marker = LOOKS[tree]
    axes.plot(x, y, marker, color=color, markersize=8, markeredgecolor=color, **more)


def _legend(figure: Figure, trees: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=LOOKS[tree][0], marker=LOOKS[tree][1], linestyle="", label=tree)
        for tree in trees
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=11, frameon=False)


def gaps(records: list[Record]) -> Figure:
    """Return the cost of each tree as a multiple of the lower bound, one line of dots per set."""
    figure, axes = new_axes(1.5)
    for i, record in enumerate(records):
        for tree in record["trees"]:
            if tree["tree"] in LOOKS and tree["tree"] != "star":
                _mark(axes, tree["tree"], tree["cost_per_row"] / bound_of(record), -i)
    axes.set_yticks([-i for i in range(len(records))], [record["data"] for record in records])
    axes.axvline(1, color=GRAY, linewidth=1)
    axes.set_xlabel("training cost / best lower bound")
    log_axes(axes, "x")
    finish(axes, "Training cost against the best lower bound", grid="x")
    _legend(figure, [name for name in LOOKS if name != "star"])
    return figure


def accuracy_against(records: list[Record], key: str, label: str) -> Figure:
    """Return the mean of P@1, P@3 and P@5 against a price, a panel per set, with the front."""
    figure, panels = new_panels(len(records), 1.35)
    for axes, record in zip(panels, records, strict=True):
        points: Points = [(tree[key], mean_precision(tree)) for tree in record["trees"]]
        for tree, (x, y) in zip(record["trees"], points, strict=True):
            _mark(axes, tree["tree"], x, y)
        best = front(points)
        axes.step(*zip(*best, strict=True), where="post", color=GRAY, linewidth=1.2, zorder=0)
        log_axes(axes, "x")
        finish(axes, title_of(record), grid="y")
    for axes in panels[-2:]:
        axes.set_xlabel(label)
    for axes in panels[::2]:
        axes.set_ylabel("mean precision, %")
    _legend(figure, list(LOOKS))
    return figure


def errors(records: list[Record]) -> Figure:
    """Return the error of labels against its bound, and regret against the error of labels."""
    figure, (left, right) = new_panels(2, 0.85)
    for record in records:
        for tree in record["trees"]:
            _mark(left, tree["tree"], tree["label_error_bound"], tree["label_error"])
            share = tree["label_error"] / tree["mass"]
            _mark(right, tree["tree"], share, 100 * tree["regret@5"] / tree["optimum@5"])
    ends = np.array([1.0, 20.0])
    left.plot(ends, ends, color=GRAY, linewidth=1)
    left.set_xlabel("bound of Theorem 1, summed over labels")
    left.set_ylabel("Σ |η - η̂| over labels")
    right.set_xlabel("Σ |η - η̂| / Σ η")
    right.set_ylabel("lost P@5, % of the optimum")
    log_axes(left)
    finish(left, "Bound and error", grid="y")
    finish(right, "Error and regret", grid="y")
    _legend(figure, list(LOOKS))
    return figure


def seconds(records: list[Record]) -> Figure:
    """Return training time against pairs and against the trainer's estimate, relative to auto."""
    figure, panels = new_panels(2, 0.85)
    names = {"pairs": "(row, node) pairs", "work": "estimate of the trainer"}
    for axes, (key, title) in zip(panels, names.items(), strict=True):
        for record in records:
            by_tree = {tree["tree"]: tree for tree in record["trees"]}
            unit = by_tree["auto"]
            for name, tree in by_tree.items():
                ratio = tree["train_cpu_s"] / unit["train_cpu_s"]
                _mark(axes, name, tree[key] / unit[key], ratio)
        ends = np.array([0.1, 200.0])
        axes.plot(ends, ends, color=GRAY, linewidth=1)
        axes.set_xlabel(f"{title}, relative to auto")
        log_axes(axes)
        finish(axes, title, grid="y")
    panels[0].set_ylabel("CPU seconds of training,\nrelative to auto", fontsize=NORMAL)
    _legend(figure, list(LOOKS))
    return figure

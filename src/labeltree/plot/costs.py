"""Plots of the costs of trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree import cost
from labeltree.arguments import checked
from labeltree.plot.name_places import write_names
from labeltree.plot.style import BLUE, GRAY, INK, NORMAL, ORANGE, finish, new_axes, note
from labeltree.trees import LabelTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SERIES_COLORS = (BLUE, ORANGE, "#5b8c5a", "#8a5a8c", GRAY)

Points = Sequence[tuple[int, float]]


@checked
def cost_bars(
    costs: Mapping[str, float] | Iterable[tuple[str, float]], *, lower_bound: float | None = None
) -> Figure:
    """Return a figure of the training cost per row of several trees, the cheapest on top.

    Parameters
    ----------
    costs
        Name of each tree and its cost per row, ``training_cost(tree, Y) / n_rows``.
    lower_bound
        Lower bound on the cost per row of any tree, drawn as a line. Each bar then shows its ratio
        to the bound.

    Examples
    --------
    >>> figure = cost_bars({"huffman": 24.0, "cheapest": 18.0}, lower_bound=12.0)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['18.0 (1.50 × bound)', '24.0 (2.00 × bound)', 'lower bound 12.0']
    """
    rows = sorted(dict(costs).items(), key=lambda row: row[1])
    if not rows:
        raise ValueError("costs must name at least one tree, but is empty")
    figure, axes = new_axes(7.0, 1.3 + 0.34 * len(rows))
    names, values = [name for name, _ in rows], [value for _, value in rows]
    axes.barh(names, values, height=0.62, color=BLUE)
    axes.invert_yaxis()
    is_wide = values[-1] > 20 * values[0]
    if is_wide:
        # A row costs at least 1, so bars on a logarithmic axis can start there.
        axes.set_xscale("log")
        axes.set_xlim(1.0, values[-1] ** 1.35)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.minorticks_off()  # of the axis alone since matplotlib 3.9
    else:
        axes.set_xlim(0.0, values[-1] * 1.3)
    for place, value in enumerate(values):
        excess = f" ({value / lower_bound:.2f} × bound)" if lower_bound else ""
        note(axes, f"{value:,.1f}{excess}", (value, place), (4, 0), va="center")
    if lower_bound is not None:
        axes.axvline(lower_bound, color=ORANGE, linewidth=1.4, linestyle=(0, (4, 2)))
        # Above the first bar, where there is no other text.
        bound = f"lower bound {lower_bound:,.1f}"
        note(axes, bound, (lower_bound, -0.55), (4, 0), va="bottom", color=ORANGE)
        axes.set_ylim(len(rows) - 0.5, -1.0)
    axes.tick_params(axis="y", length=0)
    scale = ", log scale" if is_wide else ""
    axes.set_xlabel(f"training cost per row (nodes{scale})", fontsize=NORMAL, color=INK)
    finish(axes, "Training cost by tree", grid="x")
    return figure


@checked
def cost_against_arity(
    points: Mapping[str, Points] | Points, *, lower_bound: float | None = None
) -> Figure:
    """Return a figure of the training cost per row against the arity of the tree.

    Parameters
    ----------
    points
        (arity, cost per row) pairs, or a mapping from builder names to such pairs.
    lower_bound
        Lower bound on the cost per row of any tree, drawn as a line.

    Examples
    --------
    >>> figure = cost_against_arity([(2, 14.0), (3, 13.0), (4, 13.5)])
    >>> figure.axes[0].lines[0].get_xydata().tolist()
    [[2.0, 14.0], [3.0, 13.0], [4.0, 13.5]]
    """
    series = points if isinstance(points, Mapping) else {"": points}
    if not any(series.values()):
        raise ValueError("points must hold at least one (arity, cost) pair, but is empty")
    figure, axes = new_axes(7.0, 4.2)
    for place, (name, pairs) in enumerate(series.items()):
        arities, costs = zip(*sorted(pairs), strict=True)
        color = _SERIES_COLORS[place % len(_SERIES_COLORS)]
        axes.plot(arities, costs, color=color, marker="o", markersize=4, linewidth=1.6, label=name)
        best = int(np.argmin(costs))
        place_best = (arities[best], costs[best])
        text = f"{costs[best]:,.1f} at arity {arities[best]}"
        note(axes, text, place_best, (0, -7), ha="center", va="top", color=color)
    every = sorted({arity for pairs in series.values() for arity, _ in pairs})
    if every[-1] > 12:
        axes.set_xscale("log", base=2)
    axes.set_xticks(every, labels=[str(arity) for arity in every], minor=False)
    axes.set_xticks([], minor=True)
    if lower_bound is not None:
        axes.axhline(lower_bound, color=GRAY, linewidth=1.2, linestyle=(0, (4, 2)))
        place_right = (every[-1], lower_bound)
        bound = f"lower bound {lower_bound:,.1f}"
        note(axes, bound, place_right, (0, 3), ha="right", va="bottom", color=GRAY)
    axes.set_ylim(bottom=0.0)
    if isinstance(points, Mapping):
        axes.legend(frameon=False, fontsize=NORMAL, labelcolor=INK)
    axes.set_xlabel("arity (children per node)", fontsize=NORMAL, color=INK)
    axes.set_ylabel("training cost per row (nodes)", fontsize=NORMAL, color=INK)
    finish(axes, "Training cost by arity", grid="y")
    return figure


@checked
def accuracy_against_cost(
    points: Mapping[str, tuple[float, float]], *, measure: str = "P@1"
) -> Figure:
    """Return a figure of the accuracy of models against the training cost per row of their trees.

    Parameters
    ----------
    points
        Mapping from tree names to (cost per row, accuracy between 0 and 1).
    measure
        Name of the accuracy metric.

    Examples
    --------
    >>> figure = accuracy_against_cost({"cheapest": (24.0, 0.8), "auto": (70.0, 0.87)})
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['cheapest', 'auto']
    """
    if not points:
        raise ValueError("points must hold at least one tree, but is empty")
    outside = next((name for name, (_, value) in points.items() if not 0 <= value <= 1), None)
    if outside is not None:
        raise ValueError(
            f"the accuracy of {outside!r} must be in 0..1, but is {points[outside][1]:g}"
        )
    figure, axes = new_axes(6.0, 4.2)
    places = [(name, float(x), 100.0 * float(y)) for name, (x, y) in points.items()]
    # Points at 100 % lie on the edge and are drawn whole.
    axes.plot(*zip(*[place[1:] for place in places], strict=True), "o", color=BLUE, clip_on=False)
    axes.margins(x=0.15, y=0.2)
    axes.set_xlim(left=max(axes.get_xlim()[0], 0.0))
    axes.set_ylim(max(axes.get_ylim()[0], 0.0), min(axes.get_ylim()[1], 100.0))
    axes.set_xlabel("training cost per row (nodes)", fontsize=NORMAL, color=INK)
    axes.set_ylabel(f"{measure} (%)", fontsize=NORMAL, color=INK)
    # The title is above points and names at 100 %.
    finish(axes, "Accuracy by training cost (best: top left)", grid="y", pad=12.0)
    write_names(figure, axes, places)
    return figure


@checked
def leaf_costs(tree: LabelTree, counts: ArrayLike) -> Figure:
    """Return a figure of the cost of each label against its number of rows.

    The cost of a label is D_j, the number of node classifiers below the root that a row with only
    this label trains. In a cheap tree, frequent labels are cheap. The line is the mean over labels
    of similar frequency.

    Parameters
    ----------
    tree
        The tree.
    counts
        Number of rows with each label.

    Examples
    --------
    >>> tree = LabelTree.from_nested([0, [1, 2]])
    >>> leaf_costs(tree, [2, 1, 1]).axes[0].collections[0].get_offsets().tolist()
    [[1.0, 4.0], [2.0, 2.0]]
    """
    weights = _checked_counts(tree, counts)
    costs = cost.leaf_costs(tree)
    figure, axes = new_axes(7.0, 4.2)
    # Labels with the same count and cost share a dot, so that a million labels draw fast.
    dots = np.unique(np.column_stack([weights, costs]), axis=0)
    style: dict[str, Any] = {"color": BLUE, "alpha": 0.5, "linewidths": 0, "clip_on": False}
    axes.scatter(dots[:, 0], dots[:, 1], s=12, label="label", **style)
    axes.plot(
        *_mean_costs(weights, costs),
        color=ORANGE,
        linewidth=1.8,
        label="mean over labels of similar frequency",
    )
    # Linear below 1, where labels without rows are.
    axes.set_xscale("symlog", linthresh=1.0, linscale=0.4)
    axes.set_xlim(-0.2 if weights.min() < 1 else 0.8, weights.max() * 1.3)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylim(bottom=0.0)
    by_rows, by_labels = costs @ weights / weights.sum(), costs.mean()
    axes.legend(
        frameon=False,
        fontsize=NORMAL,
        labelcolor=INK,
        title=f"mean cost: {by_rows:,.1f} over rows, {by_labels:,.1f} over labels",
        title_fontproperties={"size": NORMAL},
        alignment="left",
        loc="lower left",
    ).get_title().set_color(INK)
    axes.set_xlabel("rows with the label (log scale)", fontsize=NORMAL, color=INK)
    axes.set_ylabel("cost of the label (classifiers below the root)", fontsize=NORMAL, color=INK)
    finish(axes, "Cost of a label by its frequency (frequent labels should be cheap)", grid="y")
    return figure


def _checked_counts(tree: LabelTree, counts: ArrayLike) -> NDArray[np.float64]:
    weights = np.asarray(counts, dtype=np.float64)
    if weights.shape != (tree.n_labels,):
        raise ValueError(
            f"counts must have one entry per label, {tree.n_labels} in total, but its shape is "
            f"{weights.shape}"
        )
    if not (weights >= 0).all() or weights.sum() <= 0:
        raise ValueError("counts must not be negative and not all 0")
    return weights


def _mean_costs(
    weights: NDArray[np.float64], costs: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean count and mean cost of the labels of each range of counts: 0, 1, 2-3, 4-7, ..."""
    ranges = np.floor(np.log2(np.maximum(weights, 0.5))).astype(np.int64) + 1
    n = np.bincount(ranges)
    sums = [np.bincount(ranges, weights=values)[n > 0] for values in (weights, costs)]
    return sums[0] / n[n > 0], sums[1] / n[n > 0]

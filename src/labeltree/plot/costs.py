"""Plots of the costs of trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree import cost
from labeltree.plot.style import BLUE, GRAY, INK, NORMAL, ORANGE, finish, new_axes, note
from labeltree.trees import LabelTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SERIES_COLORS = (BLUE, ORANGE, "#5b8c5a", "#8a5a8c", GRAY)

Points = Sequence[tuple[int, float]]


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
        axes.xaxis.minorticks_off()
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
    figure, axes = new_axes(6.0, 4.2)
    for name, (cost_per_row, accuracy) in points.items():
        axes.plot([cost_per_row], [100 * accuracy], "o", color=BLUE, markersize=6)
        note(axes, name, (cost_per_row, 100 * accuracy), (7, -3))
    axes.margins(x=0.25, y=0.2)
    axes.set_xlabel("training cost per row (nodes)", fontsize=NORMAL, color=INK)
    axes.set_ylabel(f"{measure} (%)", fontsize=NORMAL, color=INK)
    finish(axes, "Accuracy by training cost", grid="y")
    return figure


def leaf_costs(tree: LabelTree, counts: ArrayLike) -> Figure:
    """Return a figure of the distribution of D_j over labels and over (row, label) pairs.

    A row with the single label j costs 1 + D_j.

    Parameters
    ----------
    tree
        The tree.
    counts
        Number of rows with each label.

    Examples
    --------
    >>> tree = LabelTree.from_nested([0, [1, 2]])
    >>> [line.get_label() for line in leaf_costs(tree, [2, 1, 1]).axes[0].lines]
    ['labels (mean 3.3)', 'labels weighted by rows (mean 3.0)']
    """
    weights = np.asarray(counts, dtype=np.float64)
    if weights.shape != (tree.n_labels,):
        raise ValueError(
            f"counts must have one entry per label, {tree.n_labels} in total, but its shape is "
            f"{weights.shape}"
        )
    if not (weights >= 0).all() or weights.sum() <= 0:
        raise ValueError("counts must not be negative and not all 0")
    costs = cost.leaf_costs(tree)
    edges = _edges(costs)
    figure, axes = new_axes(7.0, 4.0)
    once = np.ones(tree.n_labels)
    kinds = (("labels", once, GRAY), ("labels weighted by rows", weights, BLUE))
    for name, weight, color in kinds:
        share = 100.0 * np.histogram(costs, edges, weights=weight)[0] / weight.sum()
        if weight is once:
            axes.stairs(share, edges, fill=True, color="#e0e0e0")
        axes.stairs(share, edges, color=color, linewidth=1.8)
        mean = float(costs @ weight / weight.sum())
        label = f"{name} (mean {mean:,.1f})"
        axes.axvline(mean, color=color, linewidth=1.4, linestyle=(0, (4, 2)), label=label)
    axes.set_ylim(bottom=0.0)
    axes.legend(frameon=False, fontsize=NORMAL, labelcolor=INK)
    axes.set_xlabel(
        "cost $D_j$ of label j (sum of the degrees above its leaf)", fontsize=NORMAL, color=INK
    )
    axes.set_ylabel("share of labels or of (row, label) pairs (%)", fontsize=NORMAL, color=INK)
    finish(axes, "Cost by label (frequent labels should be on the left)", grid="y")
    return figure


def _edges(costs: NDArray[np.int64], max_bins: int = 60) -> NDArray[np.float64]:
    """Return the edges of bins of equal width, each centered on the values it holds."""
    low, high = int(costs.min()), int(costs.max())
    # In a ternary tree most costs differ by 3, so finer bins would leave gaps.
    gaps = np.diff(np.unique(costs))
    step = int(np.median(gaps)) if len(gaps) else 1
    n_values = -(-(high - low) // step) + 1
    per_bin = -(-n_values // max_bins)
    n_bins = -(-n_values // per_bin)
    return low - step / 2 + step * per_bin * np.arange(n_bins + 1, dtype=np.float64)

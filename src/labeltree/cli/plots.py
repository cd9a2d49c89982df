"""Plots that commands save."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from labeltree import cost, trees
from labeltree.data import LabelRows
from labeltree.trees import LabelTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ARITIES = (2, 3, 4, 5, 6, 8, 10, 12, 16)


def save_plots(folder: str, plots: dict[str, Callable[[], Figure]]) -> list[Path]:
    """Draw plots, save them as PNG under their names, and return their paths.

    Raises
    ------
    ModuleNotFoundError
        If matplotlib is missing; no folder is created.
    """
    figures = {name: draw() for name, draw in plots.items()}
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        figure.savefig(place / f"{name}.png")
    return [place / f"{name}.png" for name in figures]


def tree_plots(tree: LabelTree, rows: LabelRows) -> dict[str, Callable[[], Figure]]:
    """Return the plots of one tree: its top, its leaf costs, and cost by arity."""
    from labeltree import plot

    return {
        "tree-top": lambda: plot.tree_top(tree, weights=cost.node_weights(tree, rows)),
        "leaf-costs": lambda: plot.leaf_costs(tree, rows.counts),
        "cost-against-arity": lambda: _cost_against_arity(rows),
    }


def cost_bars(costs: dict[str, float], lower_bound: float) -> dict[str, Callable[[], Figure]]:
    """Return the plot of the cost per row of several trees."""
    from labeltree import plot

    return {"cost-bars": lambda: plot.cost_bars(costs, lower_bound=lower_bound)}


def _cost_against_arity(rows: LabelRows) -> Figure:
    from labeltree import plot

    arities = [arity for arity in _ARITIES if arity <= max(rows.n_labels, 2)]
    counts = rows.counts

    def costs(build: Callable[[int], LabelTree]) -> list[tuple[int, float]]:
        return [(a, cost.training_cost(build(a), rows) / rows.n_rows) for a in arities]

    points = {
        "complete": costs(lambda arity: trees.complete(rows.n_labels, arity, counts)),
        "huffman": costs(lambda arity: trees.huffman(counts, arity)),
    }
    return plot.cost_against_arity(points, lower_bound=cost.lower_bound(rows) / rows.n_rows)

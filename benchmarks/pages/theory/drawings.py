"""Drawings of label trees and graphs, in the style of `labeltree.plot`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labeltree import LabelTree
from labeltree.plot.style import BLUE, GRAY, INK, NORMAL, ORANGE, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SOFT_BLUE, SOFT_ORANGE, PALE = "#cfdded", "#f3dcc8", "#f2f2f2"
#: Fill, line and line style of a kind of node; kinds also differ without color.
KINDS: dict[str, tuple[str, str, str]] = {
    "plain": ("white", INK, "-"),
    "positive": (SOFT_BLUE, BLUE, "-"),
    "negative": (SOFT_ORANGE, ORANGE, "--"),
    "unused": (PALE, GRAY, ":"),
}


def canvas(widths: list[float], height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with drawings side by side and no axes; sizes are in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(sum(widths), height), layout="constrained", facecolor="white")
    grid = figure.add_gridspec(1, len(widths), width_ratios=widths)
    panels = [figure.add_subplot(grid[0, i]) for i in range(len(widths))]
    for axes in panels:
        axes.set_axis_off()
    return figure, panels


def places(tree: LabelTree) -> NDArray[np.float64]:
    """Return x and y of each node: leaves side by side, inner nodes above their children.

    Examples
    --------
    >>> places(LabelTree.from_nested([[0, 1], 2])).tolist()
    [[1.25, 0.0], [0.5, -1.0], [2.0, -1.0], [0.0, -2.0], [1.0, -2.0]]
    """
    at = np.zeros((tree.n_nodes, 2))
    n_leaves = 0

    def place(v: int, depth: int) -> float:
        nonlocal n_leaves
        children = tree.children(v)
        if children:
            at[v] = np.mean([place(u, depth + 1) for u in children]), -depth
        else:
            at[v] = n_leaves, -depth
            n_leaves += 1
        return float(at[v, 0])

    place(0, 0)
    return at


def draw_tree(
    axes: Axes,
    tree: LabelTree,
    texts: Mapping[int, str],
    *,
    kinds: Mapping[int, str] | None = None,
    notes: Mapping[int, str] | None = None,
    title: str = "",
    gap: float = 1.0,
) -> None:
    """Draw a tree with a text in each node and, optionally, a note above it.

    Parameters
    ----------
    axes
        Where to draw.
    tree
        The tree; its first nodes are at the top.
    texts
        Text of nodes; nodes without one are small dots.
    kinds
        Kind of nodes that are not plain, among `KINDS`.
    notes
        Texts to the upper right of nodes.
    title
        Title above the drawing.
    gap
        Distance between levels.
    """
    at = places(tree) * (1.0, gap)
    for v in range(1, tree.n_nodes):
        axes.plot(*at[[tree.parent[v], v]].T, color=GRAY, linewidth=1.0, zorder=1)
    for v in range(tree.n_nodes):
        fill, line, style = KINDS[(kinds or {}).get(v, "plain")]
        box = {"boxstyle": "round,pad=0.32", "facecolor": fill, "edgecolor": line}
        box |= {"linestyle": style}
        axes.annotate(
            texts.get(v, ""),
            at[v],
            fontsize=NORMAL,
            color=INK,
            ha="center",
            va="center",
            bbox=box,
            zorder=3,
        )
        if notes and v in notes:
            axes.annotate(
                notes[v],
                at[v],
                xytext=(0, 13),
                textcoords="offset points",
                fontsize=SMALL,
                color=INK,
                ha="center",
                zorder=2,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            )
    axes.set_xlim(at[:, 0].min() - 0.6, at[:, 0].max() + 0.6)
    axes.set_ylim(at[:, 1].min() - 0.35 * gap, 0.55 * gap)
    axes.set_title(title, fontsize=NORMAL + 1, color=INK)


def draw_graph(
    axes: Axes, n_vertices: int, edges: list[tuple[int, int]], clique: set[int], title: str
) -> None:
    """Draw a graph on a circle; the edges of a clique are bold, and its vertices filled."""
    angles = np.pi / 2 - 2 * np.pi * np.arange(n_vertices) / n_vertices
    at = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for u, v in edges:
        bold = {u, v} <= clique
        style: dict[str, Any] = {"color": BLUE, "linewidth": 2.4} if bold else {"color": GRAY}
        axes.plot(*at[[u, v]].T, zorder=1, **style)
    for v in range(n_vertices):
        fill, line, _ = KINDS["positive" if v in clique else "plain"]
        box = {"boxstyle": "circle,pad=0.35", "facecolor": fill, "edgecolor": line}
        axes.text(
            at[v, 0],
            at[v, 1],
            str(v),
            fontsize=NORMAL,
            ha="center",
            va="center",
            color=INK,
            bbox=box,
        )
    axes.set_xlim(-1.3, 1.3)
    axes.set_ylim(-1.3, 1.3)
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=NORMAL + 1, color=INK)

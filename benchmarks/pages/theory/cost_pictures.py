"""Pictures of sections 3 and 4 of the paper: assignment, errors and concentration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.pages.theory.drawings import canvas, draw_tree
from labeltree import LabelTree, bounds, cost, trees
from labeltree.plot.style import BLUE, GRAY, INK, NORMAL, ORANGE, finish, new_axes, new_panels, note

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def assignment() -> Figure:
    """Draw the nodes that two rows train (Algorithm 1)."""
    tree = LabelTree.from_nested([[0, 1], 2, [3, 4, 5]])
    figure, panels = canvas([3.1, 3.1], 2.3)
    for axes, labels in zip(panels, ([1], [1, 3]), strict=True):
        positive, negative = cost.assign(tree, labels)
        kinds = dict.fromkeys(range(tree.n_nodes), "unused")
        kinds |= dict.fromkeys(positive.tolist(), "positive")
        kinds |= dict.fromkeys(negative.tolist(), "negative")
        sizes = f"{len(positive)} + {len(negative)}"
        title = f"y = {{{', '.join(map(str, labels))}}}: {sizes} = {len(positive) + len(negative)}"
        draw_tree(axes, tree, node_names(tree), kinds=kinds, title=title)
    return figure


def node_names(tree: LabelTree) -> dict[int, str]:
    """Return "r" for the root, letters for inner nodes and label numbers for leaves."""
    inner = iter("abcdefgh")
    names = {
        v: str(tree.label[v]) if tree.label[v] >= 0 else next(inner) for v in range(1, tree.n_nodes)
    }
    return {0: "r", **names}


def regret() -> Figure:
    """Plot errors of node estimates against the bound of Theorem 1."""
    stream = np.random.default_rng(0)
    tree = trees.complete(27)
    true = stream.uniform(0.3, 1.0, (60, tree.n_nodes))
    guess = np.clip(true + stream.normal(0, 0.12, true.shape), 0, 1)
    limit = bounds.estimation_regret(tree, true, guess)
    error = np.abs(bounds.path_products(tree, true) - bounds.path_products(tree, guess))
    figure, axes = new_axes(4.4, 3.0)
    axes.plot([0, 0.6], [0, 0.6], color=GRAY, linewidth=1)
    depth = np.array([0, *(1 + np.searchsorted([4, 13], v, side="right") for v in range(1, 40))])
    for level, color, mark in ((0, INK, "s"), (1, ORANGE, "^"), (3, BLUE, "o")):
        chosen = depth == level
        name = {0: "root", 1: "depth 1", 3: "leaves"}[level]
        axes.plot(
            limit[:, chosen].ravel(),
            error[:, chosen].ravel(),
            mark,
            markersize=3,
            alpha=0.6 if level else 1.0,
            color=color,
            markeredgewidth=0,
            label=name,
            zorder=5 - level,
        )
    axes.set_xlim(0, 0.6)
    axes.set_ylim(0, 0.6)
    axes.set_xlabel("bound of Theorem 1", fontsize=NORMAL)
    axes.set_ylabel("|η − η̂|", fontsize=NORMAL)
    axes.legend(fontsize=NORMAL, frameon=False, markerscale=2)
    finish(axes, "No error exceeds its bound", grid="y")
    return figure


def concentration() -> Figure:
    """Plot tails of the cost: independent labels, and one coin for all labels."""
    tree = balanced(1024)
    stream = np.random.default_rng(0)
    rows = stream.random((4000, 1024)) < 0.05
    costs = cost.row_costs(tree, [np.flatnonzero(row) for row in rows])
    deviations = np.arange(0, 1100, 5.0)
    figure, panels = new_panels(2, 3.2, 2.6)
    tail = [float(np.mean(np.abs(costs - costs.mean()) > d)) for d in deviations]
    coin = [float(d < 1023) for d in deviations]
    limit = [bounds.concentration(tree, d) for d in deviations]
    loose = [bounds.concentration(tree, d, independent_labels=False) for d in deviations]
    for axes, found, title in zip(
        panels, (tail, coin), ("Independent labels", "One coin for all labels"), strict=True
    ):
        axes.plot(deviations, found, color=BLUE, linewidth=2, label="P(|c − C| > ε)")
        axes.plot(deviations, limit, "--", color=ORANGE, linewidth=1.8, label="Proposition 8")
        axes.plot(deviations, loose, ":", color=INK, linewidth=1.8, label="any labels")
        axes.set_xlabel("deviation ε", fontsize=NORMAL)
        axes.set_ylim(0, 1.08)
        finish(axes, title, grid="y")
    panels[0].legend(fontsize=NORMAL, frameon=False, loc="center right", bbox_to_anchor=(1, 0.6))
    note(panels[1], "violated", (880, 0.5), (0, 0), color=BLUE, fontsize=NORMAL, ha="center")
    return figure


def balanced(n_labels: int) -> LabelTree:
    """Return the balanced binary tree of a power of two labels.

    Examples
    --------
    >>> balanced(4).to_nested()
    [[0, 1], [2, 3]]
    """
    if not math.log2(n_labels).is_integer():
        raise ValueError(f"n_labels must be a power of 2, but is {n_labels}")
    return trees.complete(n_labels, arity=2)

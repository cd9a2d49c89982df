"""Pictures of section 5 of the paper: hardness, approximation, multi-class and nested labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.pages.places import Record
from benchmarks.pages.theory.cost_pictures import node_names
from benchmarks.pages.theory.drawings import canvas, draw_graph, draw_tree
from benchmarks.pages.theory.measure import mixed_bound
from labeltree import LabelTree, bounds, cost, trees
from labeltree.cost.lower_bounds import PER_BIT
from labeltree.data import as_labels
from labeltree.plot.style import (
    BLUE,
    GRAY,
    INK,
    NORMAL,
    ORANGE,
    SMALL,
    finish,
    new_axes,
    new_panels,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EDGES = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4), (4, 5), (0, 5)]


def clique() -> Figure:
    """Draw a graph of six vertices and the tree of its clique."""
    instance = bounds.clique_instance(EDGES, 6, n_full=24)
    n_arcs = len(instance.arcs)
    figure, (left, right) = canvas([2.2, 4.2], 2.6)
    draw_graph(left, 6, EDGES, {0, 1, 2, 3}, "a clique of four")
    tree = LabelTree.from_nested([[0, 1, 2, 3], 4, 5, 6])
    texts = {0: "root", 1: "v", 2: "arc", 3: "…", 4: "arc", 5: "arc", 6: "arc", 7: "…", 8: "arc"}
    kinds = dict.fromkeys((1, 5, 6, 7, 8), "positive")
    notes = {0: "weight 6 + 24, degree 9", 1: "weight 4 + 24, degree 16"}
    price = cost.training_cost(instance.tree(range(4)), instance.rows)
    title = f"cost 30 + 16·28 + 9·30 = {price}"
    draw_tree(right, tree, texts, kinds=kinds, notes=notes, title=title)
    star = cost.training_cost(trees.star(n_arcs), instance.rows)
    right.annotate(
        f"the 16 arcs inside the clique\nstar: cost {star}",
        (1.5, -2.3),
        fontsize=SMALL,
        ha="center",
        va="top",
        color=INK,
    )
    right.set_ylim(-2.75, 0.6)
    return figure


def binary() -> Figure:
    """Draw the two trees of Lemma 1, and plot its ratio."""
    figure, panels = canvas([1.9, 1.9, 2.6], 2.4)
    rows = [list(range(4))] * 3
    for axes, nested, sum_ in zip(
        panels, ([0, 1, 2, 3], [0, [1, [2, 3]]]), ("4·3", "3·2·3"), strict=False
    ):
        tree = LabelTree.from_nested(nested)
        price = cost.training_cost(tree, rows)
        notes = {v: f"{tree.degree[v]}·3" for v in range(tree.n_nodes) if tree.degree[v]}
        draw_tree(axes, tree, node_names(tree), notes=notes, title=f"cost 3 + {sum_} = {price}")
    axes = panels[2]
    axes.set_axis_on()
    axes.spines[["top", "right"]].set_visible(False)
    m = np.arange(2, 41)
    axes.plot(m, [bounds.binary_ratio(int(x)) for x in m], color=BLUE, linewidth=2)
    axes.axhline(2, color=ORANGE, linestyle="--")
    axes.text(2, 2.02, "2", color=ORANGE, fontsize=NORMAL)
    axes.set_xlabel("identical columns m", fontsize=NORMAL)
    axes.set_ylim(0.95, 2.1)
    finish(axes, "binary / all", grid="y")
    return figure


def ternary() -> Figure:
    """Plot the ratio of complete ternary trees in the worst leaf order, against their bounds."""
    sizes = [3**d for d in range(1, 8)]
    figure, axes = new_axes(4.6, 3.1)
    curves = {k: [spread_ratio(m, k) for m in sizes] for k in (3, 9, 27)}
    for k, style in ((3, ":"), (9, "--"), (27, "-")):
        axes.plot(
            sizes,
            curves[k],
            style,
            marker="o",
            markersize=4,
            color=BLUE,
            label=f"{k} labels per row",
        )
    axes.plot(
        sizes,
        [3 * math.log(m, 3) for m in sizes],
        color=ORANGE,
        linewidth=2,
        label="3 log₃ m, Theorem 3",
    )
    fine = [max(4 / 3 if m == 3 else 10 / 3, 3 * (math.log(m, 3) - 1)) for m in sizes]
    axes.plot(sizes, fine, "-.", color=INK, label="3 (log₃ m − 1), m > 9")
    axes.set_xscale("log", base=3)
    axes.set_xticks(sizes, [f"{m:,}" for m in sizes])
    axes.set_xlabel("labels m", fontsize=NORMAL)
    axes.set_ylabel("cost / cost in a good order", fontsize=NORMAL)
    axes.legend(fontsize=NORMAL, frameon=False)
    finish(axes, "A bad leaf order costs a factor of log m", grid="y")
    return figure


def spread_ratio(m: int, k: int) -> float:
    """Return the ratio of two complete ternary trees: blocks of k identical columns, spread or not.

    Examples
    --------
    >>> round(spread_ratio(9, 3), 3)
    1.857
    """
    n_blocks = max(m // k, 1)
    together = [list(range(b * k, min(b * k + k, m))) for b in range(n_blocks)]
    spread = [list(range(b, m, n_blocks)) for b in range(n_blocks)]
    tree = trees.complete(m)
    grouped = trees.collapse(tree, as_labels(together, n_labels=m))
    return cost.training_cost(tree, spread) / cost.training_cost(grouped, together)


def multiclass() -> Figure:
    """Draw the optimum beside Huffman trees, for classes of unequal size."""
    counts = [9, 8, 7, 1, 1]
    rows = [[j] for j, count in enumerate(counts) for _ in range(count)]
    made = {
        "optimum": trees.multiclass(counts),
        "ternary Huffman": trees.huffman(counts),
        "binary Huffman": trees.huffman(counts, arity=2),
    }
    figure, panels = canvas([2.1, 2.1, 2.1], 2.6)
    for axes, (name, tree) in zip(panels, made.items(), strict=True):
        texts = {int(tree.leaves[j]): str(count) for j, count in enumerate(counts)}
        weights = cost.node_weights(tree, rows)
        inner = {v: f"{weights[v]}" for v in range(tree.n_nodes) if tree.degree[v]}
        kinds = dict.fromkeys(texts, "positive")
        title = f"{name}: {cost.training_cost(tree, rows)}"
        draw_tree(axes, tree, texts | inner, kinds=kinds, title=title)
    return figure


def skew() -> Figure:
    """Plot the cost of multi-class trees above the entropy bound, by skew."""
    figure, axes = new_axes(4.6, 3.1)
    exponents = np.linspace(0, 3, 25)
    curves: dict[str, list[float]] = {}
    for exponent in exponents:
        counts = np.maximum(1, (10**6 * np.arange(1, 28.0) ** -exponent).astype(int)).tolist()
        limit = bounds.entropy_lower_bound(counts)
        for name, tree in {
            "optimum": trees.multiclass(counts),
            "ternary Huffman": trees.huffman(counts),
            "ternary Shannon": trees.shannon(counts),
            "binary Huffman": trees.huffman(counts, arity=2),
        }.items():
            price = sum(counts) + int(cost.leaf_costs(tree) @ np.array(counts))
            curves.setdefault(name, []).append((price - limit) / sum(counts))
    styles = {"optimum": (BLUE, "-"), "ternary Huffman": (ORANGE, "-")}
    styles |= {"ternary Shannon": (ORANGE, ":"), "binary Huffman": (INK, "--")}
    for name, values in curves.items():
        color, line = styles[name]
        axes.plot(exponents, values, line, color=color, linewidth=1.8, label=name)
    axes.axhline(3, color=GRAY, linewidth=1)
    axes.text(0, 2.95, "+ 3, Theorem 4", fontsize=SMALL, color=GRAY, va="top")
    axes.set_xlabel("exponent of the power law of 27 classes", fontsize=NORMAL)
    axes.set_ylabel("cost per row above the entropy bound", fontsize=NORMAL)
    axes.legend(fontsize=NORMAL, frameon=False, loc="upper right", bbox_to_anchor=(1, 0.93))
    finish(axes, "Tight where class shares are powers of ⅓", grid="y")
    return figure


def nested() -> Figure:
    """Draw nested labels and their optimal tree."""
    counts = [1, 2, 3, 9, 10, 12]
    figure, (left, right) = canvas([2.8, 3.5], 2.5)
    left.set_axis_on()
    left.set_axisbelow(True)
    left.spines[["top", "right", "left"]].set_visible(False)
    left.barh(range(6), counts, color=[ORANGE] * 3 + [BLUE] * 3, height=0.7)
    left.set_yticks(range(6), [f"label {j + 1}" for j in range(6)], fontsize=NORMAL)
    left.tick_params(length=0)
    left.invert_yaxis()
    for j, count in enumerate(counts):
        left.text(count + 0.2, j, str(count), va="center", fontsize=NORMAL, color=INK)
    finish(left, "rows of nested labels", grid="x")
    tree = trees.nested(counts)
    texts = {int(tree.leaves[j]): str(j + 1) for j in range(6)}
    rows = [[j for j in range(6) if i < counts[j]] for i in range(12)]
    weights = cost.node_weights(tree, rows)
    texts |= {v: f"{tree.degree[v]}·{weights[v]}" for v in range(tree.n_nodes) if tree.degree[v]}
    price = cost.training_cost(tree, rows)
    draw_tree(right, tree, texts, title=f"optimum: 12 + 3·3 + 4·12 = {price}")
    return figure


def builders(records: list[Record]) -> Figure:
    """Plot mean and worst ratio to the optimum of each builder, for two families."""
    shown = [r for r in records if r["data"] in ("one label per row", "topics")]
    figure, panels = new_panels(len(shown), 3.5, 3.2)
    for axes, record in zip(panels, shown, strict=True):
        found = record["trees"][::-1]
        at = range(len(found))
        means, worst = ([tree[key] for tree in found] for key in ("mean", "worst"))
        axes.hlines(at, means, worst, color=GRAY, linewidth=1)
        axes.plot(means, at, "o", color=BLUE, label="mean")
        axes.plot(worst, at, "|", color=ORANGE, markersize=11, markeredgewidth=2, label="worst")
        axes.set_yticks(at, [tree["tree"] for tree in found], fontsize=SMALL)
        axes.set_xlim(0.97, 2.8)
        axes.set_xlabel("cost / optimum", fontsize=NORMAL)
        finish(axes, record["data"], grid="x")
    panels[1].set_yticklabels([])
    panels[1].legend(fontsize=NORMAL, frameon=False, loc="upper right")
    return figure


def tight() -> Figure:
    """Plot three lower bounds relative to the cost of nine blocks of identical columns."""
    figure, axes = new_axes(4.6, 3.1)
    sizes = np.arange(1, 31)
    simple, paths, mixed = [], [], []
    for k in sizes.tolist():
        rows = as_labels([list(range(b * k, b * k + k)) for b in range(9)])
        price = 9 * (7 + (k if k > 1 else 0))
        bits = math.log2(9 * k)
        simple.append(bounds.simple_lower_bound(rows) / price)
        paths.append((9 + 9 * PER_BIT * bits) / price)
        mixed.append(max(mixed_bound(rows, bits, t / 100) for t in range(5, 101)) / price)
    axes.plot(sizes, mixed, color=BLUE, linewidth=2.2, label="LB₂")
    axes.plot(sizes, paths, "--", color=ORANGE, linewidth=1.8, label="LB₁, entropy")
    axes.plot(sizes, simple, ":", color=INK, linewidth=2, label="LB₀, n + Σ|y|")
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("identical columns per block, k", fontsize=NORMAL)
    axes.set_ylabel("bound / cost", fontsize=NORMAL)
    axes.legend(fontsize=NORMAL, frameon=False, loc="lower right")
    finish(axes, "Nine blocks of k identical columns", grid="y")
    return figure

"""Pictures of section 6 of the paper: prediction cost against its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from labeltree import LabelTree, bounds, trees
from labeltree.plot.style import BLUE, INK, NORMAL, ORANGE, finish, new_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
N_QUERIES = 400


def queries(
    noise: float, *, sharpness: float = 2.0, n_labels: int = 81
) -> tuple[LabelTree, Floats, Floats]:
    """Return a complete ternary tree with true and estimated conditional probabilities.

    One child of each node is likely and the others are not, as for rows with few labels. Log-odds
    have normal noise.
    """
    stream = np.random.default_rng(0)
    tree = trees.complete(n_labels)
    odds = stream.normal(-sharpness, 1.0, (N_QUERIES, tree.n_nodes))
    for v in np.flatnonzero(tree.degree):
        chosen = tree.first_child[v] + stream.integers(0, tree.degree[v], N_QUERIES)
        odds[np.arange(N_QUERIES), chosen] = stream.normal(sharpness, 1.0, N_QUERIES)
    odds[:, 0] = 4.0
    noisy = odds + noise * stream.normal(0, 1, odds.shape)
    true, guess = (1 / (1 + np.exp(-values)) for values in (odds, noisy))
    # A positive node has a positive child: Proposition 1 holds for the true probabilities.
    eta = bounds.normalized_products(tree, true)
    parent = np.where(tree.parent < 0, 0, tree.parent)
    exact = np.divide(eta, eta[:, parent], out=np.zeros_like(eta), where=eta[:, parent] > 0)
    exact[:, 0] = eta[:, 0]
    return tree, exact, guess if noise else exact


def prediction() -> Figure:
    """Plot the mean number of evaluated classifiers against Theorems 6 and 7, by threshold."""
    thresholds = np.linspace(0.05, 0.95, 37)
    figure, panels = new_panels(2, 3.3, 2.9)
    titles = ("Exact estimates", "Noisy estimates")
    for axes, noise, title in zip(panels, (0.0, 0.5), titles, strict=True):
        tree, true, guess = queries(noise)
        curves = prediction_curves(tree, true, guess, thresholds)
        for (name, values), (color, line) in zip(
            curves.items(), ((BLUE, "-"), (ORANGE, "--"), (INK, ":")), strict=True
        ):
            axes.plot(thresholds, values, line, color=color, linewidth=2, label=name)
        axes.axhline(tree.n_nodes, color="#999999", linewidth=0.8)
        axes.text(
            0.95, tree.n_nodes * 1.05, "all 121 nodes", fontsize=8, color="#6b6b6b", ha="right"
        )
        axes.set_yscale("log")
        axes.set_ylim(3, 3000)
        axes.set_xlabel("threshold τ", fontsize=NORMAL)
        finish(axes, title, grid="y")
    panels[0].set_ylabel("node classifiers per query", fontsize=NORMAL)
    panels[0].legend(fontsize=NORMAL, frameon=False)
    return figure


def prediction_curves(
    tree: LabelTree, true: Floats, guess: Floats, thresholds: Floats
) -> dict[str, list[float]]:
    """Return the measured prediction cost and the bounds of both theorems at each threshold."""
    estimates = bounds.path_products(tree, guess)
    normalized = bounds.normalized_products(tree, guess)
    price = float(bounds.cost_of_probabilities(tree, bounds.path_products(tree, true)).mean())
    errors = bounds.weighted_errors(tree, true, guess).mean(axis=0)
    found: dict[str, list[float]] = {"measured": [], "Theorem 7": [], "Theorem 6": []}
    for tau in thresholds.tolist():
        found["measured"].append(float(bounds.prediction_cost(tree, estimates, tau).mean()))
        found["Theorem 7"].append(bounds.expected_prediction_cost_bound(tree, price, tau, errors))
        limit = bounds.threshold_cost_bound(tree, normalized[:, tree.leaves], tau)
        found["Theorem 6"].append(float(limit.mean()))
    return found

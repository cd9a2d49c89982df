"""Reliability diagrams of predicted probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.arguments import checked
from labeltree.metrics.probabilities import ece
from labeltree.metrics.ranked_hits import ranked_hits
from labeltree.plot.style import BLUE, GRAY, INK, NORMAL, finish, new_axes, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_COUNTS = 12  # bins whose counts are written above the bars


@checked
def reliability(
    Y_true: object, ranked: ArrayLike, probabilities: ArrayLike, *, n_bins: int = 10
) -> Figure:
    """Return a figure of the fraction of true labels against their predicted probability.

    Predictions, which are (row, label) pairs, are divided into bins by their probability. Each
    point is a bin: its mean probability, and the fraction of its labels that are true. Points on
    the diagonal are perfectly calibrated. The bars below are the number of predictions per bin;
    points with few predictions are uncertain.

    Parameters
    ----------
    Y_true, ranked, probabilities
        As for `labeltree.metrics.ece_at_k`.
    n_bins
        Number of bins of equal width.

    Examples
    --------
    >>> figure = reliability([[0], [1]], [[0], [0]], [[0.7], [0.7]])
    >>> figure.axes[0].lines[1].get_xydata().tolist()  # the points
    [[0.7, 0.5]]
    >>> [int(bar.get_height()) for bar in figure.axes[1].patches]  # the counts
    [0, 0, 0, 0, 0, 0, 0, 2, 0, 0]
    """
    labels = np.asarray(ranked)
    k = labels.shape[1]
    predictions = ranked_hits(Y_true, labels, k, probabilities=probabilities)
    error = ece(predictions, k, n_bins=n_bins)
    is_label = predictions.labels >= 0
    p, hits = np.asarray(predictions.scores)[is_label], predictions.hits[is_label]
    bins = np.minimum((p * n_bins).astype(np.int64), n_bins - 1)
    n = np.bincount(bins, minlength=n_bins)
    filled = n > 0
    x = np.bincount(bins, weights=p, minlength=n_bins)[filled] / n[filled]
    y = np.bincount(bins, weights=hits, minlength=n_bins)[filled] / n[filled]
    figure, axes, below = _panels()
    axes.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle=":", label="perfectly calibrated")
    axes.plot(x, y, "o-", color=BLUE, markersize=4, label="model", clip_on=False)
    axes.legend(frameon=False, fontsize=NORMAL, labelcolor=INK, loc="upper left")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_ylabel("fraction of true labels", fontsize=NORMAL, color=INK)
    finish(axes, f"Reliability (ECE@{k} {error:.3f})", grid="y")
    _draw_counts(below, n)
    labels_used = "the top label" if k == 1 else f"the top {k} labels"
    below.set_xlabel(f"predicted probability of {labels_used}", fontsize=NORMAL, color=INK)
    return figure


def _panels() -> tuple[Figure, Axes, Axes]:
    """Return a figure with the diagram above and the number of predictions below."""
    figure, axes = new_axes(5.0, 5.6)
    grid = figure.add_gridspec(2, 1, height_ratios=(4, 1))
    axes.set_subplotspec(grid[0])
    axes.tick_params(labelbottom=False)
    below = figure.add_subplot(grid[1], sharex=axes)
    below.spines[["top", "right"]].set_visible(False)
    below.spines[["left", "bottom"]].set_color(GRAY)
    below.tick_params(labelsize=NORMAL, color=GRAY, labelcolor=INK)
    return figure, axes, below


def _draw_counts(axes: Axes, n: NDArray[np.int64]) -> None:
    """Draw the number of predictions in each bin as a bar."""
    edges = np.linspace(0.0, 1.0, len(n) + 1)
    axes.bar(edges[:-1], n, width=1 / len(n), align="edge", color="#b9cde2", edgecolor="white")
    axes.set_ylim(0, 1.3 * n.max())
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel("predictions\nper bin", fontsize=NORMAL, color=INK)
    axes.locator_params(axis="y", nbins=3, integer=True)
    if len(n) <= _MAX_COUNTS:
        for place, count in zip((edges[:-1] + edges[1:]) / 2, n.tolist(), strict=True):
            text = f"{count:,}" if count else ""
            note(axes, text, (place, count), (0, 2), ha="center", color=GRAY, fontsize=6.5)

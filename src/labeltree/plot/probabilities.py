"""Reliability diagrams of predicted probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from labeltree.metrics.probabilities import ece
from labeltree.metrics.ranked_hits import ranked_hits
from labeltree.plot.style import BLUE, GRAY, INK, NORMAL, SMALL, finish, new_axes, note

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def reliability(
    Y_true: object, ranked: ArrayLike, probabilities: ArrayLike, *, n_bins: int = 10
) -> Figure:
    """Return a figure of the fraction of true labels against their predicted probability.

    Points on the diagonal are perfectly calibrated. Each shows the number of labels in its bin.

    Parameters
    ----------
    Y_true, ranked, probabilities
        As for `labeltree.metrics.ece_at_k`.
    n_bins
        Number of bins of equal width.

    Examples
    --------
    >>> figure = reliability([[0], [1]], [[0], [0]], [[0.7], [0.7]])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['2']
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
    figure, axes = new_axes(5.0, 4.6)
    axes.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle=":")
    axes.plot(x, y, "o-", color=BLUE, markersize=4)
    for place, count in zip(zip(x, y, strict=True), n[filled].tolist(), strict=True):
        note(axes, f"{count:,}", place, (5, -9), fontsize=SMALL, color=GRAY)
    axes.set_xlim(0, 1.05)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(f"predicted probability of the top {k} labels", fontsize=NORMAL, color=INK)
    axes.set_ylabel("fraction of true labels", fontsize=NORMAL, color=INK)
    finish(axes, f"Reliability (ECE@{k} {error:.3f})", grid="y")
    return figure

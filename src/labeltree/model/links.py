"""Slopes and intercepts that make probabilities of scores, by maximum likelihood (Platt's way)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

#: A link counts as so many further pairs that answer as it says, where others are fitted from it.
FIXED_STRENGTH = 100
GLOBAL_STRENGTH = 5000
_MIN_SLOPE = 0.8  # less would give nodes without a positive row in training a probability above 0
_MAX_ITERATIONS = 100


class Link(NamedTuple):
    """A score s stands for the probability 1 / (1 + exp(-(slope * s + intercept)))."""

    slope: float
    intercept: float

    def __call__(self, scores: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the probabilities of scores."""
        return np.asarray(expit(self.slope * scores.astype(np.float64) + self.intercept))


def fit_link(
    scores: NDArray[np.floating], is_positive: NDArray[np.bool_], prior: Link, strength: float
) -> Link:
    """Return the link of least log-loss.

    Parameters
    ----------
    scores, is_positive
        Score and truth of each pair.
    prior
        Link to stay near to.
    strength
        The prior weighs as much as so many further pairs with these scores that answer as it says.

    Examples
    --------
    >>> link = fit_link(np.array([-1.0, 1.0]), np.array([False, True]), Link(1.0, 0.0), 2)
    >>> round(link.slope, 3), abs(round(link.intercept, 3))
    (1.862, 0.0)
    """
    if not len(scores):
        return prior
    s = scores.astype(np.float64)
    share = strength / len(s)
    target = (is_positive + share * prior(s)) / (1 + share)
    link = np.array(prior)
    loss = _loss(link, s, target)
    for _ in range(_MAX_ITERATIONS):
        step = _newton_step(link, s, target)
        # The loss is convex, so a step that is short enough lowers it.
        while (new_loss := _loss(link - step, s, target)) > loss and np.abs(step).max() > 1e-9:
            step /= 2
        if new_loss > loss or np.abs(step).max() <= 1e-9:
            break
        link, loss = link - step, new_loss
    return Link(float(link[0]), float(link[1]))


def _loss(link: NDArray[np.float64], s: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    odds = link[0] * s + link[1]
    return float((np.logaddexp(0.0, odds) - target * odds).sum())


def _newton_step(
    link: NDArray[np.float64], s: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    p = expit(link[0] * s + link[1])
    miss, weight = p - target, p * (1 - p)
    gradient = np.array([miss @ s, miss.sum()])
    mixed = weight @ s
    hessian = np.array([[weight @ s**2, mixed], [mixed, weight.sum()]])
    # Equal scores leave one direction without curvature.
    hessian[np.diag_indices(2)] += 1e-9 * max(float(np.trace(hessian)), 1e-9)
    return np.asarray(np.linalg.solve(hessian, gradient))


def node_links(link: Link, n_nodes: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return slope and intercept of each node: the same for all."""
    slope = max(link.slope, _MIN_SLOPE)
    return np.full(n_nodes, slope, np.float32), np.full(n_nodes, link.intercept, np.float32)


def depth_links(
    depth: NDArray[np.int32],
    nodes: NDArray[np.int32],
    scores: NDArray[np.floating],
    is_positive: NDArray[np.bool_],
    overall: Link,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return slope and intercept of each node: those of its depth, shrunk to the overall link.

    Parameters
    ----------
    depth
        Depth of each node of the tree.
    nodes, scores, is_positive
        The pairs.
    overall
        Link of all pairs.
    """
    slope, intercept = node_links(overall, len(depth))
    of_pair = depth[nodes]
    for d in np.unique(of_pair):
        here = of_pair == d
        link = fit_link(scores[here], is_positive[here], overall, GLOBAL_STRENGTH)
        slope[depth == d] = max(link.slope, _MIN_SLOPE)
        intercept[depth == d] = link.intercept
    return slope, intercept

"""Slopes and intercepts that turn scores into probabilities, by maximum likelihood (Platt)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

#: Slope and intercept of the sigmoid that turns scores into probabilities, by loss. The squared
#: hinge has no probabilities of its own; these values rank best (docs/explanation/study-solver.md).
LINKS = {"logistic": (1.0, 0.0), "squared_hinge": (4.0, 1.5)}
#: The same if the estimates of siblings are divided by their sum. For the squared hinge, the slope
#: grows with the number of siblings n, because the small estimates of many siblings add up to much:
#: it is _PER_ROOT n^(1/4), at least 4.
ONE_LINKS = {"logistic": (1.0, 0.0), "squared_hinge": (4.0, -0.5)}
_PER_ROOT = 2.25
NO_FACTORS = np.empty(0, np.float32)  #: of slopes that have none

#: Number of additional pairs that a prior link counts as when another link is fitted from it.
FIXED_STRENGTH = 100
GLOBAL_STRENGTH = 5000
_MIN_SLOPE = 0.8  # below it, nodes without positive training rows get a probability above 0
_MAX_ITER = 100


class Link(NamedTuple):
    """Maps a score s to the probability 1 / (1 + exp(-(slope * s + intercept)))."""

    slope: float
    intercept: float

    def __call__(self, scores: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the probabilities of scores."""
        return np.asarray(expit(self.slope * scores.astype(np.float64) + self.intercept))


def fixed_links(
    loss: str,
    n_nodes: int,
    factors: NDArray[np.float32] | None = None,
    *,
    n_siblings: NDArray[np.int32] | None = None,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return slope and intercept of each node without validation rows.

    Parameters
    ----------
    loss
        Loss that the scores come from.
    n_nodes
        Number of nodes.
    factors
        Factor of the slope of each node, which keeps the probability of the score -1.
    n_siblings
        Number of children of the parent of each node, if the estimates of siblings are divided by
        their sum; None if they are not.

    Examples
    --------
    >>> fixed_links("squared_hinge", 2, n_siblings=np.array([2, 256]))[0].tolist()
    [4.0, 9.0]
    """
    fixed = Link(*(LINKS if n_siblings is None else ONE_LINKS)[loss])
    slope = np.full(n_nodes, fixed.slope, np.float32)
    if n_siblings is not None and loss == "squared_hinge":
        slope = np.maximum(slope, _PER_ROOT * np.sqrt(np.sqrt(n_siblings))).astype(np.float32)
    intercept = np.full(n_nodes, fixed.intercept, np.float32)
    if factors is None:
        return slope, intercept
    with np.errstate(over="ignore", invalid="ignore"):  # the native model refuses inf and NaN
        return slope * factors, intercept + slope * (factors - np.float32(1))


def fit_link(
    scores: NDArray[np.floating], is_positive: NDArray[np.bool_], prior: Link, strength: float
) -> Link:
    """Return the link with the minimum log-loss.

    Parameters
    ----------
    scores, is_positive
        Score and true value of each pair.
    prior
        Link that the result is shrunk toward.
    strength
        Weight of the prior: the number of additional pairs with these scores whose true values are
        distributed as the prior predicts.

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
    for _ in range(_MAX_ITER):
        step = _newton_step(link, s, target)
        # The loss is convex, so a sufficiently short step lowers it.
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
    residual, weight = p - target, p * (1 - p)
    # Sums instead of matrix products, which would start BLAS threads that keep spinning.
    gradient = np.array([(residual * s).sum(), residual.sum()])
    mixed = (weight * s).sum()
    hessian = np.array([[(weight * s**2).sum(), mixed], [mixed, weight.sum()]])
    # Equal scores leave one direction without curvature.
    hessian[np.diag_indices(2)] += 1e-9 * max(float(np.trace(hessian)), 1e-9)
    return np.asarray(np.linalg.solve(hessian, gradient))


def node_links(link: Link, n_nodes: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return slope and intercept of each node, the same for all nodes."""
    slope = max(link.slope, _MIN_SLOPE)
    return np.full(n_nodes, slope, np.float32), np.full(n_nodes, link.intercept, np.float32)


def depth_links(
    depth: NDArray[np.int32],
    nodes: NDArray[np.int32],
    scores: NDArray[np.floating],
    is_positive: NDArray[np.bool_],
    overall: Link,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return slope and intercept of each node, fitted by depth and shrunk toward one link.

    Parameters
    ----------
    depth
        Depth of each node of the tree.
    nodes, scores, is_positive
        Node, score and true value of each pair.
    overall
        Link fitted to all pairs.
    """
    slope, intercept = node_links(overall, len(depth))
    of_pair = depth[nodes]
    for d in np.unique(of_pair):
        here = of_pair == d
        link = fit_link(scores[here], is_positive[here], overall, GLOBAL_STRENGTH)
        slope[depth == d] = max(link.slope, _MIN_SLOPE)
        intercept[depth == d] = link.intercept
    return slope, intercept

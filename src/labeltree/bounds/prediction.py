"""The cost of a query for all labels above a threshold (section 6 of the paper)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.arguments import checked
from labeltree.bounds.walks import (
    TOLERANCE,
    Floats,
    at_nodes,
    check_probabilities,
    levels,
    over_children,
    path_products,
    subtree_sums,
)
from labeltree.trees import LabelTree


@checked
def prediction_cost(tree: LabelTree, estimates: ArrayLike, threshold: float) -> NDArray[np.int64]:
    """Return the number of node classifiers that Algorithm 2 evaluates.

    c_τ(T, x) = 1 + Σ_v deg_v·[η̂_v ≥ τ], with τ in 0..1; τ = 0 visits every node.

    Parameters
    ----------
    tree
        The tree.
    estimates
        η̂_v of each node, at most that of its parent (from `path_products` of the classifiers'
        estimates, or `normalize_estimates`): (..., n_nodes).
    threshold
        τ.

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2])
    >>> int(prediction_cost(tree, [1.0, 0.4, 0.7, 0.1, 0.3], 0.5))
    3
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be between 0 and 1, but is {threshold}")
    called = at_nodes(tree, estimates, "estimates") >= threshold
    return np.asarray(1 + called @ tree.degree.astype(np.int64))


@checked
def normalize_estimates(tree: LabelTree, estimates: ArrayLike) -> Floats:
    """Return estimates that satisfy Proposition 1, as Theorem 6 requires.

    The two steps before Theorem 6 (comp_tresh_pred), from the root down: η̂_v' ← min(η̂_v', η̂_v),
    and if the children of v sum to less than η̂_v, η̂_v' ← η̂_v'·η̂_v / Σ η̂_v'. Correction: if this is
    0/0, the children share η̂_v evenly. The paper's Algorithm 2 does not normalize.

    Parameters
    ----------
    tree
        The tree.
    estimates
        η̂_v of each node: (..., n_nodes).

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2])
    >>> normalize_estimates(tree, [0.75, 0.25, 0.125, 0.0, 0.0])
    array([0.75, 0.5 , 0.25, 0.25, 0.25])
    """
    eta = np.clip(at_nodes(tree, estimates, "estimates"), 0.0, 1.0)
    for start, stop in levels(tree)[1:]:
        parent = tree.parent[start:stop]
        above = eta[..., parent]
        children = np.minimum(eta[..., start:stop], above)
        inner = np.unique(parent)
        sums = np.add.reduceat(children, tree.first_child[inner] - start, axis=-1)
        total = np.repeat(sums, tree.degree[inner], axis=-1)
        share = np.divide(
            children, total, out=np.ones_like(total) / tree.degree[parent], where=total > 0
        )
        eta[..., start:stop] = np.where(above > total, share * above, children)
    return eta


@checked
def normalized_products(tree: LabelTree, conditional: ArrayLike) -> Floats:
    """Return the estimates of Algorithm 2 with normalization at each node.

    This applies the steps of `normalize_estimates` to the children of a node when line 10
    multiplies them: η̂_v' ← η̂_v·η̂(x, v'), which is at most η̂_v, and then η̂_v' ← η̂_v'·η̂_v / Σ η̂_v' if
    the children sum to less than η̂_v. Conditional estimates of siblings that sum to less than 1 are
    thus divided by their sum, and others are unchanged. Correction: if all are 0, each becomes 1
    divided by their number. No estimate becomes smaller, so a query without normalization evaluates
    no classifier that a query with normalization does not evaluate.

    Parameters
    ----------
    tree
        The tree.
    conditional
        η̂(x, v), the estimate of the classifier of each node: (..., n_nodes).

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2])
    >>> normalized_products(tree, [0.75, 0.5, 0.25, 1.0, 0.5])
    array([0.75, 0.5 , 0.25, 0.5 , 0.25])
    """
    own = np.clip(at_nodes(tree, conditional, "conditional"), 0.0, 1.0)
    sums = over_children(tree, own, np.add)[..., np.maximum(tree.parent, 0)]
    n_siblings = np.broadcast_to(tree.degree[np.maximum(tree.parent, 0)], own.shape)
    shares = np.divide(own, sums, out=1.0 / np.maximum(n_siblings, 1), where=sums > 0)
    is_short = sums < 1.0
    is_short[..., 0] = False
    return path_products(tree, np.where(is_short, shares, own))


@checked
def threshold_cost_bound(
    tree: LabelTree, label_estimates: ArrayLike, threshold: float
) -> NDArray[np.int64]:
    """Return an upper bound on the number of classifiers that a query evaluates.

    Theorem 6 (comp_tresh_pred): c_τ(T, x) ≤ 1 + ⌊P̂/τ⌋·depth·degree with P̂ = Σ_j η̂_j. It requires
    estimates that satisfy Proposition 1; see `normalize_estimates`. P̂/τ is increased by a relative
    1e-9 before rounding down, so that 0.3/0.1 gives 3, as a valid bound requires, and not 2, as
    floating-point division gives.

    Parameters
    ----------
    tree
        The tree.
    label_estimates
        η̂_j of each label: (..., n_labels).
    threshold
        τ, above 0.

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], [2, 3]])
    >>> int(threshold_cost_bound(tree, [0.1, 0.1, 0.1, 0.0], 0.1))
    13
    """
    _check_threshold(threshold)
    eta = np.asarray(label_estimates, dtype=np.float64)
    if eta.ndim == 0 or eta.shape[-1] != tree.n_labels:
        raise ValueError(
            f"label_estimates must hold one number for each of the {tree.n_labels} labels, but its "
            f"shape is {eta.shape}"
        )
    check_probabilities(eta, "label_estimates")
    n_found = np.floor(eta.sum(axis=-1) / threshold * (1 + TOLERANCE)).astype(np.int64)
    return np.asarray(1 + n_found * tree.depth * tree.max_degree)


@checked
def estimated_mass_bound(tree: LabelTree, mass: float, errors: ArrayLike) -> Floats:
    """Return an upper bound on the sum of the label estimates of a row.

    Theorem 6 (comp_tresh_pred): P̂ ≤ P + Σ_v |L(v)|·η_pa(v)·ε_v.

    Parameters
    ----------
    tree
        The tree.
    mass
        P, at least the sum of the true label probabilities; k if rows have at most k labels.
    errors
        η_pa(v)·ε_v of each node, from `weighted_errors`: (..., n_nodes).

    Examples
    --------
    >>> tree = LabelTree.from_nested([0, 1])
    >>> float(estimated_mass_bound(tree, 1.0, [0.25, 0.25, 0.0]))
    1.75
    """
    n_leaves = subtree_sums(tree, (tree.degree == 0).astype(np.int64))
    return np.asarray(mass + at_nodes(tree, errors, "errors") @ n_leaves)


@checked
def expected_prediction_cost_bound(
    tree: LabelTree, expected_cost: float, threshold: float, errors: ArrayLike
) -> float:
    """Return an upper bound on the expected prediction cost, given the expected training cost.

    Theorem 7 (inferenceCostUpperBound): (C_P(T) + Σ_v E[η_pa(v)·ε_v]·(|V_T(v)|-1) - (1-τ)) / τ.
    Correction: the factor is the number of nodes under v, not the number of inner nodes there times
    deg_v. (Example: a root with two children of 100 leaves each, η_root = 0, all estimates 1 and
    τ = 1 evaluates 203 classifiers; the printed bound is 7, the corrected one 203.)

    Parameters
    ----------
    tree
        The tree.
    expected_cost
        C_P(T), from `cost_of_probabilities` or `labeltree.cost.expected_cost`.
    threshold
        τ, above 0.
    errors
        E[η_pa(v)·ε_v] of each node: the mean of `weighted_errors` over rows.

    Examples
    --------
    >>> tree = LabelTree.from_nested([0, 1])
    >>> expected_prediction_cost_bound(tree, 2.0, 0.5, [0.25, 0.25, 0.0])
    4.0
    """
    _check_threshold(threshold)
    weights = at_nodes(tree, errors, "errors")
    if weights.ndim != 1:
        raise ValueError(
            f"errors must hold one mean for each node, but its shape is {weights.shape}; average "
            "the rows first"
        )
    n_under = subtree_sums(tree, tree.degree.astype(np.int64))
    return (expected_cost + float(weights @ n_under) - (1 - threshold)) / threshold


@checked
def exact_prediction_cost_bound(expected_cost: float, threshold: float = 0.5) -> float:
    """Return an upper bound on the expected prediction cost if all estimates are exact.

    Corollary of Theorem 7: (C_P(T) - (1-τ)) / τ, which is 2·C_P(T) - 1 for τ = 0.5. It is attained
    if η(x, v) is τ at the root and 1 elsewhere: C_P(T) = 1 + τ·(|V|-1), and |V| classifiers are
    evaluated (Proposition 10, corrected: the sum of the degrees is |V|-1, not |V|). There is no
    bound in the other direction: if all η_v are slightly below τ, one classifier is evaluated at
    any training cost.

    Examples
    --------
    >>> exact_prediction_cost_bound(8.0)
    15.0
    """
    _check_threshold(threshold)
    return (expected_cost - (1 - threshold)) / threshold


def _check_threshold(threshold: float) -> None:
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must be above 0 and at most 1, but is {threshold}")

"""Bounds on the training cost of a given tree (section 4 of the paper)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from labeltree.arguments import checked
from labeltree.bounds.walks import Floats, at_nodes, check_probabilities
from labeltree.cost import leaf_costs
from labeltree.trees import LabelTree


@checked
def row_cost_upper_bound(tree: LabelTree, n_true: int) -> int:
    """Return an upper bound on the cost of a row with the given number of labels.

    Proposition 2 (cost_upperbound): c(T, y) ≤ 1 + |y|·depth·degree. The bound is attained by rows
    with one label if all inner nodes have the same degree and all leaves have the same depth.

    Parameters
    ----------
    tree
        The tree.
    n_true
        Number of labels of the row; k for a k-sparse problem.

    Examples
    --------
    >>> row_cost_upper_bound(LabelTree.from_nested([[0, 1], [2, 3]]), 1)
    5
    """
    if n_true < 0:
        raise ValueError(f"n_true must be at least 0, but is {n_true}")
    return 1 + n_true * tree.depth * tree.max_degree


@checked
def training_cost_upper_bound(tree: LabelTree, Y: object) -> int:
    """Return an upper bound on the cost of rows with the same numbers of labels as those of Y.

    Proposition 2 (cost_upperbound) summed over the rows: c(T, Y) ≤ n + depth·degree·Σ|y_j|.

    Examples
    --------
    >>> training_cost_upper_bound(LabelTree.from_nested([[0, 1], [2, 3]]), [[0], [1, 2], []])
    15
    """
    rows = tree.label_rows(Y)
    return rows.n_rows + tree.depth * tree.max_degree * len(rows.indices)


@checked
def expected_cost_upper_bound(tree: LabelTree, label_probabilities: ArrayLike) -> float:
    """Return an upper bound on the expected cost of a random row.

    Proposition 6 (pop_cost_upperbound): C_P(T) ≤ 1 + depth·degree·Σ_j P(y_j = 1).

    Parameters
    ----------
    tree
        The tree.
    label_probabilities
        P(y_j = 1) of each label.

    Examples
    --------
    >>> expected_cost_upper_bound(LabelTree.from_nested([[0, 1], [2, 3]]), [0.5, 0.25, 0.25, 0])
    5.0
    """
    p = np.asarray(label_probabilities, dtype=np.float64)
    if p.shape != (tree.n_labels,):
        raise ValueError(
            f"every label must have a probability, but there are {tree.n_labels} labels and the "
            f"shape of label_probabilities is {p.shape}"
        )
    check_probabilities(p, "label_probabilities")
    return float(1 + tree.depth * tree.max_degree * p.sum())


@checked
def cost_of_probabilities(tree: LabelTree, eta: ArrayLike) -> Floats:
    """Return the expected cost of rows whose nodes are positive with the given probabilities.

    Proposition 5 (cost_decomp_basic): C_P(T) = 1 + Σ_v P(z_v = 1)·deg_v. For a training set,
    Proposition 3 (cost_decomp_training_set), see `labeltree.cost.training_cost`.

    Parameters
    ----------
    tree
        The tree.
    eta
        P(z_v = 1) of each node, or rows of them: (..., n_nodes).

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2])
    >>> float(cost_of_probabilities(tree, [1.0, 0.5, 0.5, 0.25, 0.25]))
    4.0
    """
    return np.asarray(1 + at_nodes(tree, eta, "eta") @ tree.degree)


@checked
def concentration(
    tree: LabelTree, deviation: float, *, n_rows: int = 1, independent_labels: bool = True
) -> float:
    """Return a bound on the probability that costs deviate from their mean by more than deviation.

    Proposition 8 (conc_train_cost): P(|c(T, y) - C_P(T)| > ε) ≤ 2·exp(-2ε² / Σ_j D_j²), where D_j
    is the sum of the degrees above the leaf of label j. Correction: the *labels of a row must be
    independent*, which the paper does not state. A counterexample is a balanced binary tree with
    1024 leaves whose labels all equal the outcome of one fair coin. Without independence, only the
    range 1..n_nodes of the cost of a row is known, and the bound is 2·exp(-2ε² / (n_nodes - 1)²).

    Parameters
    ----------
    tree
        The tree.
    deviation
        ε, at least 0.
    n_rows
        Number of independent rows whose mean cost is bounded.
    independent_labels
        Whether the labels of a row are independent of each other.

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], [2, 3]])
    >>> round(concentration(tree, 2.0, n_rows=20), 4)
    0.1642
    >>> round(concentration(tree, 2.0, n_rows=20, independent_labels=False), 4)
    0.0235
    """
    if not deviation >= 0:
        raise ValueError(f"deviation must be at least 0, but is {deviation}")
    if n_rows < 1:
        raise ValueError(f"n_rows must be at least 1, but is {n_rows}")
    if tree.n_labels == 1:
        return 0.0  # every row costs 1
    differences = leaf_costs(tree) if independent_labels else np.array([tree.n_nodes - 1])
    spread = float(np.square(differences.astype(np.float64)).sum())
    ratio = float(deviation) * (float(deviation) / spread)  # inf rather than an error if large
    return min(1.0, 2 * math.exp(-2 * int(n_rows) * ratio))

"""Bounds on the probability and Hamming weight of a node, and on errors of estimates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.arguments import check_integer, checked, shown
from labeltree.bounds.walks import (
    TOLERANCE,
    Floats,
    above,
    at_nodes,
    over_children,
    path_products,
    path_sums,
)
from labeltree.data import as_labels
from labeltree.trees import LabelTree


@checked
def node_interval(children: ArrayLike, total: float = 1.0) -> tuple[float, float]:
    """Return the interval that contains the value of a node, given the values of its children.

    Propositions 1 (node_cond_prob_interval), 4 (node_Hamming_weight_interval) and 7
    (node_prob_interval): largest child ≤ node ≤ min(total, sum of the children).

    Parameters
    ----------
    children
        Probabilities, or Hamming weights, of the children of a node.
    total
        1 for probabilities; the number of rows for Hamming weights.

    Examples
    --------
    >>> node_interval([0.25, 0.5])
    (0.5, 0.75)
    >>> node_interval([3, 8], total=10)
    (8.0, 10.0)
    """
    values = np.asarray(children, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"children must be a list of numbers, but its shape is {values.shape}")
    if not ((values >= 0) & (values <= total)).all():
        raise ValueError(
            f"values of children must be in 0..{total:g}, but range from {values.min():g} to "
            f"{values.max():g}"
        )
    return float(values.max()), float(min(total, values.sum()))


@checked
def within_intervals(
    tree: LabelTree, values: ArrayLike, total: float = 1.0, *, tol: float = TOLERANCE
) -> NDArray[np.bool_]:
    """Return for each node whether its value is in the interval that its children imply.

    Applies `node_interval` to a whole tree. A leaf only has to be in 0..total.

    Parameters
    ----------
    tree
        The tree.
    values
        Probabilities or Hamming weights of all nodes, or rows of them: (..., n_nodes).
    total
        1 for probabilities; the number of rows for Hamming weights.
    tol
        Tolerance at both ends of the interval, as a fraction of total.

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2])
    >>> within_intervals(tree, [0.9, 0.5, 0.4, 0.1, 0.2]).tolist()
    [True, False, True, True, True]
    """
    eta = np.asarray(values, dtype=np.float64)
    if eta.ndim == 0 or eta.shape[-1] != tree.n_nodes:
        raise ValueError(
            f"values must hold one number for each of the {tree.n_nodes} nodes, but its shape is "
            f"{eta.shape}"
        )
    slack = tol * total
    largest = over_children(tree, eta, np.maximum)
    enough = (eta <= over_children(tree, eta, np.add) + slack) | (tree.degree == 0)
    return np.asarray((eta >= largest - slack) & enough & (eta <= total + slack))


@checked
def is_label_covering(Y: object, labels: Iterable[int] | None = None) -> bool:
    """Return whether a single label is true in every row that has any of the labels.

    This is the condition of Proposition 4 under which the weight of a node over these labels equals
    that of its heaviest child. Correction: there must be one label for all rows, not one for each
    row as printed. (Rows {0} and {1} satisfy the printed condition, but node [0, 1] has weight 2
    and its children have weight 1.)

    Parameters
    ----------
    Y
        Labels, in any form that `labeltree.data.as_labels` accepts.
    labels
        The labels L(v) under a node; all by default.

    Examples
    --------
    >>> is_label_covering([[0], [0, 1], []]), is_label_covering([[0], [1]])
    (True, False)
    """
    rows = as_labels(Y)
    inside = _inside(rows.n_labels, labels)[rows.indices]
    row = np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr))[inside]
    weights = np.bincount(rows.indices[inside], minlength=rows.n_labels)
    return int(weights.max(initial=0)) == len(np.unique(row))


@checked
def is_multiclass(Y: object, labels: Iterable[int] | None = None) -> bool:
    """Return whether no row has more than one of the labels.

    This is the condition of Proposition 4 under which the weight of a node over these labels equals
    the sum of the weights of its children. Correction: at most one label, not exactly one as
    printed, since most rows have none of the labels under an inner node. The parameters are those
    of `is_label_covering`.

    Examples
    --------
    >>> is_multiclass([[0], [1], []]), is_multiclass([{0, 1}]), is_multiclass([{0, 1}], [0])
    (True, False, True)
    """
    rows = as_labels(Y)
    inside = _inside(rows.n_labels, labels)[rows.indices]
    row = np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr))[inside]
    return len(np.unique(row)) == len(row)


@checked
def weighted_errors(tree: LabelTree, conditional: ArrayLike, estimated: ArrayLike) -> Floats:
    """Return η_pa(v)·ε_v of each node: its error, weighted by the probability of its parent.

    ε_v = |η(x, v) - η̂(x, v)|, and η_pa(v) is 1 for the root.

    Parameters
    ----------
    tree
        The tree.
    conditional, estimated
        True and estimated η(x, v) = P(z_v = 1 | z_pa(v) = 1, x): (..., n_nodes).

    Examples
    --------
    >>> tree = LabelTree.from_nested([0, 1])
    >>> weighted_errors(tree, [0.5, 1.0, 0.5], [0.75, 0.5, 0.5])
    array([0.25, 0.25, 0.  ])
    """
    true = at_nodes(tree, conditional, "conditional")
    guess = at_nodes(tree, estimated, "estimated")
    return np.asarray(above(tree, path_products(tree, true)) * np.abs(true - guess))


@checked
def estimation_regret(tree: LabelTree, conditional: ArrayLike, estimated: ArrayLike) -> Floats:
    """Return a bound on |η_v - η̂_v| of each node.

    Theorem 1 (estimation_regret): the sum of η_pa(u)·ε_u over the nodes u on the path from the root
    to v. At `tree.leaves` it bounds the errors of the labels. The parameters are those of
    `weighted_errors`.

    Examples
    --------
    >>> tree = LabelTree.from_nested([0, 1])
    >>> estimation_regret(tree, [0.5, 1.0, 0.5], [0.75, 0.5, 0.5])
    array([0.25, 0.5 , 0.25])
    """
    return path_sums(tree, weighted_errors(tree, conditional, estimated))


def _inside(n_labels: int, labels: Iterable[int] | None) -> NDArray[np.bool_]:
    chosen = np.full(n_labels, labels is None)
    for label in labels or ():
        check_integer("labels", label, minimum=0)
        if label >= n_labels:
            raise ValueError(f"labels must be in 0..{n_labels - 1}, but one is {shown(label)}")
        chosen[label] = True
    return chosen

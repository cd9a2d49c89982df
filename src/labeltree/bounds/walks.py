"""Sums and products of node values along the paths of a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.arguments import checked
from labeltree.trees import LabelTree

Floats = NDArray[np.float64]

# Far above the rounding errors of sums and products of doubles, far below real violations.
TOLERANCE = 1e-9


def levels(tree: LabelTree) -> list[tuple[int, int]]:
    """Return (first node, last node + 1) of each level, root first."""
    ranges = [(0, 1)]
    while True:
        start, stop = (int(tree.first_child[v]) for v in ranges[-1])
        if start == stop:
            return ranges
        ranges.append((start, stop))


@checked
def path_products(tree: LabelTree, conditional: ArrayLike) -> Floats:
    """Return the product of the numbers on the path from the root to each node (equation 1).

    It turns the conditional probabilities η(x, v) = P(z_v = 1 | z_pa(v) = 1, x), or estimates of
    them, into probabilities η_v(x) = P(z_v = 1 | x).

    Parameters
    ----------
    tree
        The tree.
    conditional
        One number for each node, or rows of them: (..., n_nodes).

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2])
    >>> path_products(tree, [1.0, 0.5, 0.5, 0.5, 1.0])
    array([1.  , 0.5 , 0.5 , 0.25, 0.5 ])
    """
    product = at_nodes(tree, conditional, "conditional").copy()
    for start, stop in levels(tree)[1:]:
        product[..., start:stop] *= product[..., tree.parent[start:stop]]
    return product


def path_sums(tree: LabelTree, values: Floats) -> Floats:
    """Return the sum of the values on the path from the root to each node."""
    total = values.copy()
    for start, stop in levels(tree)[1:]:
        total[..., start:stop] += total[..., tree.parent[start:stop]]
    return total


def subtree_sums(tree: LabelTree, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of the values of all nodes at or under each node."""
    total = values.copy()
    for start, stop in reversed(levels(tree)[1:]):
        np.add.at(total, tree.parent[start:stop], total[start:stop])
    return total


def over_children(tree: LabelTree, values: Floats, combine: np.ufunc) -> Floats:
    """Return the combined values of the children of each node, such as their sum; 0 for leaves."""
    result = np.zeros_like(values)
    inner = np.flatnonzero(tree.degree)
    if len(inner):
        # Siblings are adjacent, and groups of siblings are in the order of their parents.
        result[..., inner] = combine.reduceat(values, tree.first_child[inner], axis=-1)
    return result


def above(tree: LabelTree, eta: Floats) -> Floats:
    """Return η_pa(v) of each node, which is 1 for the root."""
    parents = eta[..., np.maximum(tree.parent, 0)]
    parents[..., 0] = 1.0
    return parents


def at_nodes(tree: LabelTree, values: ArrayLike, name: str) -> Floats:
    """Return checked probabilities, one for each node: (..., n_nodes)."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != tree.n_nodes:
        raise ValueError(
            f"{name} must hold one number for each of the {tree.n_nodes} nodes, but its shape is "
            f"{array.shape}"
        )
    check_probabilities(array, name)
    return array


def check_probabilities(array: Floats, name: str) -> None:
    """Raise ValueError unless all numbers are between 0 and 1, up to rounding."""
    if not ((array >= -TOLERANCE) & (array <= 1 + TOLERANCE)).all():
        raise ValueError(
            f"{name} must hold probabilities in 0..1, but ranges from {array.min():g} to "
            f"{array.max():g}"
        )

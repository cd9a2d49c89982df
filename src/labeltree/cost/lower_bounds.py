"""How little any tree can cost: lower bounds on c(T, Y) over all trees.

All three rest on one fact: a row costs at least 1 + D_j for each of its labels j, and the D_j of a
tree satisfy a Kraft inequality, so on average they are no smaller than an entropy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows, as_labels

#: Cost of a bit: no node pays less than 3 / log2(3) per row and bit, which is what degree 3 pays.
PER_BIT = 3.0 / np.log2(3.0)
_ROOT3 = 3.0 ** (1.0 / 3.0)


def lower_bound(Y: object, *, iterations: int = 20) -> float:
    """Return a number that c(T, Y) of no tree is below: the best of three proven bounds.

    Parameters
    ----------
    Y
        Label rows.
    iterations
        Steps of the search for the most even spread of rows over their labels. More steps raise the
        bound a little; every step gives a valid one.

    Notes
    -----
    - A root that every row visits and a child for each label: n + Σ|y_j|.
    - Spread each row evenly or unevenly over its labels; q is where the mass ends up. Then
      c ≥ n + n'·(3/log2 3)·H(q), with n' the rows that have a label. With one label a row this is
      the entropy bound of the paper.
    - The two combined, with a share θ of each leaf's own pair left in its path: the best for many
      labels a row.

    Examples
    --------
    >>> lower_bound([[0], [1], [2]])
    12.0
    """
    rows = as_labels(Y)
    n, positives = float(rows.n_rows), float(len(rows.indices))
    if rows.n_labels < 2 or positives == 0:
        return n
    labelled = float(rows.n_labeled)
    entropy = spread_entropy(rows, iterations=iterations)
    paths = n + labelled * PER_BIT * entropy
    mixed = max(
        n + labelled * PER_BIT * (entropy - np.log2(_kraft_sum(theta))) + (1.0 - theta) * positives
        for theta in np.linspace(0.05, 1.0, 39)
    )
    best = max(n + positives, paths, mixed)
    # c is a whole number, and the entropy is right to about 1e-12 of itself.
    return float(np.ceil(best * (1.0 - 1e-11)))


def spread_entropy(rows: LabelRows, *, iterations: int) -> float:
    """Return the largest entropy, in bits, found for labels when rows spread over their labels.

    Mirror ascent: a row shifts its mass towards its labels that have little.
    """
    lengths = np.diff(rows.indptr)
    starts = rows.indptr[:-1][lengths > 0]
    lengths = lengths[lengths > 0]
    mass = np.repeat(1.0 / lengths, lengths)
    best = 0.0
    for step in range(iterations + 1):
        q = np.bincount(rows.indices, weights=mass, minlength=rows.n_labels) / len(lengths)
        best = max(best, _entropy(q))
        if step == iterations or (lengths == 1).all():
            return best
        mass *= 1.0 / q[rows.indices]
        mass /= np.repeat(np.add.reduceat(mass, starts), lengths)
        np.maximum(mass, 1e-300, out=mass)
    return best


def _entropy(q: NDArray[np.float64]) -> float:
    q = q[q > 0]
    return float(-(q @ np.log2(q)))


def _kraft_sum(theta: float) -> float:
    """Return the largest Σ_j 3^(-D'_j/3), where D'_j counts leaf siblings on its path θ times.

    A node with i inner and l leaf children allows at most l·s / (1 - i·s), s = 3^(-(i + θl)/3).
    This falls in l beyond 3 / (θ ln 3) and in i beyond 3.
    """
    worst = 0.0
    for inner in range(6):
        for leaves in range(1, int(3.0 / (theta * np.log(3.0))) + 3):
            if inner + leaves < 2:
                continue
            shrink = _ROOT3 ** -(inner + theta * leaves)
            worst = max(worst, leaves * shrink / (1.0 - inner * shrink))
    return worst

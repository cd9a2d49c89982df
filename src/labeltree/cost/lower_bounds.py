"""Lower bounds on the training cost c(T, Y) over all trees.

All three bounds follow from one fact. A row costs at least 1 + D_j for each of its labels j, and
the D_j of a tree satisfy a Kraft inequality, so their mean is at least an entropy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import check_integer, checked
from labeltree.data import LabelRows, as_labels

#: Cost per row and bit: at least 3 / log2(3) at every node, attained by nodes of degree 3.
PER_BIT = 3.0 / np.log2(3.0)
_ROOT3 = 3.0 ** (1.0 / 3.0)


#: Maximum number of iterations of a lower bound; it improves little after 20.
MAX_ITERATIONS = 10_000


@checked
def lower_bound(Y: object, *, iterations: int = 20) -> float:
    """Return a lower bound on c(T, Y) for all trees: the best of three proven bounds.

    `pair_lower_bound` takes longer and is often higher if rows have several labels.

    Parameters
    ----------
    Y
        Label rows.
    iterations
        Number of iterations of the search for the distribution of rows over their labels with the
        highest entropy. The bound is valid for any number; more iterations improve it slightly.

    Notes
    -----
    - Every row visits the root, and every (row, label) pair visits a leaf: n + Σ|y_j|.
    - Distribute each row over its labels in any proportion, and let q be the resulting distribution
      over labels. Then c ≥ n + n'·(3/log2 3)·H(q), where n' is the number of rows with a label.
      With one label per row, this is the entropy bound of the paper.
    - A combination of both, in which a fraction θ of each leaf's own pair counts toward its path.
      This is the best bound for many labels per row.

    Examples
    --------
    >>> lower_bound([[0], [1], [2]])
    12.0
    """
    rows = as_labels(Y)
    n, positives = float(rows.n_rows), float(len(rows.indices))
    if rows.n_labels < 2 or positives == 0:
        return n
    labeled = float(rows.n_labeled)
    check_integer("iterations", iterations, minimum=0, maximum=MAX_ITERATIONS)
    entropy = spread_entropy(rows, iterations=iterations)
    paths = n + labeled * PER_BIT * entropy
    mixed = max(
        n + labeled * PER_BIT * (entropy - np.log2(_kraft_sum(theta))) + (1.0 - theta) * positives
        for theta in np.linspace(0.05, 1.0, 39)
    )
    best = max(n + positives, paths, mixed)
    # c is an integer, and the relative error of the entropy is about 1e-12.
    return float(np.ceil(best * (1.0 - 1e-11)))


def spread_entropy(rows: LabelRows, *, iterations: int) -> float:
    """Return the largest entropy found, in bits, of rows distributed over their labels.

    Uses mirror ascent: each row shifts mass toward those of its labels that have little mass.
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
    This decreases in l above 3 / (θ ln 3) and in i above 3.
    """
    worst = 0.0
    for inner in range(6):
        for leaves in range(1, int(3.0 / (theta * np.log(3.0))) + 3):
            if inner + leaves < 2:
                continue
            shrink = _ROOT3 ** -(inner + theta * leaves)
            worst = max(worst, leaves * shrink / (1.0 - inner * shrink))
    return worst

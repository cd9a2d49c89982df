"""A lower bound on c(T, Y) that counts two labels of each row.

Let f be a function of label sets that never decreases when labels are added, with f(A) at most the
number of rows that have a label in A. The cost is n plus the sum of |z_u| over all edges from a
node u to a child v. Since a·ln(1/a) ≤ 1/e, each of them is at least e·f(v)·ln(f(u)/f(v)). The
logarithm is the length of the interval of sizes s = ln b with f(v) ≤ b < f(u). At each size, the
nodes v with f(v) ≤ b < f(u) divide the labels with f(j) ≤ b into parts of at most b. Therefore

    c(T, Y) ≥ n + e · ∫ G(b) db/b   over 0 < b < f(all labels),

where G(b) is the smallest total Σ f(A) of any such division. If f distributes each row over its
labels, f is additive, G(b) is the mass of the labels of at most b, and this is the entropy bound
with e in place of 3/ln 3. Here, f distributes each row over *pairs* of its labels: f(A) is the
expected number of rows whose pair has a label in A. A division then loses only the pairs that are
inside a part. A part of at most b has a mass of at most 2b, so the pairs of a label j that can be
inside are those of a fractional knapsack.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from labeltree.arguments import check_integer, checked
from labeltree.cost.lower_bounds import MAX_ITERATIONS
from labeltree.data import LabelRows, as_labels

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

#: Labels of a row that form pairs, the rarest; the pairs grow with the square.
MAX_PAIRED = 32
_N_SIZES = 300
_MIN_SIZE = 1e-3  # the integral over smaller sizes is left out
_STEP = 0.27  # of mirror ascent


class _Pairs(NamedTuple):
    """The pairs of labels of all rows; a row with one label has the pair of it with itself."""

    row: Numbers  # of each entry
    pair: Numbers  # of each entry
    first: Numbers  # label of each pair
    second: Numbers
    counts: Floats  # rows of each label
    n_labeled: int


@checked
def pair_lower_bound(Y: object, *, iterations: int = 10) -> float:
    """Return a lower bound on c(T, Y) for all trees that counts two labels of each row.

    It is higher than `lower_bound` if rows have several labels that rarely occur together, and
    lower if most rows have one label; use the larger of the two. Takes O(Σ k²) time and memory per
    iteration for rows with k labels, of which the 32 rarest count.

    Parameters
    ----------
    Y
        Label rows.
    iterations
        Number of iterations of the search for good pairs. The bound is valid for any number.

    Examples
    --------
    >>> rows = [[i, 9 + j] for i in range(9) for j in range(9)]
    >>> pair_lower_bound(rows), pair_lower_bound([[0], [1], [2]])
    (755.0, 12.0)
    """
    rows = as_labels(Y)
    check_integer("iterations", iterations, minimum=0, maximum=MAX_ITERATIONS)
    if rows.n_labels < 2 or not len(rows.indices):
        return float(rows.n_rows)
    pairs = _pairs_of(rows)
    share = np.ones(len(pairs.row))
    best = 0.0
    for step in range(iterations + 1):
        share /= _sums(pairs.row, share, pairs.n_labeled)[pairs.row]
        value, gain = _bound(pairs, share)
        best = max(best, value)
        if step < iterations:
            share = _ascend(pairs, share, gain)
    # c is an integer, and the relative error of the sums is about 1e-12.
    return float(np.ceil((rows.n_rows + best) * (1.0 - 1e-10)))


def _pairs_of(rows: LabelRows) -> _Pairs:
    """List the pairs of each row with a label; rows are numbered without the others."""
    found = []
    lengths = np.diff(rows.indptr)
    labeled = np.flatnonzero(lengths)
    rare = np.argsort(rows.counts[rows.indices], kind="stable")
    of_rows = np.repeat(np.arange(rows.n_rows), lengths)[rare]
    indices = rows.indices[rare][np.argsort(of_rows, kind="stable")].astype(np.int64)
    for length in np.unique(np.minimum(lengths[labeled], MAX_PAIRED)):
        chosen = np.flatnonzero(np.minimum(lengths[labeled], MAX_PAIRED) == length)
        labels = np.sort(indices[rows.indptr[labeled[chosen]][:, None] + np.arange(length)], axis=1)
        left, right = np.triu_indices(length, 1) if length > 1 else ([0], [0])
        found.append(
            (np.repeat(chosen, len(left)), labels[:, left].ravel(), labels[:, right].ravel())
        )
    row, first, second = (np.concatenate(part) for part in zip(*found, strict=True))
    keys, pair = np.unique(first * rows.n_labels + second, return_inverse=True)
    firsts, seconds = keys // rows.n_labels, keys % rows.n_labels
    return _Pairs(row, pair, firsts, seconds, rows.counts.astype(np.float64), len(labeled))


def _bound(pairs: _Pairs, share: Floats) -> tuple[float, Floats]:
    """Return the bound above n for given shares of pairs, and how much each pair adds to it."""
    together = _sums(pairs.pair, share, len(pairs.first))
    is_pair = pairs.first != pairs.second
    mass = _sums(pairs.first, together, len(pairs.counts))
    mass += _sums(pairs.second[is_pair], together[is_pair], len(mass))
    log_sizes = np.linspace(np.log(_MIN_SIZE), np.log(pairs.n_labeled), _N_SIZES + 1)
    sizes = np.exp(log_sizes)
    inside, entering = _inside(pairs, together, mass, sizes)
    light = _sum_up_to(mass, mass, sizes)
    heavier = np.maximum(mass[pairs.first], mass[pairs.second])
    covered = light - _sum_up_to(heavier[is_pair], together[is_pair], sizes)
    # Both terms grow with the size, so the ends of an interval bound the difference in it.
    total = np.maximum(light[:-1] - inside[1:], np.maximum(light[:-1] / 2, covered[:-1]))
    # The parent of leaf j has at least the rows of j; a share 1 - θ of its edge counts as such.
    theta = np.minimum(1.0, np.e * mass / np.maximum(pairs.counts, 1.0))
    leaves = (1.0 - theta) @ pairs.counts + np.e * xlogy(mass, theta).sum()
    level = np.log(np.maximum(theta, 1e-300) / np.maximum(mass, 1e-300))
    gain = level[pairs.first] + np.where(is_pair, level[pairs.second] - entering, 0.0)
    return float(leaves + np.e * (total @ np.diff(log_sizes))), gain


def _inside(pairs: _Pairs, together: Floats, mass: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return a bound on the pairs inside parts of each size, and the nats that each pair is inside.

    The part of label j has a mass of at most 2b. It has the most pairs with j if it has the labels
    with the most pairs for their mass.
    """
    chosen = np.flatnonzero((pairs.first != pairs.second) & (together > 0))
    pair = np.concatenate([chosen, chosen])
    label = np.concatenate([pairs.first[chosen], pairs.second[chosen]])
    other = np.concatenate([pairs.second[chosen], pairs.first[chosen]])
    order = np.lexsort((-together[pair] / mass[other], label))
    pair, label, other = pair[order], label[order], other[order]
    if not len(pair):
        return np.zeros(len(sizes)), np.zeros(len(together))
    starts = np.flatnonzero(np.concatenate([[True], label[1:] != label[:-1]]))
    lengths = np.diff(np.append(starts, len(label)))
    until = np.cumsum(mass[other])
    until = until - np.repeat(until[starts] - mass[other[starts]], lengths)
    last = (mass[label] + until) / 2  # the size at which the whole of the other label fits
    first = last - mass[other] / 2
    slope = together[pair] / mass[other]  # half the pairs, over half the mass
    at = np.concatenate([first, last])
    order = np.argsort(at)
    slopes = np.cumsum(np.concatenate([slope, -slope])[order])
    values = np.concatenate([[0.0], np.cumsum(slopes[:-1] * np.diff(at[order]))])
    inside = np.interp(sizes, at[order], values) * (1 + 1e-9)
    nats = np.maximum(np.log(sizes[-1]) - np.log((first + last) / 2), 0.0) / 2
    return inside, _sums(pair, nats, len(together))


def _sums(numbers: Numbers, values: Floats, n: int) -> Floats:
    """Return the sum of the values of each number."""
    return np.bincount(numbers, values, minlength=n).astype(np.float64)


def _sum_up_to(keys: Floats, values: Floats, limits: Floats) -> Floats:
    """Return the sum of the values whose keys are at most each limit."""
    order = np.argsort(keys)
    sums = np.concatenate([[0.0], np.cumsum(values[order])])
    return np.asarray(sums[np.searchsorted(keys[order], limits, side="right")])


def _ascend(pairs: _Pairs, share: Floats, gain: Floats) -> Floats:
    """Return shares with more of the pairs that add much to the bound; rows need not sum to 1."""
    power = np.log(np.maximum(share, 1e-300)) + _STEP * gain[pairs.pair]
    largest = np.full(pairs.n_labeled, -np.inf)
    np.maximum.at(largest, pairs.row, power)
    return np.asarray(np.maximum(np.exp(power - largest[pairs.row]), 1e-200))

"""Lower and upper bounds on the cost of the cheapest tree (section 5 of the paper)."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.arguments import checked
from labeltree.cost import leaf_costs, node_weights
from labeltree.cost.lower_bounds import PER_BIT
from labeltree.data import as_labels
from labeltree.trees import LabelTree


def simple_lower_bound(Y: object) -> int:
    """Return n + Σ|y_j|, a lower bound on the cost of any tree.

    From the proof of Theorem 3 (binaryApprox): every leaf has a parent of at least the same weight.
    Correction: a single label has no parent and costs n.

    Examples
    --------
    >>> simple_lower_bound([[0], [0, 1], []]), simple_lower_bound([[0], [0]])
    (6, 2)
    """
    rows = as_labels(Y)
    return rows.n_rows + (len(rows.indices) if rows.n_labels > 1 else 0)


@checked
def ternary_ratio(n_labels: int) -> int:
    """Return an upper bound on the cost of a complete ternary tree relative to the optimum.

    Theorem 3 (binaryApprox). Correction: its proof gives 3·⌈log3 m⌉ rather than 3·log3 m, and 1
    for a single label.

    Examples
    --------
    >>> [ternary_ratio(m) for m in (1, 2, 3, 4, 9, 10)]
    [1, 3, 3, 6, 6, 9]
    """
    return max(1, 3 * _ternary_depth(n_labels))


def ternary_upper_bound(Y: object) -> int:
    """Return an upper bound on the cost of a complete ternary tree: n + 3·⌈log3 m⌉·Σ|y_j|.

    Theorem 3 (binaryApprox). The bound is at most `ternary_ratio` times the optimum.

    Examples
    --------
    >>> ternary_upper_bound([[0], [1, 2], [3]])
    27
    """
    rows = as_labels(Y)
    return rows.n_rows + 3 * _ternary_depth(rows.n_labels) * len(rows.indices)


@checked
def binary_ratio(n_labels: int) -> float:
    """Return an upper bound on the cost of the best binary tree relative to the optimum.

    Lemma 1 (binary). Correction: the printed inequality has the trivial direction; the proof shows
    min over binary trees ≤ 2 · min over all trees. Counting the degrees in the proof gives the
    factor (2m-1)/(m+1) < 2, which m identical columns of ones attain.

    Examples
    --------
    >>> [binary_ratio(m) for m in (1, 2, 5)], binary_ratio(10**6) < 2
    ([1.0, 1.0, 1.5], True)
    """
    _check_labels(n_labels)
    return max(1.0, (2 * n_labels - 1) / (n_labels + 1))


@checked
def merging_cost(tree: LabelTree, Y: object) -> int:
    """Return the binary merging cost of a tree: the sum of the Hamming weights of all nodes.

    The definition of binary merging includes the leaves and the root.

    Examples
    --------
    >>> merging_cost(LabelTree.from_nested([[0, 1], 2]), [[0], [0, 1], [2]])
    9
    """
    return int(node_weights(tree, Y).sum())


@checked
def cost_of_merging(merging_cost: int, Y: object) -> int:
    """Return the training cost of a binary tree, given its merging cost.

    c(T, Y) = n + 2·(merging cost - Σ|y_j|), since every inner node of a binary tree costs twice its
    weight and leaves cost nothing.

    Examples
    --------
    >>> cost_of_merging(9, [[0], [0, 1], [2]])
    13
    """
    rows = as_labels(Y)
    return rows.n_rows + 2 * (merging_cost - len(rows.indices))


@checked
def entropy(p: ArrayLike) -> float:
    """Return Σ p_j·log2(1/p_j), ignoring zeros; p need not sum to 1.

    Examples
    --------
    >>> entropy([0.5, 0.25, 0.25, 0.0])
    1.5
    """
    values = np.asarray(p, dtype=np.float64).ravel()
    if not (values >= 0).all():
        raise ValueError(f"entropy needs nonnegative numbers, but the smallest is {values.min()}")
    values = values[values > 0]
    return float(-(values * np.log2(values)).sum())


@checked
def entropy_upper_bound(p: ArrayLike) -> float:
    """Return the maximum entropy of k numbers with the same sum, where k is the length of p.

    Proposition 9 (entropy): H(p_1..p_k) ≤ H(p) + p·log2 k with p = Σ p_i. Correction of the
    sentence before the proposition: H ≤ log2 k holds if the sum is 1, but fails for k = 1 and k = 2
    with smaller sums.

    Examples
    --------
    >>> round(entropy_upper_bound([0.5, 0.25, 0.25]), 4), round(float(np.log2(3)), 4)
    (1.585, 1.585)
    >>> entropy([0.5]), entropy_upper_bound([0.5])
    (0.5, 0.5)
    """
    values = np.asarray(p, dtype=np.float64).ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    if not np.isfinite(total):
        raise ValueError(f"the sum of p must be finite, but is {total}")
    return entropy(total) + float(total * np.log2(max(len(values), 1)))


@checked
def entropy_lower_bound(counts: ArrayLike, n_rows: int | None = None) -> float:
    """Return a lower bound on the cost of any tree if no row has more than one label.

    Lemma 2 (lower_bound): c(T, Y) ≥ n + n'·(3/log2 3)·H(p). Correction: n' is the number of rows
    with a label and p is their distribution over the labels; n includes the rows without labels.
    For rows with several labels, see `labeltree.cost.lower_bound`.

    Parameters
    ----------
    counts
        Number of rows of each label.
    n_rows
        Number of rows, including rows without labels; the sum of the counts by default.

    Examples
    --------
    >>> round(entropy_lower_bound([10, 10, 10]), 6)
    120.0
    >>> round(entropy_lower_bound([10, 10, 10], n_rows=50), 6)
    140.0
    """
    weights = _check_counts(counts)
    labeled = int(weights.sum())
    n = labeled if n_rows is None else n_rows
    if n < labeled:
        raise ValueError(f"rows must have at most one label, but {labeled} labels are in {n} rows")
    return float(n + PER_BIT * _counted_entropy(weights))


@checked
def huffman_upper_bound(counts: ArrayLike, n_rows: int | None = None) -> float:
    """Return an upper bound on the cost of ternary Shannon and Huffman trees.

    Theorem 4 (multi-class_upper_bound): c(T, Y) ≤ n + S·((3/log2 3)·H(p) + 3), where S = Σ|y_j| and
    p_j = |y_j|/S. If no row has more than one label, S = n' ≤ n, and by `entropy_lower_bound` the
    cost exceeds the optimum by at most 3n. The bound also holds for other rows, since Σ D_j·|y_j|
    counts nodes shared by several labels repeatedly. Labels without rows are ignored (merge them
    first, at cost 0).

    Parameters
    ----------
    counts
        Number of rows of each label.
    n_rows
        Number of rows; the sum of the counts by default.

    Examples
    --------
    >>> round(huffman_upper_bound([10, 10, 10]), 6)
    210.0
    """
    weights = _check_counts(counts)
    total = int(weights.sum())
    n = total if n_rows is None else n_rows
    return float(n + PER_BIT * _counted_entropy(weights) + 3 * total)


@checked
def k_sparse_upper_bound(optimum: float, n_rows: int, k: int) -> float:
    """Return an upper bound on the cost of the ternary Huffman tree for at most k labels per row.

    Remark after Theorem 4: k·(optimum + 3n), where the optimum is over all trees.

    Examples
    --------
    >>> k_sparse_upper_bound(100, 10, 2)
    260
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, but is {k}")
    best = optimum.item() if isinstance(optimum, np.generic) else optimum  # of any precision
    return int(k) * (best + 3 * int(n_rows))


@checked
def nested_optimum(counts: ArrayLike, n_rows: int) -> int:
    """Return the cost of the cheapest tree of nested (Matryoshka) labels.

    Lemma 5 (matryoshka) and Theorem 5: the labels in ascending order, a_1 ≤ .. ≤ a_m, are divided
    into groups. The first group costs |S|·max(S), and each other group costs (|S|+1)·max(S).
    Correction: a single label costs n. Takes O(m) time after sorting, since the costs of groups are
    lines of decreasing slope that are evaluated at ascending a_j.

    Parameters
    ----------
    counts
        Number of rows of each label. The counts do not show whether the labels are nested; this is
        not checked.
    n_rows
        Number of rows.

    Examples
    --------
    >>> nested_optimum([1, 5, 6], 6)  # [[0, 1], 2]: 6 + 2·5 + 2·6
    24
    """
    a = np.sort(_check_counts(counts)).tolist()
    if a and a[-1] > n_rows:
        raise ValueError(f"a label must have at most n_rows = {n_rows} rows, but one has {a[-1]}")
    if len(a) == 1:
        return n_rows
    # f(j) = (j+1)·a_j + min_i (f(i) - i·a_j). The first group has no inner child, so i = 0 has
    # slope 1. A first group of one label is not a node, so i = 1 is skipped.
    lines: deque[tuple[int, int]] = deque([(1, 0)])  # (slope, f)
    best = 0
    for j, count in enumerate(a, start=1):
        while len(lines) > 1 and _value(lines[1], count) <= _value(lines[0], count):
            lines.popleft()
        best = (j + 1) * count + _value(lines[0], count)
        if j > 1:
            while len(lines) > 1 and _is_redundant(lines[-2], lines[-1], (j, best)):
                lines.pop()
            lines.append((j, best))
    return n_rows + best


@checked
def is_multiclass_form(tree: LabelTree, counts: ArrayLike) -> bool:
    """Return whether a tree has a form that some cheapest multi-class tree has.

    Lemma 3 (aux_1): inner nodes have 2 or 3 children, and rarer labels are deeper. Correction:
    depth is measured by D_j, the sum of the degrees above a leaf, not by the number of nodes above
    it.

    Examples
    --------
    >>> tree = LabelTree.from_nested([0, [1, 2]])
    >>> is_multiclass_form(tree, [9, 1, 1]), is_multiclass_form(tree, [1, 1, 9])
    (True, False)
    """
    weights = _counts_for(tree, counts)
    costs = leaf_costs(tree)
    # In order of ascending weight, with ties in order of descending cost, costs never increase.
    order = np.lexsort((-costs, weights))
    ordered = bool((np.diff(costs[order]) <= 0).all())
    return ordered and bool(np.isin(tree.degree, (0, 2, 3)).all())


@checked
def is_nested_form(tree: LabelTree, counts: ArrayLike) -> bool:
    """Return whether a tree has a form that some cheapest tree of nested labels has.

    Lemmas 4 (innerdegree) and 5 (matryoshka): every node has at most one inner child, and no label
    has fewer rows than a deeper one.

    Examples
    --------
    >>> tree = LabelTree.from_nested([2, [0, 1]])
    >>> is_nested_form(tree, [1, 5, 6]), is_nested_form(tree, [1, 7, 6])
    (True, False)
    """
    weights = _counts_for(tree, counts)
    inner = tree.parent[1:][tree.degree[1:] > 0]
    if len(inner) != len(np.unique(inner)):
        return False
    # With at most one inner child per node, the parents of leaves form a path in number order.
    parents, place = np.unique(tree.parent[tree.leaves], return_inverse=True)
    lightest = np.full(len(parents), weights.max())
    heaviest = np.zeros(len(parents), dtype=np.int64)
    np.minimum.at(lightest, place, weights)
    np.maximum.at(heaviest, place, weights)
    return bool((lightest[:-1] >= heaviest[1:]).all())


def _value(line: tuple[int, int], x: int) -> int:
    return line[1] - line[0] * x


def _is_redundant(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    """Return whether line b, with slope between those of a and c, is nowhere below both."""
    return (c[1] - a[1]) * (b[0] - a[0]) <= (b[1] - a[1]) * (c[0] - a[0])


def _ternary_depth(n_labels: int) -> int:
    """Return ⌈log3 m⌉ in integers."""
    _check_labels(n_labels)
    depth = 0
    while 3**depth < n_labels:
        depth += 1
    return depth


def _check_labels(n_labels: int) -> None:
    if n_labels < 1:
        raise ValueError(f"n_labels must be at least 1, but is {n_labels}")


def _check_counts(counts: ArrayLike) -> NDArray[np.int64]:
    values = np.asarray(counts)
    if values.ndim != 1 or values.dtype.kind not in "iu" or (values < 0).any():
        raise ValueError("counts must hold one nonnegative integer for each label")
    return values.astype(np.int64)


def _counts_for(tree: LabelTree, counts: ArrayLike) -> NDArray[np.int64]:
    values = _check_counts(counts)
    if len(values) != tree.n_labels:
        raise ValueError(f"the tree has {tree.n_labels} labels, but there are {len(values)} counts")
    return values


def _counted_entropy(counts: NDArray[np.int64]) -> float:
    """Return n·H(counts / n) with n their sum."""
    total = int(counts.sum())
    return total * entropy(counts / total) if total else 0.0

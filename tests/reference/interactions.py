"""Pairs of features, counted and found one by one."""

import math
from collections import defaultdict
from itertools import combinations
from typing import NamedTuple


class Pair(NamedTuple):
    n_rows: int
    shared: float


def shared_labels(Y: list[set[int]], rows: list[int]) -> float:
    """Labels that ordered pairs of rows share; a label with n rows in Y counts as 1 / sqrt(n)."""
    counts = defaultdict(int)
    for labels in Y:
        for label in labels:
            counts[label] += 1
    return sum(
        1 / math.sqrt(counts[label]) for i in rows for j in rows if i != j for label in Y[i] & Y[j]
    )


def pairs(X: list[list[float]], Y: list[set[int]], min_rows: int) -> dict[tuple[int, int], Pair]:
    """Pairs of features that enough rows have, if two of these rows share a label."""
    having = defaultdict(list)
    for i, row in enumerate(X):
        features = [f for f, value in enumerate(row) if value]
        for pair in combinations(features, 2):
            having[pair].append(i)
    enough = {pair: rows for pair, rows in having.items() if len(rows) >= min_rows}
    found = {pair: Pair(len(rows), shared_labels(Y, rows)) for pair, rows in enough.items()}
    return {pair: one for pair, one in sorted(found.items()) if one.shared > 0}


def with_pairs(x: list[float], pairs: list[tuple[int, int]], factor: float) -> list[float]:
    """A row followed by its pairs: signed geometric means of two values."""
    products = [x[a] * x[b] for a, b in pairs]
    return x + [math.copysign(factor * math.sqrt(abs(p)), p) if p else 0.0 for p in products]

"""Online learning, one row at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tests.reference.trees import Nested, labels_under, subtrees

OnlineRow = tuple[Mapping[int, float], set[int]]  # features by number, and labels


def online_examples(
    tree: Nested, rows: Sequence[OnlineRow]
) -> dict[frozenset[int], list[tuple[dict[int, float], bool]]]:
    """Return the training rows of each node by Algorithm 1, in order, and their classes.

    Nodes are identified by their set of labels. The bias is feature -1.
    """
    examples: dict[frozenset[int], list[tuple[dict[int, float], bool]]] = {
        frozenset(labels_under(node)): [] for node in subtrees(tree)
    }
    for features, labels in rows:
        x = {-1: 1.0, **features}
        examples[frozenset(labels_under(tree))].append((x, bool(labels)))
        for node in subtrees(tree):
            if isinstance(node, list) and labels_under(node) & labels:
                for child in node:
                    below = labels_under(child)
                    examples[frozenset(below)].append((x, bool(below & labels)))
    return examples


def adagrad(
    examples: Sequence[tuple[Mapping[int, float], bool]],
    rate: float,
    smoothing: float,
    l1: float = 0.0,
    l2: float = 0.0,
) -> dict[int, float]:
    """Return the weights after one pass of AdaGrad over the logistic loss, starting from zero."""
    weights: dict[int, float] = {}
    squares: dict[int, float] = {}
    for x, is_positive in examples:
        score = sum(weights.get(f, 0.0) * value for f, value in x.items())
        error = 1 / (1 + math.exp(-score)) - is_positive
        for f, value in x.items():
            gradient = error * value + l2 * weights.get(f, 0.0)
            squares[f] = squares.get(f, 0.0) + gradient**2
            step = rate / math.sqrt(squares[f] + smoothing)
            moved = weights.get(f, 0.0) - step * gradient
            weights[f] = math.copysign(max(abs(moved) - step * l1, 0.0), moved)
    return weights


def ftrl(
    examples: Sequence[tuple[Mapping[int, float], bool]],
    alpha: float,
    beta: float,
    l1: float = 0.0,
    l2: float = 0.0,
) -> dict[int, float]:
    """Return the weights after one pass of FTRL-proximal (McMahan et al. 2013, algorithm 1)."""
    z: dict[int, float] = {}
    n: dict[int, float] = {}

    def weight(f: int) -> float:
        if abs(z.get(f, 0.0)) <= l1:
            return 0.0
        sign = math.copysign(1.0, z[f])
        return -(z[f] - sign * l1) / ((beta + math.sqrt(n[f])) / alpha + l2)

    for x, is_positive in examples:
        weights = {f: weight(f) for f in x}
        score = sum(weights[f] * value for f, value in x.items())
        error = 1 / (1 + math.exp(-score)) - is_positive
        for f, value in x.items():
            gradient = error * value
            before = n.get(f, 0.0)
            n[f] = before + gradient**2
            sigma = (math.sqrt(n[f]) - math.sqrt(before)) / alpha
            z[f] = z.get(f, 0.0) + gradient - sigma * weights[f]
    return {f: weight(f) for f in z}

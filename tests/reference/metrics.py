"""Metrics of rankings, sets and probabilities.

Truth is a list of label sets; predictions are lists of labels, best first, or of label -> score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def best_labels(scores: Mapping[int, float], k: int) -> list[int]:
    """Return the k labels with the highest scores; ties go to the lower label."""
    return sorted(scores, key=lambda label: (-scores[label], label))[:k]


def precision_at_k(truth: Sequence[set[int]], ranked: Sequence[Sequence[int]], k: int) -> float:
    right = [len(true & set(best[:k])) / k for true, best in zip(truth, ranked, strict=True)]
    return sum(right) / len(right)


def recall_at_k(truth: Sequence[set[int]], ranked: Sequence[Sequence[int]], k: int) -> float:
    found = [
        len(true & set(best[:k])) / len(true) if true else 0.0
        for true, best in zip(truth, ranked, strict=True)
    ]
    return sum(found) / len(found)


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, start=1))


def psndcg_at_k(
    truth: Sequence[set[int]],
    ranked: Sequence[Sequence[int]],
    k: int,
    propensity: Sequence[float] | None = None,
) -> float:
    """Return PSnDCG@k, or nDCG@k if propensity is None; the best nDCG of a labeled row is 1."""
    gained = best = 0.0
    for true, labels in zip(truth, ranked, strict=True):
        if not true:
            continue
        weight = {j: 1.0 if propensity is None else 1 / propensity[j] for j in true}
        ideal = _dcg([1.0] * min(k, len(true)))
        gained += _dcg([weight.get(j, 0.0) for j in labels[:k]]) / ideal
        best += _dcg(sorted(weight.values(), reverse=True)[:k]) / ideal
    if propensity is None:
        return gained / len(truth)
    return gained / best if best else 0.0


def psp_at_k(
    truth: Sequence[set[int]], ranked: Sequence[Sequence[int]], k: int, propensity: Sequence[float]
) -> float:
    gained = best = 0.0
    for true, labels in zip(truth, ranked, strict=True):
        gained += sum(1 / propensity[j] for j in labels[:k] if j in true)
        best += sum(sorted((1 / propensity[j] for j in true), reverse=True)[:k])
    return gained / best if best else 0.0


def coverage_at_k(
    truth: Sequence[set[int]], ranked: Sequence[Sequence[int]], k: int, n_labels: int
) -> float:
    right = [true & set(best[:k]) for true, best in zip(truth, ranked, strict=True)]
    return len(set().union(*right)) / n_labels


def log_loss(
    truth: Sequence[set[int]], scores: Sequence[Mapping[int, float]], n_labels: int, eps: float
) -> float:
    total = 0.0
    for true, row in zip(truth, scores, strict=True):
        for j in range(n_labels):
            p = min(max(row.get(j, 0.0), eps), 1 - eps)
            total -= math.log(p) if j in true else math.log1p(-p)
    return total / (len(truth) * n_labels)


def ece_at_k(
    truth: Sequence[set[int]], scores: Sequence[Mapping[int, float]], k: int, n_bins: int
) -> float:
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(n_bins)]
    for true, row in zip(truth, scores, strict=True):
        for j in best_labels(row, k):
            bins[min(int(row[j] * n_bins), n_bins - 1)].append((row[j], j in true))
    total = sum(map(len, bins))
    error = 0.0
    for entries in filter(None, bins):
        confidence = sum(p for p, _ in entries) / len(entries)
        accuracy = sum(hit for _, hit in entries) / len(entries)
        error += len(entries) / total * abs(accuracy - confidence)
    return error


def brier_at_k(truth: Sequence[set[int]], scores: Sequence[Mapping[int, float]], k: int) -> float:
    errors = [
        (row[j] - (j in true)) ** 2
        for true, row in zip(truth, scores, strict=True)
        for j in best_labels(row, k)
    ]
    return sum(errors) / max(len(errors), 1)


def log_loss_at_k(
    truth: Sequence[set[int]], scores: Sequence[Mapping[int, float]], k: int, eps: float
) -> float:
    losses = []
    for true, row in zip(truth, scores, strict=True):
        for j in best_labels(row, k):
            p = min(max(row[j], eps), 1 - eps)
            losses.append(-math.log(p if j in true else 1 - p))
    return sum(losses) / max(len(losses), 1)

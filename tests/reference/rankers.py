"""Rankers: which rows they learn from, and how they re-rank the labels that the trees find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def rows_of_ranker(
    label: int, labels: Sequence[set[int]], candidates: Sequence[set[int]]
) -> tuple[list[int], list[int]]:
    """Return the positive rows of a label, and the rows that only have it as a candidate."""
    positive = [i for i, own in enumerate(labels) if label in own]
    negative = [i for i, found in enumerate(candidates) if label in found and i not in positive]
    return positive, negative


def reranked(
    products: Mapping[int, float], estimates: Mapping[int, float], k: int, n_candidates: int
) -> list[tuple[int, float]]:
    """Return the k best labels of one row: of the candidates, those with the highest product.

    `products` are the probabilities of the trees by label, best first among equals.
    """
    by_tree = sorted(products, key=lambda label: -products[label])
    candidates = by_tree[: max(k, n_candidates)]
    both = {label: products[label] * estimates[label] for label in candidates}
    return sorted(both.items(), key=lambda item: -item[1])[:k]

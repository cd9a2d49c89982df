"""Queries of a tree: the probabilities of its nodes, and the number of classifiers evaluated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def calls_of_query(parent: Sequence[int], conditional: Sequence[float], threshold: float) -> int:
    """Return the number of node classifiers that Algorithm 2 evaluates, line by line."""
    children = [[u for u, p in enumerate(parent) if p == v] for v in range(len(parent))]
    stack = [(0, conditional[0])]
    calls = 1
    while stack:
        v, eta = stack.pop()
        if eta >= threshold:
            for u in children[v]:
                stack.append((u, eta * conditional[u]))
                calls += 1
    return calls


def normalized_query(
    parent: Sequence[int], conditional: Sequence[float], threshold: float
) -> tuple[dict[int, float], int]:
    """Run Algorithm 2 with the two steps before Theorem 6 inserted after line 10.

    Returns the estimates of the evaluated nodes, and the number of classifiers evaluated.
    """
    children = [[u for u, p in enumerate(parent) if p == v] for v in range(len(parent))]
    eta = {0: conditional[0]}
    stack = [0]
    while stack:
        v = stack.pop()
        if eta[v] >= threshold:
            for u in children[v]:
                eta[u] = min(eta[v] * conditional[u], eta[v])
            total = sum(eta[u] for u in children[v])
            for u in children[v]:
                if eta[v] > total:
                    eta[u] = eta[u] * eta[v] / total if total > 0 else eta[v] / len(children[v])
                stack.append(u)
    return eta, len(eta)


def normalize(parent: Sequence[int], estimates: Sequence[float]) -> list[float]:
    """Apply the two steps before Theorem 6 node by node; 0/0 is shared evenly."""
    eta = list(estimates)
    for v in range(len(parent)):
        children = [u for u, p in enumerate(parent) if p == v]
        for u in children:
            eta[u] = min(eta[u], eta[v])
        total = sum(eta[u] for u in children)
        if children and eta[v] > total:
            for u in children:
                eta[u] = eta[u] * eta[v] / total if total > 0 else eta[v] / len(children)
    return eta


def sigmoid(log_odds: np.ndarray) -> np.ndarray:
    """Return the probability that corresponds to log-odds."""
    return 1.0 / (1.0 + np.exp(-log_odds))


def normalized_products(parent, estimates):
    """Return node probabilities (rows of estimates by node), normalized so that children cover v.

    Estimates of siblings that sum to less than 1 are divided by their sum, since at least one of
    them is positive if the parent is. If all are 0, they share evenly. The root keeps its estimate.
    """
    estimates = np.array(estimates, float)
    for v in range(len(parent)):
        children = [c for c in range(len(parent)) if parent[c] == v]
        if not children:
            continue
        total = estimates[:, children].sum(axis=1)
        for c in children:
            even = np.full(len(total), 1 / len(children))
            share = np.divide(estimates[:, c], total, out=even, where=total > 0)
            estimates[:, c] = np.where(total >= 1, estimates[:, c], share) * estimates[:, v]
    return estimates


def calls_of_best_first(
    parent: Sequence[int], eta: Sequence[float], leaves: Sequence[int], k: int
) -> tuple[list[int], int]:
    """Return the k best leaves by uniform-cost search, and the number of evaluated classifiers."""
    queue, found, calls = {0}, [], 1
    while len(found) < min(k, len(leaves)):
        v = max(sorted(queue), key=lambda u: eta[u])
        queue.remove(v)
        if v in leaves:
            found.append(v)
        children = [u for u, p in enumerate(parent) if p == v]
        queue |= set(children)
        calls += len(children)
    return found, calls

"""The path to a label, and the contributions of features along it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def path_to(parent: Sequence[int], node: int) -> list[int]:
    """Return the nodes on the path from the root to a node."""
    return [node] if parent[node] < 0 else [*path_to(parent, parent[node]), node]


def contributions(
    weights: Mapping[int, float], row: Mapping[int, float], slope: float
) -> dict[int, float]:
    """The contribution of each feature of a row with a weight in a node to its log-odds."""
    return {j: slope * weights[j] * value for j, value in row.items() if j in weights}

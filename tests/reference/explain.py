"""The path to a label, and what features add on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def path_to(parent: Sequence[int], node: int) -> list[int]:
    """The nodes from the root to a node."""
    return [node] if parent[node] < 0 else [*path_to(parent, parent[node]), node]


def pushes(
    weights: Mapping[int, float], row: Mapping[int, float], slope: float
) -> dict[int, float]:
    """What each feature of a row adds to the log-odds of a node; those without weight left out."""
    return {j: slope * weights[j] * value for j, value in row.items() if j in weights}

"""Labels that imply others, and what becomes of probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def implied_by(label: int, rows: Sequence[set[int]], min_rows: int) -> list[int]:
    """Return the labels that all rows of a label have, and more rows, the most frequent first."""
    own = [row for row in rows if label in row]
    if len(own) < min_rows:
        return []
    n_rows = {other: sum(other in row for row in rows) for row in own for other in row}
    found = [b for b in n_rows if all(b in row for row in own) and n_rows[b] > len(own)]
    return sorted(found, key=lambda b: (-n_rows[b], b))


def lifted(
    probabilities: Mapping[int, float], implied: Mapping[int, Sequence[int]]
) -> dict[int, float]:
    """Return the maximum of the probability of each label and of those that imply it."""
    return {
        b: max(p for a, p in probabilities.items() if a == b or b in implied[a])
        for b in probabilities
    }

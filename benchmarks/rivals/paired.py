"""Differences in precision on the same test rows, with their standard errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.metrics.ranked_hits import ranked_hits

KS = (1, 3, 5)


def hits_of(test: LabelRows, ranked: Any) -> NDArray[np.bool_]:
    """Return whether each of the five best labels of each row is true."""
    return ranked_hits(test, ranked, max(KS)).hits


def leads(ours: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> dict[str, float]:
    """Return by how many points P@k of ours is higher, and the standard error of the difference.

    Examples
    --------
    >>> ours, theirs = np.ones((4, 5), bool), np.zeros((4, 5), bool)
    >>> theirs[:2] = True
    >>> found = leads(ours, theirs)
    >>> found["P@1_lead"], found["P@1_lead_se"]
    (50.0, 25.0)
    """
    found: dict[str, float] = {}
    for k in KS:
        difference = ours[:, :k].mean(axis=1) - theirs[:, :k].mean(axis=1)
        found[f"P@{k}_lead"] = round(100 * float(difference.mean()), 2)
        error = float(difference.std() / np.sqrt(len(difference)))
        found[f"P@{k}_lead_se"] = round(100 * error, 2)
    return found


def kept_leads(path: Path, hits: NDArray[np.bool_], *, is_ours: bool) -> dict[str, float]:
    """Keep the hits of our default in a file, and return its leads over others."""
    if is_ours:
        np.save(path, hits)
        return {}
    return leads(np.load(path), hits) if path.exists() else {}

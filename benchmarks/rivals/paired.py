"""Differences in precision on the same test rows, with their standard errors."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
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


@dataclass(frozen=True)
class KeptHits:
    """The hits of every system on a data set, one file for each training."""

    folder: Path

    def clear(self, system: str) -> None:
        """Forget a system."""
        for path in self._files(system):
            path.unlink()

    def has(self, system: str) -> bool:
        """Return whether there are hits of a system."""
        return bool(self._files(system))

    def add(self, system: str, hits: NDArray[np.bool_]) -> None:
        """Keep the hits after one more training."""
        self.folder.mkdir(parents=True, exist_ok=True)
        number = len(self._files(system))
        np.save(self.folder / f"{_slug(system)}-{number}.npy", hits)

    def leads(self, ours: str, system: str) -> dict[str, float]:
        """Return the mean lead of our first training over all of a system; empty if unknown."""
        own, other = self._files(ours), self._files(system)
        if ours == system or not own or not other:
            return {}
        found = [leads(np.load(own[0]), np.load(path)) for path in other]
        return {name: round(statistics.fmean(f[name] for f in found), 2) for name in found[0]}

    def _files(self, system: str) -> list[Path]:
        return sorted(self.folder.glob(f"{_slug(system)}-[0-9].npy"))


def _slug(system: str) -> str:
    return re.sub("[^a-z0-9]+", "_", system.lower())

"""The figures of a system: names, units, and which direction is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Figures = dict[str, Any]
OURS = "labeltree"  # the row of the default settings
NOISE = 0.1  # relative differences in time below this are within noise
POINTS = 0.1  # differences of shares below this are within noise, or below two standard errors


@dataclass(frozen=True)
class Measure:
    """One figure of a system, by its key; shares differ by points, other figures by factors."""

    key: str
    name: str
    more_is_better: bool = False
    is_share: bool = False

    def noise(self, theirs: Figures) -> float:
        """Return the points of a share that are within noise."""
        return max(POINTS, 2 * float(theirs.get(f"{self.key}_lead_se", 0.0)))

    def lead(self, ours: Figures, theirs: Figures) -> float | None:
        """Return the factor or points by which labeltree is better; None if one is unknown."""
        a, b = ours.get(self.key), theirs.get(self.key)
        if a is None or b is None:
            return None
        if self.is_share:
            return float(a - b) if self.more_is_better else float(b - a)
        if min(a, b) <= 0:
            return None
        return float(a / b) if self.more_is_better else float(b / a)


QUALITY = [
    *(Measure(f"P@{k}", f"P@{k}", True, True) for k in (1, 3, 5)),
    Measure("nDCG@5", "nDCG@5", True, True),
    *(Measure(f"PSP@{k}", f"PSP@{k}", True, True) for k in (1, 3, 5)),
    Measure("ECE@5", "ECE@5", False, True),
    Measure("Brier@5", "Brier score at 5", False, True),
    Measure("log_loss@5", "log loss at 5"),
]
COST = [
    Measure("train_cpu_s", "training time"),
    Measure("train_over_data_mb", "training memory"),
    Measure("model_mb", "model size"),
    Measure("open_s", "opening"),
    Measure("resident_over_data_mb", "memory after 1,000 predictions"),
    Measure("batch_rows_per_cpu_s", "batches", True),
    Measure("single_p50_us", "one row, median"),
    Measure("single_p99_us", "one row, 99th percentile"),
]


def is_ours(system: Figures) -> bool:
    """Return whether a row is one of labeltree."""
    return system.get("package") == "labeltree"


def done(run: Figures) -> list[Figures]:
    """Return the systems of a run that have figures."""
    return [system for system in run["systems"] if system["status"] == "ok"]


def has_queries(run: Figures) -> bool:
    """Return whether the queries of the default were timed."""
    return any(s["system"] == OURS and "single_p50_us" in s for s in done(run))

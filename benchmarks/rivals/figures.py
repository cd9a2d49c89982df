"""The figures of a system: names, units, and which direction is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Figures = dict[str, Any]
OURS = "labeltree"  # the row of the default settings
NOISE = 0.1  # relative differences in time below this are within noise
POINTS = 0.1  # differences of shares below this are within noise, or below two standard errors
#: Packages whose batch time once included the construction of their queries.
_TIMED_WITH_LISTS = ("omikuji", "fasttext", "vowpalwabbit")


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


def is_timed_with_lists(system: Figures) -> bool:
    """Return whether the batch time of a system includes the construction of its queries."""
    return system["package"] in _TIMED_WITH_LISTS and system.get("batch_times") != "calls"


def done(run: Figures) -> list[Figures]:
    """Return the systems of a run that have figures."""
    return [system for system in run["systems"] if system["status"] == "ok"]


def best_known(run: Figures) -> list[Figures]:
    """Return the default of labeltree and the best-known systems, each with its largest model."""
    names = {system["system"]: system for system in done(run)}
    lines = [
        [OURS],
        ["omikuji, 3 trees (default)", "omikuji, 1 tree"],
        ["PECOS XR-Linear"],
        ["napkinXC PLT"],
    ]
    found = (next((names[name] for name in line if name in names), None) for line in lines)
    return [system for system in found if system is not None]

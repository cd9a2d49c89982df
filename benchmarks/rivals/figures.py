"""What is measured of a system: names, units, and which way is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

OURS = "labeltree"  # the line of the default settings
NOISE = 0.1  # differences of time below this share are within the noise of a machine


@dataclass(frozen=True)
class Measure:
    """One figure of a system.

    Parameters
    ----------
    key
        Its name in the results.
    name
        Its name in words.
    more_is_better
        Whether more is better.
    is_share
        Whether it is in percent, so that systems differ by points and not by a factor.
    """

    key: str
    name: str
    more_is_better: bool = False
    is_share: bool = False

    def lead(self, ours: dict[str, Any], theirs: dict[str, Any]) -> float | None:
        """Return the factor, or points, by which we are better; None where one is not known."""
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
]
COST = [
    Measure("train_cpu_s", "training CPU time"),
    Measure("train_over_data_mb", "training memory"),
    Measure("model_mb", "model size"),
    Measure("open_s", "opening"),
    Measure("resident_over_data_mb", "memory after 1,000 queries"),
    Measure("batch_rows_per_s", "batches on one thread", True),
    Measure("batch_rows_per_s_on_2", "batches on two threads", True),
    Measure("single_p50_us", "one row, p50"),
    Measure("single_p99_us", "one row, p99"),
]


def is_ours(system: dict[str, Any]) -> bool:
    """Whether a line is labeltree's."""
    return system.get("package") == "labeltree"


def done(run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the systems of a run that have figures."""
    return [system for system in run["systems"] if system["status"] == "ok"]

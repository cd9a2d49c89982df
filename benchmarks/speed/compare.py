"""Comparison of the times of two runs: changes beyond noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: Suffixes of the figures that are compared, and whether more is better.
_COMPARED = {"_mb_per_s": True, "_per_s": True, "seconds": False, "_s": False, "_us": False}
_SPREADS = ("_slowest", "_fastest")
NOISE = 0.15  # between two runs on a quiet machine


@dataclass(frozen=True)
class Change:
    """A figure before and now."""

    name: str
    before: float
    now: float
    more_is_better: bool
    noise: float

    @property
    def factor(self) -> float:
        """Speedup; below 1 if the kernel became slower."""
        return self.now / self.before if self.more_is_better else self.before / self.now

    @property
    def verdict(self) -> str:
        """Whether the change is beyond noise."""
        if self.factor < 1 / (1 + self.noise):
            return "SLOWER"
        return "faster" if self.factor > 1 + self.noise else "same"


def flat(figures: dict[str, Any], name: str = "") -> Iterator[tuple[str, float]]:
    """Yield all numbers by their path.

    Examples
    --------
    >>> list(flat({"huffman": {"seconds": 1.5}, "data": "topics"}))
    [('huffman seconds', 1.5)]
    """
    for key, value in figures.items():
        path = f"{name} {key}".strip()
        if isinstance(value, dict):
            yield from flat(value, path)
        elif isinstance(value, int | float):
            yield path, float(value)


def changes(before: dict[str, Any], now: dict[str, Any]) -> list[Change]:
    """Return the changes of the speed figures that both runs have."""
    old, new = dict(flat(before)), dict(flat(now))
    found = []
    for name in new:
        end = next((end for end in _COMPARED if name.endswith(end)), None)
        if end is None or name not in old or min(old[name], new[name]) <= 0:
            continue
        noise = NOISE + max(_spread(figures, name) for figures in (old, new))
        found.append(Change(name, old[name], new[name], _COMPARED[end], noise))
    return found


def _spread(figures: dict[str, float], name: str) -> float:
    """Return the spread of a figure within a run, relative to its median."""
    others = [figures[name + end] for end in _SPREADS if name + end in figures]
    return max((abs(other / figures[name] - 1) for other in others), default=0.0)


def comparison(before: dict[str, Any], now: dict[str, Any]) -> str:
    """Return the table, preceded by differences in machine and load."""
    old, new = before["machine"], now["machine"]
    lines = [f"against commit {old['commit']} (load average {old['load']}, now {new['load']})"]
    if old["processor"] != new["processor"]:
        lines.append(f"another processor: {old['processor']}, now {new['processor']}")
    rows = changes(before["results"], now["results"])
    width = max((len(change.name) for change in rows), default=0)
    lines.append(f"{'':{width}s} {'before':>14s} {'now':>14s} {'speed':>7s}  noise")
    lines += [
        f"{change.name:{width}s} {change.before:14,.6g} {change.now:14,.6g} "
        f"{change.factor:6.2f}×  {100 * change.noise:3.0f} %  {change.verdict}"
        for change in rows
    ]
    counts = [sum(change.verdict == v for change in rows) for v in ("SLOWER", "faster", "same")]
    lines.append("{} slower, {} faster, {} the same within noise".format(*counts))
    return "\n".join(lines)

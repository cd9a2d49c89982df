"""Repeated timing of a kernel."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Timed:
    """Seconds of each repeat."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median in seconds."""
        return statistics.median(self.seconds)

    def figures(self, name: str, digits: int = 4) -> dict[str, float]:
        """Return the median and the slowest repeat as figures with this name."""
        return {
            name: round(self.median, digits),
            f"{name}_slowest": round(max(self.seconds), digits),
        }


def timed(
    kernel: Callable[[], Result], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[Timed, Result]:
    """Run a kernel several times, and return its seconds and its last result."""
    seconds = []
    for _ in range(repeats):
        start = clock()
        result = kernel()
        seconds.append(clock() - start)
    return Timed(tuple(seconds)), result

"""The time of a fit on any number of workers, from the times of its jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.cluster.profile import Profile, Run
from labeltree.planning.cluster import makespan
from labeltree.training.solver_settings import SLICE_ENTRIES, SLICE_ROWS
from labeltree.trees.spread import MAX_TOP_ROWS

_MAX_SMALL_FIT = 400_000  # rows, above which small fits draw no more
_MAX_ENTRIES = 512  # of a label vector, of which the largest are used
_MAX_SLICES = 8


def run_seconds(run: Run, n_workers: int, per_job: float, factor: float = 1.0) -> float:
    """Return the seconds until all jobs are done: each goes to the first worker that is free.

    Parameters
    ----------
    run
        The jobs, in the order in which they are handed out.
    n_workers
        Number of workers.
    per_job
        Seconds that a job takes in addition, for its way to the worker and back.
    factor
        Factor of the times of the jobs and of opening.

    Examples
    --------
    >>> run_seconds(Run("training", 1.0, [2.0, 2.0, 2.0]), n_workers=2, per_job=0.0)
    5.0
    """
    jobs = (factor * seconds for seconds in run.jobs)
    return factor * run.opening + makespan(jobs, n_workers, per_job)


@dataclass(frozen=True)
class Growth:
    """A fit with more rows of the same kind: each part grows as it did from some rows to all.

    Small fits stop growing with their samples, and what depends on label vectors with these.

    Parameters
    ----------
    some, every
        Profiles of a share of the rows, and of all of them.
    """

    some: Profile
    every: Profile

    def factors(self, growth: float) -> Mapping[str, float]:
        """Return the factor of each part for so many times all rows, by a straight line."""
        share = self.some.n_rows / self.every.n_rows
        before, found = self.some.parts(), {}
        for part, seconds in self.every.parts().items():
            slope = max(seconds - before[part], 0.0) / (1 - share)
            rows = min(growth, self._most(part))
            found[part] = 1 + (rows - 1) * min(slope, seconds) / seconds if seconds else 1.0
        return found

    def _most(self, part: str) -> float:
        """Return up to how many times all rows a part grows."""
        if part in ("small fits", "checking"):
            return max(_MAX_SMALL_FIT / self.every.n_rows, 1.0)
        if part in ("dividing", "merging") and self.every.vector_entries:
            return max(_MAX_ENTRIES / self.every.vector_entries, 1.0)
        if part == "top":
            return max(MAX_TOP_ROWS / self.every.n_rows, 1.0)
        return float("inf")

    def n_slices(self, growth: float) -> int:
        """Return the slices of the rows of the root, as the trainer decides."""
        size = self.every.size
        by_entries = growth * size.n_entries / SLICE_ENTRIES
        by_rows = growth * self.every.n_rows / (SLICE_ROWS * max(size.n_features, 1))
        return max(int(min(by_entries, by_rows, _MAX_SLICES)), 1)

    def runs(self, growth: float) -> list[Run]:
        """Return the jobs of all rows. A slice takes its share of the time of all its rows."""
        *before, nodes = self.every.runs
        n_slices, first = self.n_slices(growth), self.every.n_workers
        last = first + self.every.size.n_root_packs
        sliced = [job / n_slices for job in nodes.jobs[first:last] for _ in range(n_slices)]
        jobs = [*nodes.jobs[:first], *sliced, *nodes.jobs[last:]]
        return [*before, Run(nodes.name, nodes.opening, jobs)]

    def total(self, growth: float) -> float:
        """Return the CPU seconds of a fit in one process."""
        factors = self.factors(growth)
        return sum(factors[part] * seconds for part, seconds in self.every.parts().items())

    def growth_to(self, seconds: float) -> float:
        """Return how many times all rows take these CPU seconds."""
        low, high = 1e-3, 1e9
        while high / low > 1.0001:
            middle = (low * high) ** 0.5
            low, high = (middle, high) if self.total(middle) < seconds else (low, middle)
        return high

    def seconds(
        self, n_workers: int, growth: float = 1.0, *, per_job: float = 0.0, start: float = 0.0
    ) -> float:
        """Return the seconds of a fit, of which a driver does what no worker can.

        The driver takes results and lays out weights while workers train. `start` is what the
        cluster takes to start workers.
        """
        factors, profile = self.factors(growth), self.every
        times = [
            run_seconds(run, n_workers, per_job, factors[profile.part_of(number)])
            for number, run in enumerate(self.runs(growth))
        ]
        spread = max(sum(times), factors["layout"] * profile.layout_seconds)
        own = profile.parts()
        alone = sum(factors[part] * own[part] for part in ("driver", "checking", "dividing", "top"))
        return start + alone + spread

    def efficiency(self, n_workers: int, seconds: float, per_job: float, start: float) -> float:
        """Return the speed per worker over one process that needs these CPU seconds."""
        growth = self.growth_to(seconds)
        spread = self.seconds(n_workers, growth, per_job=per_job, start=start)
        return seconds / spread / n_workers

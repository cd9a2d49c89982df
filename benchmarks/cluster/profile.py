"""The CPU seconds of all jobs of a fit, and of what is not a job."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import process_time, thread_time
from typing import Any
from unittest.mock import patch

from labeltree import PLTClassifier
from labeltree.estimators import classifiers
from labeltree.execution.mapped_arrays import ArrayFiles
from labeltree.training.nodes import PackTraining
from labeltree.training.settings_check import checked_settings
from labeltree.trees import spread


@dataclass
class Run:
    """The jobs that a fit hands out at one time; the next ones depend on their results."""

    name: str
    opening: float  # seconds until a worker is ready for its first job
    jobs: list[float]


#: Parts of a fit that grow differently with the number of rows.
PARTS = (
    "driver",
    "checking",
    "dividing",
    "top",
    "layout",
    "feature weights",
    "pairs",
    "scaling",
    "small fits",
    "label vectors",
    "merging",
    "nodes",
)
_PART_OF = {
    "_Affinity": "feature weights",
    "_Counting": "pairs",
    "_CountLengths": "scaling",
    "_Write": "scaling",
    "_LabelVectors": "label vectors",
    "_PartJoin": "merging",
}


@dataclass
class Size:
    """What decides about slices of the rows of the root."""

    n_entries: int = 0
    n_features: int = 0
    n_root_packs: int = 0  # of nodes under the root, which are the first jobs

    @classmethod
    def of(cls, training: PackTraining) -> Size:
        """Return the size of a training."""
        n_rows = training.trainer.n_rows()
        return cls(training.X.nnz, training.X.shape[1], int((n_rows == n_rows.max()).sum()))


@dataclass
class Profiled:
    """An executor that runs jobs in this process and measures them.

    Jobs have the sizes that they have with `n_workers` workers.
    """

    n_workers: int
    n_threads: int = 1
    work_dir: Path | None = None  # of temporary files
    runs: list[Run] = field(default_factory=list)
    measuring: float = 0.0  # seconds that the fit would not have taken
    handling: float = 0.0  # seconds that the driver takes for results, while workers go on
    size: Size = field(default_factory=Size)  # of the last training

    @property
    def seconds(self) -> float:
        """Seconds of all jobs so far, of measuring them and of handling their results."""
        return self.measuring + self.handling + sum(sum(run.jobs) for run in self.runs)

    def run(self, work: Callable[[Any], Any], jobs: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the number of each job and its result, in order."""
        run = Run(type(work).__name__, 0.0, [])
        self.runs.append(run)
        job: Any = None
        for number, job in enumerate(jobs):
            start = process_time()
            result = work(job)
            run.jobs.append(round(process_time() - start, 5))
            given = thread_time()
            yield number, result
            self.handling += thread_time() - given
        start = process_time()
        if isinstance(work, PackTraining):
            self.size = Size.of(work)
        self.measuring += process_time() - start
        if run.jobs:
            run.opening = self._opening(work, job, run.jobs[-1])

    def _opening(self, work: Callable[[Any], Any], job: Any, seconds: float) -> float:
        """Return how much longer the last job takes in a process that does not have the work."""
        start = process_time()
        files = ArrayFiles()
        pickled = files.dumps(work)
        opened = process_time()
        pickle.loads(pickled.content)(job)
        took = process_time() - opened
        files.close()
        self.measuring += process_time() - start
        return max(took - seconds, 0.0)


@dataclass
class Profile:
    """A fit as the simulation needs it."""

    name: str
    n_rows: int
    n_labels: int
    n_workers: int  # for which jobs were made
    driver_seconds: float  # what no worker does, while workers wait
    layout_seconds: float  # what the driver does with results, while workers go on
    runs: list[Run]
    checking_seconds: float = 0.0  # of the driver, for the small fits that choose settings
    dividing_seconds: float = 0.0  # of the driver, to divide labels into parts
    top_seconds: float = 0.0  # of the driver, to join the clusters of all parts
    vector_entries: float = 0.0  # mean of a label vector; 0 if unknown
    size: Size = field(default_factory=Size)

    @property
    def total(self) -> float:
        """CPU seconds of the fit."""
        return sum(self.parts().values())

    def part_of(self, number: int) -> str:
        """Return the part of the fit that a run belongs to; nodes are trained last."""
        name = "nodes" if number == len(self.runs) - 1 else "small fits"
        return _PART_OF.get(self.runs[number].name, name)

    def parts(self) -> dict[str, float]:
        """Return the CPU seconds of each part."""
        found = dict.fromkeys(PARTS, 0.0)
        found |= {"driver": self.driver_seconds, "layout": self.layout_seconds}
        found |= {"checking": self.checking_seconds, "dividing": self.dividing_seconds}
        found["top"] = self.top_seconds
        for number, run in enumerate(self.runs):
            found[self.part_of(number)] += sum(run.jobs)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Profile:
        """Return what `to_dict` was called on."""
        runs, size = [Run(**run) for run in values["runs"]], Size(**values["size"])
        return cls(**{**values, "runs": runs, "size": size})


@dataclass
class Timed:
    """A function that measures what it takes on the driver, without its jobs."""

    function: Callable[..., Any]
    executor: Profiled
    seconds: float = 0.0
    result: Any = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function."""
        start, jobs = thread_time(), self.executor.seconds
        self.result = self.function(*arguments, **options)
        self.seconds += thread_time() - start - (self.executor.seconds - jobs)
        return self.result


def profile(name: str, X: Any, Y: Any, n_workers: int, **options: Any) -> Profile:
    """Fit in this process, with jobs as for some workers, and return their times."""
    executor = Profiled(n_workers)
    checking = Timed(checked_settings, executor)
    dividing = Timed(spread.blend_on, executor)
    top = Timed(spread.join_top, executor)
    vectors = Timed(spread.short_label_vectors, executor)
    with ExitStack() as stack:
        stack.enter_context(patch.object(classifiers, "checked_settings", checking))
        stack.enter_context(patch.object(spread, "blend_on", dividing))
        stack.enter_context(patch.object(spread, "join_top", top))
        stack.enter_context(patch.object(spread, "short_label_vectors", vectors))
        start, thread_start = process_time(), thread_time()
        PLTClassifier(executor=executor, n_jobs=1, **options).fit(X, Y)
        of_thread = thread_time() - thread_start
        layout = process_time() - start - of_thread + executor.handling
    own = of_thread - executor.seconds - checking.seconds - dividing.seconds
    entries = vectors.result[0][-1] / Y.n_labels if vectors.result else 0.0
    sizes = X.shape[0], Y.n_labels, n_workers
    of_driver = checking.seconds, dividing.seconds - top.seconds, top.seconds, float(entries)
    return Profile(name, *sizes, own, layout, executor.runs, *of_driver, executor.size)

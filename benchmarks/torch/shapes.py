"""Estimated times of the shapes of trees beside their measured times."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from benchmarks.torch.draws import N_FEATURES, N_ROWS
from benchmarks.torch.steps import PER_ROW
from benchmarks.torch.timing import Recorder
from labeltree.torch import StepCosts, measure_costs, plan
from labeltree.torch.costs import Batch, Work
from labeltree.torch.measuring import Trial, step_time
from labeltree.torch.timing import Timer

#: Title, labels per row (None for one class) and method of the fused optimizer (None for dense).
CASES: list[tuple[str, int | None, str | None]] = [
    ("adagrad", None, "adagrad"),
    ("dense", None, None),
    ("labels", PER_ROW, None),
]
MOST_MEASURED = 7  # shapes of each plan
N_LABELS = (60160, 1000000)


def estimates(
    recorder: Recorder, timer: Timer, labels_per_row: int | None, method: str | None
) -> None:
    """Record the costs of the device, then plans, and how far their estimates are off."""
    what = {"labels_per_row": labels_per_row, "method": method}
    begin = time.perf_counter()
    costs = measure_costs(N_FEATURES, n_rows=N_ROWS, **what)  # type: ignore[arg-type]
    recorder.add(what="costs", **what, seconds=time.perf_counter() - begin, costs=vars(costs))
    for n_labels in N_LABELS:
        counts = 1e9 / (np.arange(n_labels) + 2.7)
        found = plan(counts, N_FEATURES, n_rows=N_ROWS, labels_per_row=labels_per_row, costs=costs)
        recorder.add(what="plan", **what, n_labels=n_labels, best=found.best._asdict())
        print(found, flush=True)
        places = np.linspace(0, len(found.rows) - 1, MOST_MEASURED).astype(int)
        shapes = [found.best, *(found.rows[i].shape for i in places)]
        for shape in dict.fromkeys(shapes):
            _compare(recorder, timer, costs, Trial(n_labels, shape, True), what)


def _compare(
    recorder: Recorder, timer: Timer, costs: StepCosts, trial: Trial, what: dict[str, Any]
) -> None:
    batch = Batch(N_ROWS, N_FEATURES, what["labels_per_row"] or 1.0)
    estimated = costs.of_step(Work.of(trial.shape, trial.probabilities(), batch))
    device = torch.device("cuda")
    measured = step_time(trial, batch, what["labels_per_row"], what["method"], device, timer)
    recorder.add(
        what="estimate",
        **what,
        n_labels=trial.n_labels,
        **trial.shape._asdict(),
        estimated=estimated / N_ROWS,
        measured=measured / N_ROWS,
        error=estimated / measured - 1,
    )
    torch.cuda.empty_cache()

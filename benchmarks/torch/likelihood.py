"""Likelihood on debian-files: every layer on the same encoder, 100,000 training rows held out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.torch.data import load
from benchmarks.torch.draws import N_ROWS
from benchmarks.torch.layers import AdaptiveSoftmax, FullSoftmax, OneVersusAllClasses
from benchmarks.torch.search import exactness
from benchmarks.torch.timing import Recorder
from benchmarks.torch.training import N_DIMENSIONS, Plan, Run, likelihood, timed
from labeltree.torch import TreeSoftmax, measure_costs
from labeltree.torch import plan as planned
from labeltree.torch.rows import Features, Targets
from labeltree.torch.timing import Timer

N_HELD_OUT = 100_000
TWO_TREES = {"n_trees": 2, "group_size": 32, "n_prototypes": 5, "head_lr": 0.01}
FULL, TREE, TWO = "full softmax", "tree, 8 prototypes", "two trees, groups of 32, 5 prototypes"
PLANS = (
    Plan(FULL),
    Plan(f"{FULL}, lr .001", lr=1e-3),
    Plan("adaptive softmax", lr=2e-3),
    Plan("adaptive softmax, lr .004", lr=4e-3),
    Plan("adaptive softmax, lr .006", lr=6e-3),
    Plan("tree, 1 prototype", n_prototypes=1),
    Plan("tree, 4 prototypes", n_prototypes=4),
    Plan(TREE),
    Plan("tree, groups of 32, 4 prototypes", group_size=32, n_prototypes=4),
    Plan(TWO, **TWO_TREES),  # type: ignore[arg-type]
)
#: Trained with several seeds.
CHOSEN = {FULL, TREE, TWO}
SEEDS = (1, 2, 3)
#: Whole trainings of different lengths, to find the time to the accuracy of a full softmax.
LENGTHS = (
    *(Plan(FULL, n_epochs=n) for n in (2, 3, 4, 6)),
    *(Plan("adaptive softmax, lr .004", lr=4e-3, n_epochs=n) for n in (6, 12)),
    Plan("one versus all", n_epochs=6),
    *(Plan("tree, 16 prototypes", n_prototypes=16, n_epochs=n, head_lr=0.01) for n in (6, 8, 10)),
    *(Plan("tree, 32 prototypes", n_prototypes=32, n_epochs=n, head_lr=0.01) for n in (4, 6, 8)),
    *(Plan(TWO, n_epochs=n, **TWO_TREES) for n in (6, 8)),  # type: ignore[arg-type]
)
#: Microseconds per row that planned trees may take; None for twice the fastest.
LIMITS = (None, 0.04, 0.08, 0.16)


class Held:
    """Training rows and held-out rows of debian-files."""

    def __init__(self, folder: Path) -> None:
        X, Y = load(folder, "debian-files", "trn")
        classes = Y.indices.astype(np.int64)
        order = torch.randperm(len(classes), generator=torch.Generator().manual_seed(2026)).numpy()
        held, rest = order[:N_HELD_OUT], order[N_HELD_OUT:]
        self.X, self.classes = X[held], classes[held]
        self.features = Features(X[rest], "cuda")
        self.targets = Targets(classes[rest], "cuda")
        self.targets.extend(int(classes.max()) + 1)


def compare_lengths(recorder: Recorder, timer: Timer, folder: Path, *, quick: bool) -> None:
    """Train for different numbers of epochs, and record accuracy and seconds."""
    held = Held(folder)
    for plan in LENGTHS[:1] if quick else LENGTHS:
        recorder.part(plan.name, partial(_one, recorder, timer, held, plan, SEEDS[0]))


def compare(recorder: Recorder, timer: Timer, folder: Path, *, quick: bool) -> None:
    """Train every plan, and record likelihood, accuracy and seconds."""
    held = Held(folder)
    for plan in PLANS[:1] if quick else PLANS:
        for seed in SEEDS if plan.name in CHOSEN else SEEDS[:1]:
            recorder.part(plan.name, partial(_one, recorder, timer, held, plan, seed))


def compare_planned(recorder: Recorder, timer: Timer, folder: Path, *, quick: bool) -> None:
    """Train the trees that are planned for this device, and one with and without CUDA graphs."""
    held = Held(folder)
    costs = measure_costs(N_DIMENSIONS)
    for limit in LIMITS[:1] if quick else LIMITS:
        found = planned(held.targets.counts, N_DIMENSIONS, costs=costs, max_us_per_row=limit)
        row = next(row for row in found.rows if row.shape == found.best)
        recorder.add(what="planned", limit=limit, **row._asdict())
        plan = Plan(f"tree within {limit} us", **row.shape._asdict())
        recorder.part(plan.name, partial(_one, recorder, timer, held, plan, SEEDS[0]))
    for plan in (Plan(TREE), Plan(f"{TREE}, graphs", graphs=True)):
        recorder.part(plan.name, partial(_one, recorder, timer, held, plan, SEEDS[0]))


def _one(recorder: Recorder, timer: Timer, held: Held, plan: Plan, seed: int) -> None:
    if "tree" in plan.name:
        Run(plan, held.features, held.targets, seed).warm_up()
    run = Run(plan, held.features, held.targets, seed)
    heads, seconds = timed(lambda: _trained(run, held))
    found = likelihood(run.encoder, heads, held.X, held.classes)
    if len(heads) == 1 and isinstance(heads[0], TreeSoftmax):
        with torch.no_grad():
            x = run.encoder(*Features(held.X[:N_ROWS], "cuda").part(0, N_ROWS))
        exactness(recorder, timer, plan.name, heads[0], x)
    n_steps = run.step + (plan.tree_epochs * run.n_steps if plan.fresh else 0)
    recorder.add(
        what="debian-files",
        plan=plan.name,
        n_epochs=plan.n_epochs,
        head_lr=plan.head_lr,
        seed=seed,
        seconds=seconds,
        ms_step=1e3 * seconds / n_steps,
        **found,
    )


def _trained(run: Run, held: Held) -> list[Any]:
    if run.plan.name.startswith("full"):
        return [run.dense(FullSoftmax(N_DIMENSIONS, held.targets.n_labels).cuda())]
    if run.plan.name.startswith("one"):
        return [run.dense(OneVersusAllClasses(N_DIMENSIONS, held.targets.n_labels, -8.0).cuda())]
    if run.plan.name.startswith("adaptive"):
        counts = torch.from_numpy(held.targets.counts)
        return [run.dense(AdaptiveSoftmax(N_DIMENSIONS, counts, [2000, 10000], 2.0).cuda())]
    return run.tree()

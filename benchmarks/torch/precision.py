"""Precision on yso-finna-en: a tree and one sigmoid per label, on the same encoder.

The learning rate of the tree is chosen on held-out training rows.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.torch.data import load
from benchmarks.torch.layers import OneVersusAll
from benchmarks.torch.timing import Recorder
from benchmarks.torch.training import N_DIMENSIONS, Plan, Run, precision, timed
from labeltree.torch.rows import Features, Targets
from labeltree.torch.timing import Timer

N_EPOCHS = 15
RATES = (0.005, 0.01, 0.02)
SEEDS = (1, 2, 3)
HELD_SHARE = 0.1


def compare(recorder: Recorder, _: Timer, folder: Path, *, quick: bool) -> None:
    """Choose the rate, train with several seeds, and record precision and seconds."""
    X, Y = load(folder, "yso-finna-en", "trn")
    order = np.random.default_rng(2026).permutation(X.shape[0])
    held, rest = np.split(order, [int(HELD_SHARE * len(order))])
    inner = Features(X[rest], "cuda"), Targets(Y[rest], "cuda"), (X[held], Y[held])
    found: dict[float, float] = {}
    for rate in RATES[:1] if quick else RATES:
        plan = Plan("tree", n_epochs=N_EPOCHS, head_lr=rate)
        recorder.part(
            "choice", partial(_one, recorder, "yso-finna-en held out", inner, plan, 1, found)
        )
    best = max(found, key=found.__getitem__)
    plans = (
        Plan("one versus all", n_epochs=N_EPOCHS),
        Plan("tree", n_epochs=N_EPOCHS, head_lr=best),
    )
    whole = Features(X, "cuda"), Targets(Y, "cuda"), load(folder, "yso-finna-en", "tst")
    for plan in plans:
        for seed in SEEDS[:1] if quick else SEEDS:
            recorder.part(plan.name, partial(_one, recorder, "yso-finna-en", whole, plan, seed, {}))


def _one(
    recorder: Recorder, what: str, rows: Any, plan: Plan, seed: int, found: dict[float, float]
) -> None:
    features, targets, held = rows
    if plan.name == "tree":
        Run(plan, features, targets, seed).warm_up()
    run = Run(plan, features, targets, seed)

    def train() -> Any:
        if plan.name == "one versus all":
            return run.dense(OneVersusAll(N_DIMENSIONS, targets.n_labels, -8.0).cuda())
        return run.tree()[0]

    head, seconds = timed(train)
    reached = precision(run.encoder, head, *held)
    steps, last = run.step, timed(lambda: run.train([head], 1, plan.n_epochs))[1]
    found[plan.head_lr] = sum(reached.values())
    recorder.add(
        what=what,
        plan=plan.name,
        head_lr=plan.head_lr,
        seed=seed,
        seconds=seconds,
        ms_step=1e3 * seconds / steps,
        ms_step_without_trees=1e3 * last / run.n_steps,
        **reached,
    )

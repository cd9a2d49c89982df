"""Speedup of two threads over one for the default model, on an idle machine: best of three."""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages.places import Place, Record, Values
from benchmarks.rows import read_rows
from labeltree import PLTClassifier
from labeltree.data import LabelRows
from labeltree.training.nodes import train_tree
from labeltree.training.solver_settings import SolverSettings

REPEATS = 3
N_THREADS = (1, 2)


RUNS = {"tib-gnd": "DATA/tib-gnd"}
MINUTES = 1.7
MINUTES_FROM = "CPU times in results"
NEEDS = ("two cores",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("folder", type=Path)


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield wall seconds of the whole fit, and of training alone over the tree it built."""
    taken = wall_seconds(*read_rows(asked.folder))
    best = {name: round(min(seconds), 2) for name, seconds in taken.items()}
    speedups = {
        f"{what}_speedup": round(best[f"{what}_wall_s_1"] / best[f"{what}_wall_s_2"], 2)
        for what in ("fit", "train")
    }
    every = {name: [round(s, 2) for s in seconds] for name, seconds in taken.items()}
    yield {"data": asked.folder.name, **best, "all": every, **speedups}


def wall_seconds(X: Any, Y: LabelRows) -> dict[str, list[float]]:
    """Return the seconds of all repeats, after checking that threads do not change the weights."""
    models = {}
    taken: dict[str, list[float]] = defaultdict(list)
    for n in N_THREADS * REPEATS:
        start = time.perf_counter()
        models[n] = PLTClassifier(n_jobs=n).fit(X, Y)
        taken[f"fit_wall_s_{n}"].append(time.perf_counter() - start)
        scaled = models[n]._query(X)
        start = time.perf_counter()
        train_tree(models[n].tree_, scaled, Y, SolverSettings(), n_threads=n)
        taken[f"train_wall_s_{n}"].append(time.perf_counter() - start)
    layouts = [models[n].model_.native("layouts").layouts[0] for n in N_THREADS]
    for one, other in zip(*layouts, strict=True):
        np.testing.assert_array_equal(one, other)
    return taken


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the speedups."""
    for record in records:
        for what in ("fit", "train"):
            name = f"threads.{record['data']}.{what}_speedup"
            yield Values({name: f"{record[f'{what}_speedup']:.1f}"})

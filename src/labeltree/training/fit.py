"""Fitting a forest to checked rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import reduce
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from labeltree import cost
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.model.calibration import fixed_calibration
from labeltree.model.interface import LabelModel
from labeltree.model.model import Model
from labeltree.progress import Progress
from labeltree.threads import n_threads
from labeltree.training.checkpoint import Checkpoint, fingerprint
from labeltree.training.feature_weighting import Powers
from labeltree.training.forest import ForestSettings, Sample, has_root
from labeltree.training.memory import peak_memory
from labeltree.training.nodes import NO_WARM_START, SolverSettings, WarmStart, train_nodes
from labeltree.training.parts import SolverCounts
from labeltree.trees import LabelTree
from labeltree.units import format_bytes, format_seconds


@dataclass(frozen=True)
class FitSettings:
    """All settings of a fit."""

    forest: ForestSettings
    solver: SolverSettings
    max_memory: float | None = None  # bytes
    checkpoint_dir: Path | None = None
    n_jobs: int | None = None
    warm_start: tuple[WarmStart, ...] = ()  # initial weights of each tree
    feature_weighting: Powers | None = None  # None to estimate the exponents


@dataclass(frozen=True)
class FitReport:
    """Times and memory of one fit; `print` shows them."""

    tree_seconds: float  #: building the trees
    training_seconds: float  #: training their nodes
    peak_memory: int  #: maximum bytes the process has held so far, X and Y included

    def __str__(self) -> str:
        return (
            f"trees {format_seconds(self.tree_seconds)}, "
            f"training {format_seconds(self.training_seconds)}, "
            f"peak memory {format_bytes(self.peak_memory)}"
        )


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained forest and its training costs."""

    model: LabelModel
    training_cost: int  # (row, node) pairs over all trees
    counts: SolverCounts
    report: FitReport


def fit_forest(
    X: FeatureMatrix,
    rows: LabelRows,
    settings: FitSettings,
    *,
    weight: NDArray[np.float32] | None = None,
    progress: Progress | None = None,
) -> Fitted:
    """Return a forest trained on these rows."""
    report = progress or (lambda done, total, name: None)
    report(0.0, 0.0, "building trees")
    began = perf_counter()
    samples = settings.forest.samples(rows, weight)
    trees = settings.forest.grow(X, samples, n_jobs=settings.n_jobs)
    grown = perf_counter()
    report(1.0, 1.0, "building trees")
    checkpoint = None
    if settings.checkpoint_dir is not None:
        key = fingerprint(_fingerprinted(X, trees, samples, settings))
        checkpoint = Checkpoint(settings.checkpoint_dir, key)
    trained = [
        train_nodes(
            tree,
            X,
            sample.rows,
            replace(settings.solver, seed=sample.seed),
            sample_weight=sample.weight,
            n_threads=n_threads(settings.n_jobs),
            max_memory=settings.max_memory,
            progress=_of_tree(progress, t, len(trees)),
            store=None if checkpoint is None else checkpoint.tree(t),
            warm_start=settings.warm_start[t] if settings.warm_start else NO_WARM_START,
        )
        for t, (tree, sample) in enumerate(zip(trees, samples, strict=True))
    ]
    loss = settings.solver.loss
    model = Model(
        trees,
        [one.layout for one in trained],
        loss,
        X.shape[1],
        has_root(rows, weight) or any(before.has_root for before in settings.warm_start),
        calibration=fixed_calibration(loss, rows.kind),
    )
    if checkpoint is not None:
        checkpoint.remove()
    times = FitReport(grown - began, perf_counter() - grown, peak_memory())
    counts = reduce(SolverCounts.plus, (one.counts for one in trained))
    return Fitted(model, training_cost(trees, samples), counts, times)


def training_cost(trees: list[LabelTree], samples: list[Sample]) -> int:
    """Return the (row, node) pairs of all trees; rows not drawn for a tree cost 1, for its root."""
    pairs = zip(trees, samples, strict=True)
    return sum(cost.training_cost(tree, sample.rows) for tree, sample in pairs)


def _of_tree(progress: Progress | None, number: int, n_trees: int) -> Progress | None:
    """Return a callback that reports the progress of one tree as a share of all trees."""
    if progress is None or n_trees == 1:
        return progress
    name = f"training {n_trees} trees"
    # The costs of other trees are not known yet, so all trees count the same.
    return lambda done, total, _: progress(number + (done / total if total else 1), n_trees, name)


def _fingerprinted(
    X: FeatureMatrix, trees: list[LabelTree], samples: list[Sample], settings: FitSettings
) -> Iterator[object]:
    """Yield what the weights depend on; also the version, as others may pack nodes differently."""
    yield version("labeltree")
    yield from (X.shape, X.indptr.astype(np.int64, copy=False), X.indices, X.data)
    yield asdict(settings.solver)
    for warm_start in settings.warm_start:
        yield from (*warm_start.weights, warm_start.is_known, warm_start.rows_before)
    for tree, sample in zip(trees, samples, strict=True):
        yield from (tree.parent, tree.label)
        yield from (sample.rows.indptr, sample.rows.indices, sample.weight, sample.seed)

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
from labeltree.data.labels import Kind
from labeltree.model.calibration import ONE, Calibration, fixed_calibration, sibling_sums
from labeltree.model.interface import LabelModel
from labeltree.model.model import Model
from labeltree.progress import Progress
from labeltree.threads import n_threads
from labeltree.training.checkpoint import Checkpoint, fingerprint
from labeltree.training.feature_weighting import Powers
from labeltree.training.forest import ForestSettings, Sample, all_rows, has_root
from labeltree.training.inner_split import HeldRows, draw_held
from labeltree.training.memory import peak_memory
from labeltree.training.nodes import (
    MAX_ITER_HELD,
    NO_WARM_START,
    SolverSettings,
    WarmStart,
    train_nodes,
)
from labeltree.training.parts import PartStore, SolverCounts
from labeltree.training.ranker_choice import DEFAULT_CHOICE, HeldBack, RankerChoice, RankerTrials
from labeltree.training.rankers import train_rankers
from labeltree.training.slope_factors import slope_factors
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
    normalize: bool = True  # whether rows are scaled
    feature_weighting: Powers | None = None  # None to estimate the exponents
    normalize_proba: bool | str = "auto"  # see `sibling_sums`
    validation_fraction: float | str | None = None  # of the rows; see `draw_held`
    auto_iter: bool = False  # whether max_iter follows from the rows
    auto_c: bool = False  # whether small fits may change C
    rerank: bool | str = False  # whether to train rankers; "auto" asks held-back rows

    def fraction(self, kind: Kind) -> float | str | None:
        """Return the share of the rows to hold back.

        None are if there is a single pass to learn from them, or if probabilities sum to 1, which a
        curve would change.
        """
        is_divided = sibling_sums(self.normalize_proba, kind) == ONE
        return None if is_divided or self.solver.max_iter < 2 else self.validation_fraction

    def solver_of(self, held: NDArray[np.int32]) -> SolverSettings:
        """Return the settings of the solver for a fit that holds these rows back."""
        if not self.auto_iter or not len(held):
            return self.solver
        return replace(self.solver, max_iter=MAX_ITER_HELD)


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
    held: HeldRows | None = None


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
    held = draw_held(rows, weight, settings.fraction(rows.kind), settings.forest.seed)
    solver = settings.solver_of(held)
    checkpoint = None
    if settings.checkpoint_dir is not None:
        key = fingerprint(_fingerprinted(X, trees, samples, settings, held))
        checkpoint = Checkpoint(settings.checkpoint_dir, key)
    trained = [
        train_nodes(
            tree,
            X,
            sample.rows,
            replace(solver, seed=sample.seed),
            sample_weight=sample.weight,
            n_threads=n_threads(settings.n_jobs),
            max_memory=settings.max_memory,
            progress=_of_tree(progress, t, len(trees)),
            store=None if checkpoint is None else checkpoint.tree(t),
            warm_start=settings.warm_start[t] if settings.warm_start else NO_WARM_START,
            held=held,
        )
        for t, (tree, sample) in enumerate(zip(trees, samples, strict=True))
    ]
    model = Model(
        trees,
        [one.layout for one in trained],
        solver.loss,
        X.shape[1],
        has_root(rows, weight) or any(before.has_root for before in settings.warm_start),
        calibration=_calibration(trees, samples, rows.kind, settings),
    )
    known = None
    if len(held):
        known = HeldRows(held, model, [one.held for one in trained if one.held is not None])
    if settings.rerank:
        store = None if checkpoint is None else checkpoint.tree(len(trees))
        model, known = _with_rankers(model, X, rows, weight, settings, known, store, progress)
    if checkpoint is not None:
        checkpoint.remove()
    times = FitReport(grown - began, perf_counter() - grown, peak_memory())
    counts = reduce(SolverCounts.plus, (one.counts for one in trained))
    return Fitted(model, training_cost(trees, samples), counts, times, known)


def _calibration(
    trees: list[LabelTree], samples: list[Sample], kind: str, settings: FitSettings
) -> Calibration:
    """Return the calibration of a model without held-back rows."""
    loss = settings.solver.loss
    factors = None
    if loss == "squared_hinge":
        factors = slope_factors(trees, samples, settings.warm_start)
    return fixed_calibration(loss, kind, sibling_sums(settings.normalize_proba, kind), factors)


def _with_rankers(
    model: Model,
    X: FeatureMatrix,
    rows: LabelRows,
    weight: NDArray[np.float32] | None,
    settings: FitSettings,
    held: HeldRows | None,
    store: PartStore | None,
    progress: Progress | None,
) -> tuple[Model, HeldRows | None]:
    """Return the model with rankers, or without if held-back rows do not gain from them."""
    if held is None and settings.rerank == "auto":
        return model, None
    choice, every = DEFAULT_CHOICE, all_rows(rows, weight, settings.forest.seed)
    if held is not None:
        trying = _named(progress, "trying rankers")
        tried = _tried_rankers(X, rows, weight, settings, held.rows, trying)
        if tried is None:
            return model, held
        choice, held = tried
    rankers = train_rankers(
        model,
        X,
        every.rows,
        choice.applied(replace(settings.solver, seed=every.seed)),
        sample_weight=every.weight,
        n_threads=n_threads(settings.n_jobs),
        max_memory=settings.max_memory,
        progress=_named(progress, "training rankers"),
        store=store,
    )
    before = model.calibration
    fixed = fixed_calibration(
        model.link, rows.kind, before.siblings, before.factors, has_rankers=True
    )
    return model.with_rankers(replace(rankers, link=choice.link)).calibrated(fixed), held


def _tried_rankers(
    X: FeatureMatrix,
    rows: LabelRows,
    weight: NDArray[np.float32] | None,
    settings: FitSettings,
    held: NDArray[np.int32],
    progress: Progress | None,
) -> tuple[RankerChoice, HeldRows] | None:
    """Return settings of rankers, and a model with such rankers that has not seen some rows."""
    # Rows with a weight of 0 are ignored, so that X need not be copied.
    rest = np.ones(rows.n_rows, np.float32) if weight is None else weight.copy()
    rest[held] = 0
    inner = replace(settings, rerank=False, checkpoint_dir=None, validation_fraction=None)
    model = fit_forest(X, rows, inner, weight=rest, progress=progress).model.native("rerank")
    others = all_rows(rows, rest, settings.forest.seed)
    trials = RankerTrials(
        model,
        X,
        others.rows,
        HeldBack(X[held], rows.select(held)),
        sample_weight=others.weight,
        n_threads=n_threads(settings.n_jobs),
        max_memory=settings.max_memory,
    )
    solver = replace(settings.solver, seed=others.seed)
    if settings.rerank == "auto":
        chosen = trials.choose(solver)
    else:
        chosen = DEFAULT_CHOICE, trials.train(solver, DEFAULT_CHOICE)
    if chosen is None:
        return None
    choice, rankers = chosen
    return choice, HeldRows(held, model.with_rankers(rankers), ())


def training_cost(trees: list[LabelTree], samples: list[Sample]) -> int:
    """Return the (row, node) pairs of all trees; rows not drawn for a tree cost 1, for its root."""
    pairs = zip(trees, samples, strict=True)
    return sum(cost.training_cost(tree, sample.rows) for tree, sample in pairs)


def _named(progress: Progress | None, name: str) -> Progress | None:
    return None if progress is None else lambda done, total, _: progress(done, total, name)


def _of_tree(progress: Progress | None, number: int, n_trees: int) -> Progress | None:
    """Return a callback that reports the progress of one tree as a share of all trees."""
    if progress is None or n_trees == 1:
        return progress
    name = f"training {n_trees} trees"
    # The costs of other trees are not known yet, so all trees count the same.
    return lambda done, total, _: progress(number + (done / total if total else 1), n_trees, name)


def _fingerprinted(
    X: FeatureMatrix,
    trees: list[LabelTree],
    samples: list[Sample],
    settings: FitSettings,
    held: NDArray[np.int32],
) -> Iterator[object]:
    """Yield what the weights depend on; also the version, as others may pack nodes differently."""
    yield version("labeltree")
    yield from (X.shape, X.indptr.astype(np.int64, copy=False), X.indices, X.data)
    yield asdict(settings.solver)
    yield held
    yield settings.rerank
    for warm_start in settings.warm_start:
        yield from (*warm_start.weights, warm_start.is_known, warm_start.rows_before)
    for tree, sample in zip(trees, samples, strict=True):
        yield from (tree.parent, tree.label)
        yield from (sample.rows.indptr, sample.rows.indices, sample.weight, sample.seed)

"""Fitting a forest to checked rows."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, reduce
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from labeltree import cost
from labeltree.cost.training import cost_of_weights
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix, csr_arrays
from labeltree.data.labels import Kind
from labeltree.execution import Executor, Threads
from labeltree.model.calibration import ONE, Calibration, fixed_calibration, sibling_sums
from labeltree.model.interface import LabelModel
from labeltree.model.model import Model
from labeltree.model.subforest import subforest
from labeltree.progress import Progress
from labeltree.threads import n_threads
from labeltree.training.checkpoint import Checkpoint, fingerprint
from labeltree.training.feature_weighting import Powers
from labeltree.training.forest import ForestSettings, Sample, has_root
from labeltree.training.held_back import HeldBack
from labeltree.training.implied_labels import add_implications
from labeltree.training.inner_split import HeldRows, draw_held
from labeltree.training.interactions import NO_INTERACTIONS, Interactions
from labeltree.training.memory import peak_memory
from labeltree.training.nodes import TrainedNodes, train_nodes
from labeltree.training.parts import SolverCounts
from labeltree.training.rankers import RANKER_ITER
from labeltree.training.second_stage import SecondStage
from labeltree.training.slope_factors import slope_factors
from labeltree.training.solver_settings import MAX_ITER_HELD, SolverSettings
from labeltree.training.starting_weights import NO_WARM_START, WarmStart
from labeltree.training.tree_choice import chosen_trees
from labeltree.trees import LabelTree
from labeltree.units import format_bytes, format_seconds

#: Mean features per row, pairs included, up to which models with pairs have 8-bit weights
#: (docs/explanation/study-interactions.md).
SHORT_ROW = 80


@dataclass(frozen=True)
class FitSettings:
    """All settings of a fit."""

    forest: ForestSettings
    solver: SolverSettings
    max_memory: float | None = None  # bytes
    checkpoint_dir: Path | None = None
    n_jobs: int | None = None
    executor: Executor = field(default_factory=Threads)
    warm_start: tuple[WarmStart, ...] = ()  # initial weights of each tree
    normalize: bool = True  # whether rows are scaled
    feature_weighting: Powers | None = None  # None to estimate the exponents
    interactions: Interactions = NO_INTERACTIONS  # pairs of features that rows get
    normalize_proba: bool | str = "auto"  # see `sibling_sums`
    validation_fraction: float | str | None = None  # of the rows; see `draw_held`
    n_unheld: int = 0  # rows at the end that are learned from, but never held back
    auto_iter: bool = False  # whether max_iter follows from the rows
    auto_c: bool = False  # whether small fits may change C
    weighs_labels: bool = False  # whether held-back rows choose the weights of labels
    rerank: bool | str = False  # whether to train rankers; "auto" asks held-back rows
    implications: bool | str = False  # whether labels may imply others; as `rerank`
    # More trees are trained if there are no rankers, and kept if held-back rows gain from them.
    n_sure: int | None = None

    def fraction(self, kind: Kind) -> float | str | None:
        """Return the share of the rows to hold back.

        None are if there is a single pass to learn from them, or if nothing is learned from them:
        a curve would change probabilities that sum to 1.
        """
        has_curve = sibling_sums(self.normalize_proba, kind) != ONE
        is_used = (has_curve or self.weighs_labels) and self.solver.max_iter >= 2
        return self.validation_fraction if is_used else None

    def held(self, rows: LabelRows, weight: NDArray[np.float32] | None) -> NDArray[np.int32]:
        """Return the rows that are held back."""
        fraction = self.fraction(rows.kind)
        return draw_held(rows, weight, fraction, self.forest.seed, self.n_unheld)

    def with_pairs(self, n_pairs: int, X: FeatureMatrix) -> FitSettings:
        """Return the settings for rows whose last features are this many pairs of others.

        If such rows are short, weights have 8 bits instead of 16: their errors hardly add up.
        """
        is_short = n_pairs > 0 and X.nnz <= SHORT_ROW * X.shape[0]
        weight_bytes = 1 if is_short and self.normalize else self.solver.weight_bytes
        solver = replace(self.solver, n_pairs=n_pairs, weight_bytes=weight_bytes)
        return replace(self, solver=solver)

    def solver_of(self, held: NDArray[np.int32]) -> SolverSettings:
        """Return the settings of the solver for a fit that holds these rows back."""
        if not self.auto_iter or not len(held):
            return self.solver
        return replace(self.solver, max_iter=MAX_ITER_HELD)

    @property
    def ranker_solver(self) -> SolverSettings:
        """Settings of the solver for rankers; a number of passes that is given is not exceeded."""
        return replace(self.solver, max_iter=RANKER_ITER) if self.auto_iter else self.solver


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
    began = perf_counter()
    held = settings.held(rows, weight)
    if settings.n_sure is not None and not len(held):
        settings = replace(settings, forest=settings.forest.cut(settings.n_sure), n_sure=None)
    samples = settings.forest.samples(rows, weight)
    fit = _Fit(X, rows, weight, settings, held, samples, progress)
    n_sure = settings.n_sure or len(samples)
    trained = fit.train(range(n_sure))
    model, known = fit.model(trained)
    if settings.rerank:
        model, known = fit.with_rankers(model, known)
    if settings.n_sure is not None and model.rankers is None:
        trained += fit.train(range(n_sure, len(samples)))
        model, known = fit.kept(*fit.model(trained))
    if settings.implications:
        model, known = fit.with_implications(model, known)
    if fit.checkpoint is not None:
        fit.checkpoint.remove()
    seconds = perf_counter() - began
    times = FitReport(fit.tree_seconds, seconds - fit.tree_seconds, peak_memory())
    n_kept = len(model.trees)
    counts = reduce(SolverCounts.plus, (one.counts for one in trained[:n_kept]))
    pairs = sum(
        cost_of_weights(tree, rows.n_rows, one.n_positive)
        for tree, one in zip(fit.trees[:n_kept], trained, strict=False)
    )
    return Fitted(model, pairs, counts, times, known)


@dataclass(eq=False)
class _Fit:
    """The rows and trees of a fit, and its steps."""

    X: FeatureMatrix
    rows: LabelRows
    weight: NDArray[np.float32] | None
    settings: FitSettings
    held: NDArray[np.int32]
    samples: list[Sample]
    progress: Progress | None
    trees: list[LabelTree] = field(default_factory=list)  # those that are built so far
    tree_seconds: float = 0.0  # of building them

    @cached_property
    def checkpoint(self) -> Checkpoint | None:
        """Where finished parts are stored; needs the first trees."""
        settings = self.settings
        if settings.checkpoint_dir is None:
            return None
        depends_on = _fingerprinted(self.X, self.trees, self.samples, settings, self.held)
        return Checkpoint(settings.checkpoint_dir, fingerprint(depends_on))

    def grow(self, numbers: range) -> None:
        """Build the trees with these numbers."""
        report = self.progress or (lambda done, total, name: None)
        report(0.0, 0.0, "building trees")
        began, settings = perf_counter(), self.settings
        self.trees += settings.forest.grow(
            self.X,
            self.samples,
            numbers=numbers,
            n_jobs=settings.n_jobs,
            executor=settings.executor,
            max_memory=settings.max_memory,
        )
        self.tree_seconds += perf_counter() - began
        report(1.0, 1.0, "building trees")

    def train(self, numbers: range) -> list[TrainedNodes]:
        """Build the trees with these numbers, which follow the others, and return their weights."""
        self.grow(numbers)
        settings, solver = self.settings, self.settings.solver_of(self.held)
        return [
            train_nodes(
                self.trees[t],
                self.X,
                self.samples[t].rows,
                replace(solver, seed=self.samples[t].seed),
                sample_weight=self.samples[t].weight,
                executor=settings.executor,
                max_memory=settings.max_memory,
                progress=_of_tree(self.progress, t - numbers.start, len(numbers)),
                store=None if self.checkpoint is None else self.checkpoint.tree(t),
                warm_start=settings.warm_start[t] if settings.warm_start else NO_WARM_START,
                held=self.held,
            )
            for t in numbers
        ]

    def model(self, trained: list[TrainedNodes]) -> tuple[Model, HeldRows | None]:
        """Return the model of the first trees, and what scores held-back rows, if there are any."""
        settings, n_trees = self.settings, len(trained)
        trees, samples = self.trees[:n_trees], self.samples[:n_trees]
        starts = settings.warm_start
        model = Model(
            trees,
            [one.layout for one in trained],
            settings.solver.loss,
            self.X.shape[1],
            has_root(self.rows, self.weight) or any(before.has_root for before in starts),
            calibration=first_calibration(
                trees, samples, self.rows.kind, settings, [one.n_positive for one in trained]
            ),
        )
        if not len(self.held):
            return model, None
        scores = [one.held for one in trained if one.held is not None]
        return model, HeldRows(self.held, model, scores)

    def with_rankers(self, model: Model, held: HeldRows | None) -> tuple[Model, HeldRows | None]:
        """Return the model with rankers, unless held-back rows do not gain from them."""
        settings, checkpoint = self.settings, self.checkpoint
        store = None if checkpoint is None else checkpoint.tree(len(self.samples))
        stage = SecondStage(
            settings.forest,
            settings.ranker_solver,
            self.X,
            self.rows,
            self.weight,
            n_threads=n_threads(settings.n_jobs),
            executor=settings.executor,
            max_memory=settings.max_memory,
            progress=self.progress,
        )
        return stage.add_to(model, held, store, if_better=settings.rerank == "auto")

    def with_implications(
        self, model: Model, held: HeldRows | None
    ) -> tuple[Model, HeldRows | None]:
        """Return the model with implications, unless held-back rows do not gain from them."""
        return add_implications(
            model,
            held,
            self.X,
            self.rows,
            self.weight,
            if_better=self.settings.implications == "auto",
            n_threads=n_threads(self.settings.n_jobs),
        )

    def kept(self, model: Model, held: HeldRows | None) -> tuple[Model, HeldRows | None]:
        """Return the model without the trees that held-back rows do not gain from."""
        assert held is not None  # otherwise no tree is left to them
        assert self.settings.n_sure is not None
        unseen = HeldBack(self.X[held.rows], self.rows.select(held.rows), held.scores)
        n_jobs = n_threads(self.settings.n_jobs)
        n_kept = chosen_trees(model, self.settings.n_sure, unseen, n_jobs)
        model = subforest(model, range(n_kept))
        return model, HeldRows(held.rows, model, held.scores[:n_kept])


def first_calibration(
    trees: list[LabelTree],
    samples: list[Sample],
    kind: str,
    settings: FitSettings,
    n_positive: Sequence[NDArray[np.int64]] = (),
) -> Calibration:
    """Return the calibration of a model without held-back rows."""
    loss = settings.solver.loss
    factors = None
    if loss == "squared_hinge":
        factors = slope_factors(trees, samples, settings.warm_start, n_positive)
    return fixed_calibration(loss, kind, sibling_sums(settings.normalize_proba, kind), factors)


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
    X: FeatureMatrix,
    trees: list[LabelTree],
    samples: list[Sample],
    settings: FitSettings,
    held: NDArray[np.int32],
) -> Iterator[object]:
    """Yield what the weights depend on; also the release and the architecture, which may round
    differently."""
    yield from (version("labeltree"), platform.machine())
    yield from (X.shape, *csr_arrays(X))
    # Other trees, which are built later, follow from their builders.
    builders = (tree if isinstance(tree, str) else "" for tree in settings.forest.listed)
    yield list(zip(builders, settings.forest.options, strict=True))
    yield asdict(settings.solver)
    yield held
    yield settings.rerank
    for warm_start in settings.warm_start:
        yield from (*warm_start.weights, warm_start.is_known, warm_start.rows_before)
    for tree in trees:
        yield from (tree.parent, tree.label)
    for sample in samples:
        yield from (sample.rows.indptr, sample.rows.indices, sample.weight, sample.seed)

"""Training of the node classifiers of a tree, each on the rows that reach it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.execution import Executor, Threads
from labeltree.execution.background import Background
from labeltree.execution.mapped_arrays import page_bytes
from labeltree.model.layout import Layout
from labeltree.progress import Progress
from labeltree.training.inner_split import NO_ROWS
from labeltree.training.jobs import pack_jobs
from labeltree.training.loss_weights import NodeCounts
from labeltree.training.memory import MemoryUse, data_bytes, memory_use, row_bytes
from labeltree.training.parts import PackRange, Part, PartStore, SolverCounts, in_pack_order
from labeltree.training.slices import SliceMeans
from labeltree.training.solver_settings import SolverSettings
from labeltree.training.starting_weights import NO_WARM_START, WarmStart, untrained_part
from labeltree.trees import LabelTree
from labeltree.units import format_bytes

log = logging.getLogger("labeltree")

_NO_PACKS = (0, 0)
#: Score of a node without positive training rows: every link maps it to probability 0.
NEVER = -120.0  # exp(120) is infinite in float32


class PackJob(NamedTuple):
    """Packs to train, and the memory to do so. A worker makes its trainer for no packs, too."""

    packs: PackRange
    use: MemoryUse = MemoryUse(1, 0.0)


class TrainedNodes(NamedTuple):
    """The trained weights, and the amount of work that training took."""

    layout: Layout
    counts: SolverCounts
    held: _core.HeldScores | None  # scores of rows that were held back
    n_positive: NDArray[np.int64]  # rows of each node


def make_trainer(
    tree: LabelTree,
    X: FeatureMatrix,
    rows: LabelRows,
    settings: SolverSettings,
    sample_weight: NDArray[np.float32] | None = None,
    warm_start: WarmStart = NO_WARM_START,
    held: NDArray[np.int32] = NO_ROWS,
    candidates: LabelRows | None = None,
    max_memory: float | None = None,
) -> _core.Trainer:
    """Return the native trainer, which uses the arrays without copying them."""
    weight = np.empty(0, np.float32) if sample_weight is None else sample_weight
    positive = _core.node_weights(tree._native, rows.indptr, rows.indices)
    counts = (
        NodeCounts.of_rows(tree, rows, positive)
        if sample_weight is None
        else NodeCounts.of(tree, rows, sample_weight)
    )
    loss_weights = settings.loss_weights(counts)
    return _core.Trainer(
        tree._native,
        rows.indptr,
        rows.indices,
        positive,
        X.indptr.astype(np.int64, copy=False),
        X.indices,
        X.data,
        X.shape[1],
        candidate_indptr=np.empty(0, np.int64) if candidates is None else candidates.indptr,
        candidate_indices=np.empty(0, np.int32) if candidates is None else candidates.indices,
        held=held,
        loss_weights=_core.LossWeights(*warm_start.decayed(loss_weights, rows.n_rows), weight),
        warm_start=_core.WarmStart(*warm_start.weights),
        settings=settings.native(),
        page_bytes=page_bytes((X.indices, X.data), max_memory),
    )


@dataclass(frozen=True, eq=False)
class PackTraining:
    """Trains packs; a worker that it is sent to makes a trainer of its own."""

    tree: LabelTree
    X: FeatureMatrix
    rows: LabelRows
    settings: SolverSettings
    sample_weight: NDArray[np.float32] | None = None
    warm_start: WarmStart = NO_WARM_START
    held: NDArray[np.int32] = field(default_factory=lambda: NO_ROWS)
    candidates: LabelRows | None = None
    max_memory: float | None = None

    def __call__(self, job: PackJob) -> Part:
        return Part(*self.trainer.train(*job.packs, *job.use))

    def text_of(self, job: PackJob) -> str:
        """Return a job in words, with the memory of its worker."""
        trainer, (n_threads, window_bytes) = self.trainer, job.use
        needed = trainer.shared_bytes + n_threads * trainer.thread_bytes(window_bytes)
        needed += data_bytes(self.X, self.rows) - (window_bytes > 0) * row_bytes(self.X)
        first, last = job.packs
        return f"packs {first} to {last - 1} of nodes, about {format_bytes(needed)} with X and Y"

    @cached_property
    def trainer(self) -> _core.Trainer:
        """The native trainer."""
        return make_trainer(
            self.tree,
            self.X,
            self.rows,
            self.settings,
            self.sample_weight,
            self.warm_start,
            self.held,
            self.candidates,
            self.max_memory,
        )

    def memory_use(self, n_threads: int) -> MemoryUse:
        """Return how many of the threads of a worker fit into its memory, and how."""
        return memory_use(self.trainer, self.X, self.rows, n_threads, self.max_memory)

    def __getstate__(self) -> dict[str, Any]:
        # Names of labels play no part in training.
        state = {name: value for name, value in vars(self).items() if name != "trainer"}
        return state | {
            "tree": self.tree.with_names(None),
            "rows": replace(self.rows, names=None),
            "candidates": self.candidates and replace(self.candidates, names=None),
        }


def train_tree(
    tree: LabelTree,
    X: FeatureMatrix,
    rows: LabelRows,
    settings: SolverSettings,
    *,
    sample_weight: NDArray[np.float32] | None = None,
    n_threads: int = 1,
    max_memory: float | None = None,
    progress: Progress | None = None,
) -> Layout:
    """Return the weights of all nodes; parameters as in `train_nodes`."""
    return train_nodes(
        tree,
        X,
        rows,
        settings,
        sample_weight=sample_weight,
        n_threads=n_threads,
        max_memory=max_memory,
        progress=progress,
    ).layout


def train_nodes(
    tree: LabelTree,
    X: FeatureMatrix,
    rows: LabelRows,
    settings: SolverSettings,
    *,
    sample_weight: NDArray[np.float32] | None = None,
    n_threads: int = 1,
    max_memory: float | None = None,
    progress: Progress | None = None,
    store: PartStore | None = None,
    warm_start: WarmStart = NO_WARM_START,
    held: NDArray[np.int32] = NO_ROWS,
    candidates: LabelRows | None = None,
    executor: Executor | None = None,
) -> TrainedNodes:
    """Return the weights of all nodes and the number of rows that the solver visited.

    Parameters
    ----------
    tree, X, rows
        The tree and the training rows.
    settings
        Settings of the solver.
    sample_weight
        Factor of C for each row, greater than 0.
    n_threads
        Number of threads; the weights are the same for every number.
    max_memory
        Maximum number of bytes that each worker uses in addition to X, Y and the finished weights.
        If X is mapped from files, X and Y count, too. Fewer threads are used if necessary.
    progress
        Called with the amount of work done.
    store
        Stores finished parts, and returns those of an earlier call that was interrupted.
    warm_start
        Weights to start from: the solver minimizes |w - warm_start|² / 2 + loss. Nodes without
        positive rows keep their weights. In nodes that were trained before, C decreases with the
        share of rows that are new.
    held
        Rows that are held back, ascending. Each node is fitted without them and scores them; then
        they are learned from, too.
    candidates
        If given, train a ranker for each leaf instead of all nodes: a classifier over the rows that
        have the leaf's label or have it among their candidates. No rows can be held back.
    executor
        Where packs are trained; None for the threads of this process.
    """
    executor = executor or Threads(n_threads)
    training = PackTraining(
        tree, X, rows, settings, sample_weight, warm_start, held, candidates, max_memory
    )
    found = _Results(training, settings.weight_bytes, executor.n_threads)
    start = time.perf_counter()
    with Background() as background:
        for part in in_pack_order(_trained_parts(training, executor, store, progress), store):
            found.add(part, background)
        background.finish()
    seconds = time.perf_counter() - start
    message = "trained %d nodes in %d packs, %d row visits, %.2f s on %d x %d threads"
    size = len(training.trainer.costs()), found.counts.n_visits, seconds
    log.info(message, tree.n_nodes, *size, executor.n_workers, found.n_used)
    return found.finish()


@dataclass(eq=False)
class _Results:
    """The results of a training, as they arrive."""

    training: PackTraining
    weight_bytes: int
    n_threads: int  # of each worker
    counts: SolverCounts = field(default_factory=SolverCounts)

    # These need the trainer, which is made while workers make theirs.
    @cached_property
    def builder(self) -> _core.LayoutBuilder:
        """The layout of the weights."""
        one = self.training
        sizes = one.tree, one.X.shape[1]
        return new_layout(*sizes, one.trainer, one.warm_start, self.weight_bytes)

    @cached_property
    def slices(self) -> SliceMeans:
        """The means over slices of the rows."""
        one = self.training
        return SliceMeans(one.trainer.n_slices(), one.X.shape[1], one.settings)

    @cached_property
    def held_scores(self) -> NDArray[np.float32]:
        """The scores of rows that are held back."""
        return np.full(self.training.trainer.n_held_pairs, np.nan, np.float32)

    @cached_property
    def n_used(self) -> int:
        """Threads of each worker that fit into its memory."""
        return self.training.memory_use(self.n_threads).n_threads

    def add(self, part: Part, background: Background) -> None:
        """Lay out a part, while the next one is trained unless only one thread is allowed."""
        weights = self.slices.means(part).weights
        if self.n_used == 1:
            self.builder.add(*weights)
        else:
            background.submit(partial(self.builder.add, *weights))
        self.held_scores[part.held_pairs] = part.held_scores
        self.counts = self.counts.plus(part.counts)

    def finish(self) -> TrainedNodes:
        """Return all results."""
        training, known = self.training, None
        if len(training.held):
            held = training.rows.select(training.held)
            known = _held_scores(training.tree, held, training.trainer, self.held_scores)
        layout = Layout(*self.builder.finish())
        return TrainedNodes(layout, self.counts, known, training.trainer.n_positive())


def _held_scores(
    tree: LabelTree, rows: LabelRows, trainer: _core.Trainer, scores: NDArray[np.float32]
) -> _core.HeldScores:
    # Without the held-back rows, a node may have no positive row, as one that is not trained.
    scores = np.maximum(scores, np.float32(NEVER))
    has_root = bool(trainer.is_trained()[0])
    return _core.HeldScores(tree._native, rows.indptr, rows.indices, has_root, scores)


def new_layout(
    tree: LabelTree,
    n_features: int,
    trainer: _core.Trainer,
    warm_start: WarmStart = NO_WARM_START,
    weight_bytes: int = 4,
) -> _core.LayoutBuilder:
    """Return a layout that has the weights of nodes that will not be trained."""
    is_trained = trainer.is_trained()
    kept = untrained_part(warm_start, is_trained)
    is_trained[kept.nodes] = 1
    builder = _core.LayoutBuilder(tree._native, n_features, is_trained, NEVER, weight_bytes)
    builder.add(*kept.weights)
    return builder


def _trained_parts(
    training: PackTraining,
    executor: Executor,
    store: PartStore | None,
    progress: Progress | None,
) -> Iterator[tuple[PackRange, Part]]:
    """Train the packs that are not in the store, in any order, and store each part."""
    done = [] if store is None else store.finished()
    # Several workers make their trainers while this process makes its own to find the packs.
    n_opening = executor.n_workers if executor.n_workers > 1 else 0
    jobs: list[PackRange] = []
    report: Callable[[int, bool], None] | None = None

    def handed_out() -> Iterator[PackJob]:
        nonlocal report
        yield from [PackJob(_NO_PACKS)] * n_opening
        costs, use = training.trainer.costs(), training.memory_use(executor.n_threads)
        jobs.extend(pack_jobs(costs, done, executor.n_workers, use.n_threads))
        report = _job_progress(costs, jobs, progress)
        yield from (PackJob(packs, use) for packs in jobs)

    n_done = 0
    for number, part in executor.run(training, handed_out()):
        if number < n_opening:
            continue
        packs = jobs[number - n_opening]
        if store is not None:
            store.save(packs, part)
        yield packs, part
        n_done += 1
        if report is not None:
            report(number - n_opening, n_done == len(jobs))


def _job_progress(
    costs: NDArray[np.float64], jobs: list[PackRange], progress: Progress | None
) -> Callable[[int, bool], None] | None:
    """Return a function of the number of a job that is done, and whether it is the last."""
    if progress is None:
        return None
    of_job = [float(costs[first:last].sum()) for first, last in jobs]
    total = float(costs.sum())
    left = sum(of_job)
    progress(total - left, total, "training")

    def report(number: int, is_last: bool) -> None:
        nonlocal left
        left = 0.0 if is_last else left - of_job[number]
        progress(total - left, total, "training")

    return report

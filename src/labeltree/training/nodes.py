"""Training of the node classifiers of a tree, each on the rows that reach it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.execution import Executor, Threads
from labeltree.execution.mapped_arrays import page_bytes
from labeltree.model.layout import Layout
from labeltree.progress import Progress
from labeltree.training.inner_split import NO_ROWS
from labeltree.training.jobs import pack_jobs
from labeltree.training.loss_weights import NodeCounts
from labeltree.training.memory import MemoryUse, data_bytes, memory_use, row_bytes
from labeltree.training.parts import PackRange, Part, PartStore, SolverCounts, in_pack_order
from labeltree.training.solver_settings import SolverSettings
from labeltree.training.starting_weights import NO_WARM_START, WarmStart, untrained_part
from labeltree.trees import LabelTree
from labeltree.units import format_bytes

log = logging.getLogger("labeltree")

#: Score of a node without positive training rows: every link maps it to probability 0.
NEVER = -120.0  # exp(120) is infinite in float32


class TrainedNodes(NamedTuple):
    """The trained weights, and the amount of work that training took."""

    layout: Layout
    counts: SolverCounts
    held: _core.HeldScores | None  # scores of rows that were held back


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
    loss_weights = settings.loss_weights(NodeCounts.of(tree, rows, sample_weight))
    return _core.Trainer(
        tree._native,
        rows.indptr,
        rows.indices,
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
    """Trains ranges of packs; a worker that it is sent to makes a trainer of its own."""

    tree: LabelTree
    X: FeatureMatrix
    rows: LabelRows
    settings: SolverSettings
    sample_weight: NDArray[np.float32] | None = None
    warm_start: WarmStart = NO_WARM_START
    held: NDArray[np.int32] = field(default_factory=lambda: NO_ROWS)
    candidates: LabelRows | None = None
    max_memory: float | None = None
    n_threads: int = 1
    window_bytes: float = 0.0

    def __call__(self, job: PackRange) -> Part:
        return Part(*self.trainer.train(*job, self.n_threads, self.window_bytes))

    def text_of(self, job: PackRange) -> str:
        """Return a job in words, with the memory of its worker."""
        trainer = self.trainer
        needed = trainer.shared_bytes + self.n_threads * trainer.thread_bytes(self.window_bytes)
        needed += data_bytes(self.X, self.rows) - (self.window_bytes > 0) * row_bytes(self.X)
        first, last = job
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

    def within(self, use: MemoryUse) -> PackTraining:
        """Return the same training with other threads and windows, and the same trainer."""
        other = replace(self, n_threads=use.n_threads, window_bytes=use.window_bytes)
        other.__dict__["trainer"] = self.trainer
        return other

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
    trainer = training.trainer
    training = training.within(memory_use(trainer, X, rows, executor.n_threads, max_memory))
    held_scores = np.full(trainer.n_held_pairs, np.nan, np.float32)
    builder = new_layout(tree, X.shape[1], trainer, warm_start, settings.weight_bytes)
    counts = SolverCounts()
    start = time.perf_counter()
    laid_out: list[Future[None]] = []
    with ThreadPoolExecutor(1) as pool:
        arriving = _trained_parts(training, executor, store, progress)
        for part in in_pack_order(arriving, store):
            # Laid out while the next part is trained, unless only one thread is allowed.
            laid_out.append(pool.submit(builder.add, *part.weights))
            if training.n_threads == 1:
                laid_out[-1].result()
            held_scores[part.held_pairs] = part.held_scores
            counts = counts.plus(part.counts)
    for one in laid_out:
        one.result()
    seconds = time.perf_counter() - start
    message = "trained %d nodes in %d packs, %d row visits, %.2f s on %d x %d threads"
    size = len(trainer.costs()), counts.n_visits, seconds, executor.n_workers, training.n_threads
    log.info(message, tree.n_nodes, *size)
    known = _held_scores(tree, rows.select(held), trainer, held_scores) if len(held) else None
    return TrainedNodes(Layout(*builder.finish()), counts, known)


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
    costs = training.trainer.costs()
    done = [] if store is None else store.finished()
    jobs = pack_jobs(costs, done, executor.n_workers, training.n_threads)
    report = _job_progress(costs, jobs, progress)
    for n_done, (number, part) in enumerate(executor.run(training, jobs), start=1):
        if store is not None:
            store.save(jobs[number], part)
        yield jobs[number], part
        if report is not None:
            report(number, n_done == len(jobs))


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

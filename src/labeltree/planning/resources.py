"""Estimates for a tree: training time, training memory, model size and query time.

Some packs of nodes are trained on all rows, and whole models on samples of the rows. What they take
is extrapolated. All times are CPU seconds on one thread of this machine.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from labeltree import _core
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import RowScaling
from labeltree.planning.cluster import ClusterUse, StepSeconds, Workers, cluster_use
from labeltree.planning.default_fit import default_scaling, default_settings
from labeltree.planning.pack_sample import train_sample
from labeltree.planning.small_models import ROWS_RATIO, RowSamples, SmallModel
from labeltree.training.forest import check_depth
from labeltree.training.jobs import pack_jobs
from labeltree.training.loss_weights import NodeCounts
from labeltree.training.nodes import make_trainer
from labeltree.training.settings_check import compared_settings
from labeltree.trees import LabelTree

# With more rows, a search evaluates fewer nodes, which have more weights. Its time falls as this
# power of the number of nodes.
_EVALUATED_POWER = 0.25
_WAITING_BYTES = 16  # of a weight, which is there twice while the parts of a batch are joined


@dataclass(frozen=True)
class Resources:
    """Estimates for one tree, on one core."""

    training_seconds: float  #: of `fit`, without building the tree
    training_bytes: float  #: peak: data, model and the buffers of nodes in training
    model_bytes: float
    query_seconds: float  #: of a search for the 5 best labels of one row
    batch_seconds: float  #: of the same for each of many rows
    cluster: ClusterUse | None = None  #: the same fit on several workers


class _Prepared(NamedTuple):
    """Scaled rows, samples of them, and the CPU seconds and bytes that scaling took."""

    X: FeatureMatrix
    samples: RowSamples
    seconds: float
    n_bytes: float


class Estimator:
    """Rows to estimate what trees take that are trained on them.

    Parameters
    ----------
    X, rows
        The training rows, as given by the user.
    seed
        Seed of all samples.
    """

    def __init__(self, X: FeatureMatrix, rows: LabelRows, seed: int) -> None:
        self._X, self._rows, self._seed = X, rows, seed
        self._settings = default_settings(seed)
        start = time.process_time()
        self._scaling = default_scaling(X, rows, self._settings)
        self._learning_seconds = time.process_time() - start
        self._held = self._settings.held(rows, None)
        self._prepared: dict[RowScaling, _Prepared] = {}

    def estimate(self, tree: LabelTree, workers: Workers | None = None) -> Resources:
        """Return the estimates for one tree; one that is too deep to be trained is refused."""
        check_depth(tree)
        start = time.process_time()
        forest = replace(self._settings.forest, tree=tree)
        given = replace(self._settings, forest=forest)
        scaling, settings = compared_settings(self._X, self._rows, self._scaling, given)
        checking = time.process_time() - start
        prepared = self._scaled(scaling)
        settings = settings.with_pairs(len(scaling.pairs), prepared.X)
        start = time.process_time()
        solver = settings.solver_of(self._held)
        trainer = make_trainer(tree, prepared.X, self._rows, solver, held=self._held)
        setup = time.process_time() - start
        packs = train_sample(trainer, NodeCounts.of(tree, self._rows, None).positive)
        small = prepared.samples.models(tree, settings)
        model_bytes = _extrapolated_bytes(small, packs.n_weights)
        query, batch = self._search_seconds(prepared.samples, small)
        layout = small[0].layout_seconds * packs.n_weights / max(small[0].n_weights, 1)
        spread = self._learning_seconds + prepared.seconds
        driver = checking + setup + len(self._held) * batch
        cluster = None
        if workers is not None:
            seconds = StepSeconds(driver=driver, spread=spread, packs=packs.seconds)
            cluster = cluster_use(trainer, prepared.X, self._rows, workers, seconds)
        return Resources(
            training_seconds=driver + spread + packs.seconds + layout,
            training_bytes=self._data_bytes
            + prepared.n_bytes
            + _trainer_bytes(trainer, packs.n_weights)
            + model_bytes,
            model_bytes=model_bytes,
            query_seconds=query,
            batch_seconds=batch,
            cluster=cluster,
        )

    def _scaled(self, scaling: RowScaling) -> _Prepared:
        if scaling not in self._prepared:
            start = time.process_time()
            X = scaling(self._X)
            seconds = time.process_time() - start
            samples = RowSamples.of(X, self._rows, self._seed)
            kept = (X.indptr, X.indices, X.data) if len(scaling.pairs) else (X.data,)
            n_bytes = 0.0 if X is self._X else float(sum(array.nbytes for array in kept))
            self._prepared[scaling] = _Prepared(X, samples, seconds, n_bytes)
        return self._prepared[scaling]

    @property
    def _data_bytes(self) -> float:
        """Bytes of X and Y."""
        X, rows = self._X, self._rows
        return float(8 * X.nnz + 4 * len(rows.indices) + 16 * rows.n_rows)

    def _search_seconds(self, samples: RowSamples, small: list[SmallModel]) -> tuple[float, float]:
        """Return the seconds of a query alone and among many, for a model of all rows."""
        larger, smaller = (one.model for one in small)
        seconds, evaluated = samples.batch(larger, n_runs=2)
        growth = np.log(evaluated / samples.batch(smaller)[1]) / np.log(ROWS_RATIO)
        more_rows = self._rows.n_rows / samples.n_rows
        faster = float(more_rows ** (_EVALUATED_POWER * min(growth, 0.0)))
        return faster * samples.single_seconds(larger), faster * seconds


def _trainer_bytes(trainer: _core.Trainer, n_weights: float) -> float:
    """Return the bytes of the trainer, and of weights before they are laid out."""
    costs = trainer.costs()
    largest = max(
        (last - first for first, last in pack_jobs(costs, (), n_workers=1, n_threads=1)), default=0
    )
    waiting = n_weights * largest / max(len(costs), 1)
    return trainer.shared_bytes + trainer.thread_bytes() + _WAITING_BYTES * waiting


def _extrapolated_bytes(small: list[SmallModel], n_weights: float) -> float:
    """Return the bytes of a model with these weights: linear in them, by two smaller models.

    Bytes per weight depend on how many siblings have a weight for the same feature, which varies
    with the tree.
    """
    larger, smaller = (one.model.n_bytes for one in small)
    more = small[0].n_weights - small[1].n_weights
    if more <= 0:
        return float(larger) * max(n_weights, 1.0) / max(small[0].n_weights, 1)
    slope = (larger - smaller) / more
    return max(larger + slope * (n_weights - small[0].n_weights), 1.0)

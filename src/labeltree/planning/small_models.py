"""Models of a tree trained on a sample of the rows, and how long searches of them take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix, as_features
from labeltree.estimators.searching import NODES_PER_STEP
from labeltree.model.layout import Layout
from labeltree.model.model import Model
from labeltree.training.fit import FitSettings, first_calibration
from labeltree.training.forest import Sample, has_root
from labeltree.training.nodes import make_trainer, new_layout
from labeltree.training.parts import Part
from labeltree.trees import LabelTree

K = 5  # labels per query
_SHARE = 4  # one row in 4 is drawn
_MIN_DRAWN, _MAX_DRAWN = 2000, 16_000
ROWS_RATIO = 4  #: rows of the larger sample for each row of the smaller one
_MAX_QUERIES = 500
_N_SINGLE = 200  # queries that are timed one by one


class SmallModel(NamedTuple):
    """A model of some rows, and the CPU seconds that its weights took to be laid out."""

    model: Model
    n_weights: int
    layout_seconds: float


@dataclass(frozen=True, eq=False)
class RowSamples:
    """Two samples of the rows to train on, the second from the first, and other rows as queries."""

    X: FeatureMatrix
    rows: LabelRows
    drawn: tuple[NDArray[np.int64], NDArray[np.int64]]
    queries: FeatureMatrix

    @classmethod
    def of(cls, X: FeatureMatrix, rows: LabelRows, seed: int) -> RowSamples:
        """Draw rows from X, which is scaled and weighted, and from its labels."""
        n_rows = rows.n_rows
        n_drawn = min(max(n_rows // _SHARE, _MIN_DRAWN), _MAX_DRAWN, max(n_rows // 2, 1))
        order = np.random.default_rng([seed, n_rows, 2]).permutation(n_rows)
        drawn = np.sort(order[:n_drawn]), np.sort(order[: max(n_drawn // ROWS_RATIO, 1)])
        asked = order[n_drawn : n_drawn + _MAX_QUERIES] if n_drawn < n_rows else order
        return cls(X, rows, drawn, as_features(X[np.sort(asked)]))

    @property
    def n_rows(self) -> int:
        """Number of rows of the larger sample."""
        return len(self.drawn[0])

    def models(self, tree: LabelTree, settings: FitSettings) -> list[SmallModel]:
        """Return the models of both samples."""
        return [self._model(tree, settings, drawn) for drawn in self.drawn]

    def _model(
        self, tree: LabelTree, settings: FitSettings, drawn: NDArray[np.int64]
    ) -> SmallModel:
        X, rows = as_features(self.X[drawn]), self.rows.select(drawn)
        trainer = make_trainer(tree, X, rows, settings.solver)
        part = Part(*trainer.train(0, len(trainer.costs()), 1))
        start = time.process_time()
        builder = new_layout(tree, X.shape[1], trainer, weight_bytes=settings.solver.weight_bytes)
        builder.add(*part.weights)
        layout = Layout(*builder.finish())
        seconds = time.process_time() - start
        calibration = first_calibration([tree], [Sample(rows, None, 0)], rows.kind, settings)
        model = Model(
            [tree],
            [layout],
            settings.solver.loss,
            X.shape[1],
            has_root(rows, None),
            calibration=calibration,
        )
        return SmallModel(model, len(part.features), seconds)

    def batch(self, model: Model, n_runs: int = 1) -> tuple[float, float]:
        """Return CPU seconds and classifiers evaluated of a query among many.

        The seconds are those of the fastest run.
        """
        seconds, evaluated = [], 1.0
        for _ in range(n_runs):
            start = time.process_time()
            _, calls = model.search(self.queries, k=K, nodes_per_step=NODES_PER_STEP)
            seconds.append(time.process_time() - start)
            evaluated = max(float(calls.mean()), 1.0)
        return min(seconds) / self.queries.shape[0], evaluated

    def single_seconds(self, model: Model) -> float:
        """Return the CPU seconds of a query alone."""
        k = min(K, model.n_labels)
        n_single = min(_N_SINGLE, self.queries.shape[0])
        rows = [self.queries[i : i + 1] for i in range(n_single)]
        start = time.process_time()
        for row in rows:
            model.top_k_row(row.indices, row.data, k)
        return (time.process_time() - start) / n_single

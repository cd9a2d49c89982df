"""The second stage of a fit: rankers for trained trees, if held-back rows gain from them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.execution import Executor
from labeltree.model.calibration import fixed_calibration
from labeltree.model.model import Model
from labeltree.progress import Progress
from labeltree.training.forest import ForestSettings, all_rows, has_root
from labeltree.training.held_back import HeldBack
from labeltree.training.inner_split import HeldRows
from labeltree.training.nodes import train_nodes
from labeltree.training.parts import PartStore
from labeltree.training.ranker_choice import DEFAULT_CHOICE, RankerChoice, RankerTrials
from labeltree.training.rankers import train_rankers
from labeltree.training.slope_factors import slope_factors
from labeltree.training.solver_settings import MAX_ITER, SolverSettings


@dataclass(frozen=True, eq=False)
class SecondStage:
    """The rows that rankers are trained on, and how.

    Parameters
    ----------
    forest
        How the rows of the trees were drawn.
    solver
        Settings of the solver for rankers.
    X, rows, weight
        The training rows and their weights.
    n_threads, max_memory, progress, executor
        As in `train_nodes`.
    """

    forest: ForestSettings
    solver: SolverSettings
    X: FeatureMatrix
    rows: LabelRows
    weight: NDArray[np.float32] | None
    n_threads: int = 1
    max_memory: float | None = None
    progress: Progress | None = None
    executor: Executor | None = None

    def add_to(
        self, model: Model, held: HeldRows | None, store: PartStore | None, *, if_better: bool
    ) -> tuple[Model, HeldRows | None]:
        """Return the model with rankers, and what scores held-back rows for the curve.

        If `if_better`, held-back rows choose the settings of the rankers. There are none if no
        setting ranks these rows better than the trees do, or if no rows are held back.
        """
        if held is None and if_better:
            return model, None
        choice, every = DEFAULT_CHOICE, all_rows(self.rows, self.weight, self.forest.seed)
        if held is not None:
            tried = self._tried(model, held, if_better=if_better)
            if tried is None:
                return model, held
            choice, held = tried
        rankers = train_rankers(
            model,
            self.X,
            every.rows,
            choice.applied(replace(self.solver, seed=every.seed)),
            sample_weight=every.weight,
            n_threads=self.n_threads,
            executor=self.executor,
            max_memory=self.max_memory,
            progress=self._named("training rankers"),
            store=store,
        )
        before = model.calibration
        fixed = fixed_calibration(
            model.link, self.rows.kind, before.siblings, before.factors, has_rankers=True
        )
        return model.with_rankers(replace(rankers, link=choice.link)).calibrated(fixed), held

    def _tried(
        self, model: Model, held: HeldRows, *, if_better: bool
    ) -> tuple[RankerChoice, HeldRows] | None:
        """Return settings of rankers, and the model with such rankers that have not seen some rows.

        The trees score held-back rows as before they learned from them.
        """
        # Rows with a weight of 0 are ignored, so that X need not be copied.
        rest = np.ones(self.rows.n_rows, np.float32) if self.weight is None else self.weight.copy()
        rest[held.rows] = 0
        others = all_rows(self.rows, rest, self.forest.seed)
        trials = RankerTrials(
            model,
            self._unseen(model, rest),
            self.X,
            others.rows,
            HeldBack(self.X[held.rows], self.rows.select(held.rows), held.scores),
            sample_weight=others.weight,
            n_threads=self.n_threads,
            executor=self.executor,
            max_memory=self.max_memory,
        )
        solver = replace(self.solver, seed=others.seed)
        if if_better:
            chosen = trials.choose(solver)
        else:
            chosen = DEFAULT_CHOICE, trials.train(solver, DEFAULT_CHOICE)
        if chosen is None:
            return None
        choice, rankers = chosen
        return choice, HeldRows(held.rows, model.with_rankers(rankers), held.scores)

    def _unseen(self, model: Model, weight: NDArray[np.float32]) -> Model:
        """Return the first tree of the model, trained on rows with a weight above 0."""
        tree, sample = model.trees[0], self.forest.samples(self.rows, weight)[0]
        trained = train_nodes(
            tree,
            self.X,
            sample.rows,
            replace(
                self.solver,
                loss=model.link,
                max_iter=min(self.solver.max_iter, MAX_ITER),
                seed=sample.seed,
            ),
            sample_weight=sample.weight,
            n_threads=self.n_threads,
            executor=self.executor,
            max_memory=self.max_memory,
            progress=self._named("trying rankers"),
        )
        factors = None
        if model.calibration.factors is not None:
            factors = slope_factors([tree], [sample])
        calibration = replace(model.calibration.of_trees([0]), factors=factors)
        root = has_root(self.rows, weight)
        return Model([tree], [trained.layout], model.link, model.n_features, root, calibration)

    def _named(self, name: str) -> Progress | None:
        progress = self.progress
        return None if progress is None else lambda done, total, _: progress(done, total, name)

"""Feature weighting and C, compared by small fits to a sample of the rows."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import AS_THEY_ARE, RowScaling
from labeltree.execution.executor import Executor, in_order
from labeltree.model.links import FIXED_STRENGTH, LINKS, Link, fit_link
from labeltree.training.feature_weighting import learn_scaling
from labeltree.training.fit import FitSettings
from labeltree.training.loss_weights import FULL_C_ROWS, NodeCounts
from labeltree.training.memory import MemoryUse
from labeltree.training.nodes import PackJob, PackTraining
from labeltree.training.path_pairs import PathPairs, path_pairs
from labeltree.training.solver_settings import SolverSettings
from labeltree.trees import LabelTree

log = logging.getLogger("labeltree")

_SHARE = 20  # one row in 20 is drawn
_MIN_DRAWN, _MAX_DRAWN = 500, 20_000  # with fewer rows, nothing is compared
_HELD = 4  # one drawn row in 4 evaluates the fits to the others
_STRATA, _TRAINED = 8, 4  # a quarter of each of 8 parts of the packs of nodes is trained
_PASSES = 2  # as many passes as in a fit to all rows are too few for a sample
# A change must lower the log loss by a share of it, and by this many standard errors.
_GAIN, _ERRORS = 0.003, 3.0
# Factors of C, each with that share. A sample needs a larger C than all rows.
_FACTORS = {0.5: _GAIN, 2.0: 0.01}


def checked_settings(
    X: FeatureMatrix,
    rows: LabelRows,
    settings: FitSettings,
    weight: NDArray[np.float32] | None = None,
) -> tuple[RowScaling, FitSettings]:
    """Return the scaling of a fit, and its settings with the C to use.

    Estimated feature weighting is dropped, and an automatic C changed, if small fits show that this
    is better.

    Parameters
    ----------
    X, rows, weight
        The training rows, as given by the user, and their weights.
    settings
        Settings of the whole fit.
    """
    scaling = AS_THEY_ARE
    if settings.normalize:
        powers, executor = settings.feature_weighting, settings.executor
        given = powers, executor, weight, settings.interactions
        scaling = learn_scaling(X, rows, *given, settings.held(rows, weight))
    return compared_settings(X, rows, scaling, settings, weight)


def compared_settings(
    X: FeatureMatrix,
    rows: LabelRows,
    scaling: RowScaling,
    settings: FitSettings,
    weight: NDArray[np.float32] | None = None,
) -> tuple[RowScaling, FitSettings]:
    """Return what `checked_settings` does, for a scaling that is already learned."""
    is_open = settings.feature_weighting is None and scaling.is_weighted
    if settings.validation_fraction is None or not (is_open or settings.auto_c):
        return scaling, settings
    fits = SmallFits.drawn(X, rows, scaling, settings, weight)
    if fits is None:
        return scaling, settings
    solver = settings.solver
    losses = fits.log_losses(scaling, solver)
    if is_open and is_lower(plain := fits.log_losses(scaling.unweighted, solver), losses):
        scaling, losses = scaling.unweighted, plain
    if settings.auto_c:
        solver = fits.best_solver(scaling, solver, losses)
    features = "weighted features" if scaling.is_weighted else "values as they are"
    log.info("small fits: C = %g, %s", solver.C, features)
    return scaling, replace(settings, solver=solver)


def is_lower(losses: NDArray[np.float64], than: NDArray[np.float64], share: float = _GAIN) -> bool:
    """Return whether the mean loss is lower by more than a share of it, and by more than noise.

    Examples
    --------
    >>> losses = np.array([1.0, 1.1, 0.9, 1.0] * 100)
    >>> is_lower(0.99 * losses, losses), is_lower(0.999 * losses, losses)
    (True, False)
    """
    gain = than - losses
    error = gain.std() / np.sqrt(max(len(gain), 1))
    return bool(gain.mean() > max(share * than.mean(), _ERRORS * error))


def sampled_runs(costs: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return runs of packs with a quarter of the cost, from expensive to cheap ones.

    Examples
    --------
    >>> sampled_runs(np.ones(64))
    [(0, 2), (8, 10), (16, 18), (24, 26), (32, 34), (40, 42), (48, 50), (56, 58)]
    """
    middle = (np.cumsum(costs) - costs / 2) / costs.sum()
    is_drawn = (middle * _STRATA) % 1 < 1 / _TRAINED
    is_drawn[0] = True
    edges = np.flatnonzero(np.diff(is_drawn, prepend=False, append=False))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


@dataclass(frozen=True, eq=False)
class SmallFits:
    """A sample of the rows, some of them held back, and a tree for the labels of the others.

    Nodes with at most 10 positive rows are not evaluated. They are what a sample has more of than
    all rows, and they need a larger C than other nodes.
    """

    X: FeatureMatrix
    rows: LabelRows
    held: NDArray[np.int32]
    tree: LabelTree
    pairs: PathPairs  # of the held rows
    executor: Executor

    @classmethod
    def drawn(
        cls,
        X: FeatureMatrix,
        rows: LabelRows,
        scaling: RowScaling,
        settings: FitSettings,
        weight: NDArray[np.float32] | None,
    ) -> Self | None:
        """Return a sample of the rows and its tree, or None if there are too few rows."""
        is_drawable = np.diff(rows.indptr) > 0
        is_drawable[rows.n_rows - settings.n_unheld :] = False
        drawable = np.flatnonzero(is_drawable if weight is None else is_drawable & (weight > 0))
        n_drawn = min(len(drawable) // _SHARE, _MAX_DRAWN)
        if n_drawn < _MIN_DRAWN:
            return None
        random = np.random.default_rng([settings.forest.seed, len(drawable), 1])
        drawn = np.sort(random.choice(drawable, n_drawn, replace=False))
        held = np.sort(random.choice(n_drawn, n_drawn // _HELD, replace=False)).astype(np.int32)
        X, rows = X[drawn], rows.select(drawn)
        forest = settings.forest.first()
        [tree] = forest.grow(scaling(X), forest.samples(rows, None), n_jobs=settings.n_jobs)
        pairs = path_pairs(tree, rows.select(held))
        return cls(X, rows, held, tree, pairs, settings.executor)

    def log_losses(self, scaling: RowScaling, solver: SolverSettings) -> NDArray[np.float64]:
        """Return the log loss of each held row over some nodes, with one link for all."""
        threads = self.executor.n_threads
        X = scaling(self.X, threads)
        longer = replace(solver, max_iter=_PASSES * solver.max_iter)
        training = PackTraining(self.tree, X, self.rows, longer, held=self.held)
        use = MemoryUse(threads, window_bytes=0.0)
        jobs = [PackJob(packs, use) for packs in sampled_runs(training.trainer.costs())]
        parts = list(in_order(self.executor.run(training, jobs)))
        numbers = np.concatenate([part.held_pairs for part in parts])
        scores = np.concatenate([part.held_scores for part in parts])
        n_positive = NodeCounts.of(self.tree, self.rows, None).positive
        is_used = (n_positive[self.pairs.node[numbers]] > FULL_C_ROWS) & np.isfinite(scores)
        numbers, scores = numbers[is_used], scores[is_used]
        is_positive = self.pairs.is_positive[numbers]
        link = fit_link(scores, is_positive, Link(*LINKS[solver.loss]), FIXED_STRENGTH)
        odds = link.slope * scores.astype(np.float64) + link.intercept
        losses = np.logaddexp(0.0, np.where(is_positive, -odds, odds))
        return np.bincount(self.pairs.row[numbers], losses, len(self.held)).astype(np.float64)

    def best_solver(
        self, scaling: RowScaling, solver: SolverSettings, losses: NDArray[np.float64]
    ) -> SolverSettings:
        """Return the solver with half or twice its C if that lowers its log loss."""
        for factor, share in _FACTORS.items():
            other = replace(solver, C=factor * solver.C)
            if is_lower(self.log_losses(scaling, other), losses, share):
                return other
        return solver

"""Settings of rankers that held-back rows gain from most, or none if they do not gain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, logit

from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.execution import Executor
from labeltree.execution.background import Background
from labeltree.metrics.ranked_hits import is_true
from labeltree.model.links import Link
from labeltree.model.model import Model
from labeltree.model.rankers import N_CANDIDATES, RANKER_LINK, Rankers
from labeltree.training.held_back import HeldBack, is_gain, mean_precision
from labeltree.training.loss_weights import NO_DECAY
from labeltree.training.rankers import find_candidates, train_rankers
from labeltree.training.solver_settings import SolverSettings

#: Links to choose from, and exponents of C_decay, which is the same for positive and negative rows.
LINKS = tuple(
    Link(float(slope), float(intercept))
    for slope, intercept in ((2, 0), (3, 0), (3, 1), (4, 1), (4, 2), (4, 3), (6, 3))
)
DECAYS = (0.0, 0.5)
# Standard errors that rankers must gain. The best of many settings seems to gain where it does not,
# and where more trees would (docs/explanation/study-effort.md).
_ERRORS = 1.25


class RankerChoice(NamedTuple):
    """Settings of rankers."""

    C_decay: tuple[float, ...]
    link: Link

    def applied(self, settings: SolverSettings) -> SolverSettings:
        """Return the settings of the solver; a `C_decay` that is given stays."""
        return replace(settings, C_decay=settings.C_decay or self.C_decay)


#: Settings that gain on most data sets, without held-back rows.
DEFAULT_CHOICE = RankerChoice(NO_DECAY, RANKER_LINK)


class CandidateScores(NamedTuple):
    """The candidates of held-back rows, [row][place], the most probable first."""

    probabilities: NDArray[np.float64]  # of the trees
    scores: NDArray[np.float64]  # of the rankers
    is_true: NDArray[np.bool_]


class _Trial(NamedTuple):
    """Settings that were tried, and their gain; 0 if it is too small to count."""

    choice: RankerChoice
    rankers: Rankers
    gain: float


class RankerTrials:
    """Rankers that are trained without the held-back rows, to try them on these rows.

    Only rankers of labels that are candidates of held-back rows are trained.

    Parameters
    ----------
    model
        The trees.
    unseen
        The first tree, trained on the other rows: it finds the candidates that rankers learn from.
        A tree that knows the held-back rows would take similar rows for rows of their labels, and
        so spoil the rankers of these labels.
    X, rows, sample_weight, n_threads, max_memory, executor
        The other rows and how to train on them, as in `train_rankers`.
    held
        The held-back rows, and the scores that the model has for them before it learns from them.
    """

    def __init__(
        self,
        model: Model,
        unseen: Model,
        X: FeatureMatrix,
        rows: LabelRows,
        held: HeldBack,
        *,
        sample_weight: NDArray[np.float32] | None = None,
        n_threads: int = 1,
        max_memory: float | None = None,
        executor: Executor | None = None,
    ) -> None:
        # This process is free while several workers are busy.
        self._has_time = executor is not None and executor.n_workers > 1
        self._candidates_of_held = HeldCandidates(model, held, n_threads)
        with Background(has_thread=self._has_time) as background:
            background.submit(self._candidates_of_held.search)
            found = find_candidates(unseen, X, rows, n_threads, executor=executor)
            background.finish()
        needed = np.zeros(model.n_labels, bool)
        needed[self._candidates_of_held.found.indices] = True
        self._candidates = _only(found, needed)
        self._model, self._X, self._rows = model, X, _only(rows, needed)
        self._sample_weight, self._n_threads = sample_weight, n_threads
        self._max_memory, self._executor = max_memory, executor

    def train(self, settings: SolverSettings, choice: RankerChoice) -> Rankers:
        """Return rankers with these settings."""
        rankers = train_rankers(
            self._model,
            self._X,
            self._rows,
            choice.applied(settings),
            sample_weight=self._sample_weight,
            candidates=self._candidates,
            n_threads=self._n_threads,
            max_memory=self._max_memory,
            executor=self._executor,
        )
        return replace(rankers, link=choice.link)

    def choose(self, settings: SolverSettings) -> tuple[RankerChoice, Rankers] | None:
        """Return the settings with the highest precision on held-back rows, and their rankers.

        None if no rankers are better. A `C_decay` that is given is not changed.
        """
        decays = [(p, p) for p in DECAYS] if settings.C_decay is None else [settings.C_decay]
        trials: list[_Trial] = []
        with Background(has_thread=self._has_time) as background:
            for decay in decays:
                rankers = self.train(settings, RankerChoice(decay, RANKER_LINK))
                background.submit(partial(self._try, decay, rankers, trials))
            background.finish()
        best = max(trials, key=lambda trial: trial.gain)  # the first of several
        return (best.choice, best.rankers) if best.gain > 0 else None

    def _try(self, decay: tuple[float, ...], rankers: Rankers, trials: list[_Trial]) -> None:
        """Add the best link of rankers to a list."""
        link, gain = choose_link(self._candidates_of_held.scores(rankers))
        choice = RankerChoice(decay, link or RANKER_LINK)
        trials.append(_Trial(choice, replace(rankers, link=choice.link), gain))


def _only(rows: LabelRows, needed: NDArray[np.bool_]) -> LabelRows:
    """Return the rows without labels that are not needed."""
    is_kept = needed[rows.indices]
    indptr = np.append(0, np.cumsum(is_kept, dtype=np.int64))[rows.indptr]
    return replace(rows, indptr=indptr, indices=rows.indices[is_kept])


def choose_link(found: CandidateScores) -> tuple[Link | None, float]:
    """Return the link with the highest mean of P@1, P@3 and P@5, and its gain over the trees alone.

    There is none if it gains less than 1.25 standard errors.

    Examples
    --------
    >>> trees, scores = np.array([[0.6, 0.5]] * 9), np.array([[-1.0, 1.0]] * 9)
    >>> choose_link(CandidateScores(trees, scores, scores > 0))[0]
    Link(slope=2.0, intercept=0.0)
    >>> choose_link(CandidateScores(trees, scores, scores < 0))
    (None, 0.0)
    """
    alone = mean_precision(found.probabilities, found.is_true)
    gains = []
    for link in LINKS:
        product = found.probabilities * expit(link.slope * found.scores + link.intercept)
        gains.append(mean_precision(product, found.is_true) - alone)
    means = [float(gain.mean()) for gain in gains]
    best = int(np.argmax(means))
    return (LINKS[best], means[best]) if is_gain(gains[best], _ERRORS) else (None, 0.0)


@dataclass(frozen=True, eq=False)
class HeldCandidates:
    """The candidates of held-back rows by the trees of a model, which are searched for once."""

    model: Model
    held: HeldBack
    n_threads: int

    def search(self) -> None:
        """Find the candidates and their probabilities."""
        _ = self.found, self._alone

    @cached_property
    def found(self) -> sparse.csr_array[np.float32, tuple[int, int]]:
        """The candidates of each row, the most probable first."""
        return self.held.search(self.model, self.n_threads)

    @cached_property
    def _named(self) -> LabelRows:
        indptr, labels = self.found.indptr.astype(np.int64), self.found.indices.astype(np.int32)
        return replace(self.held.rows, indptr=indptr, indices=labels)

    @cached_property
    def _plain(self) -> Model:
        uncurved = replace(self.model.calibration, curve=None)
        return self.model.calibrated(uncurved).with_rankers(None)

    @cached_property
    def _alone(self) -> NDArray[np.float32]:
        """Their probabilities by the trees, without the scores of held-back rows."""
        return self._probabilities(self._plain)

    def scores(self, rankers: Rankers) -> CandidateScores:
        """Return what trees and rankers say about the candidates."""
        k, named = min(N_CANDIDATES, self.model.n_labels), self._named
        both = self._probabilities(self._plain.with_rankers(replace(rankers, link=Link(1.0, 0.0))))
        # The scores of the trees cancel out, so it does not matter that these know the rows.
        estimates = np.divide(both, self._alone, out=np.zeros(len(both)), where=self._alone > 0)
        return CandidateScores(
            self.found.data.astype(np.float64).reshape(-1, k),
            logit(np.clip(estimates, 1e-7, 1 - 1e-7)).reshape(-1, k),
            is_true(self.held.rows, named.indptr, named.indices).reshape(-1, k),
        )

    def _probabilities(self, model: Model) -> NDArray[np.float32]:
        return model.probabilities_of(self.held.X, self._named, n_threads=self.n_threads)

"""Successive halving: many settings on few rows, the best third on three times as many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from time import monotonic
from typing import Any

import numpy as np

from labeltree.arguments import checked
from labeltree.estimators import PLTClassifier, validation
from labeltree.execution.executor import Threads, as_executor, in_order
from labeltree.planning.budget import Budget
from labeltree.progress import Progress
from labeltree.text import TextTagger
from labeltree.training.effort import DEFAULT, LEVELS
from labeltree.tuning.evaluator import (
    RANKINGS,
    SETS,
    Evaluator,
    FailedTrial,
    Outcome,
    Trials,
    is_texts,
)
from labeltree.tuning.result import Trial, Tuning
from labeltree.tuning.space import Settings, described, draw_settings, open_choices

METRICS = RANKINGS + SETS
TIME = "5min"
METRIC = "nDCG@5"
HOLDOUT = 0.2
_MAX_HOLDOUT = 20_000  # rows; more take longer and hardly change the metrics
_FACTOR = 3  # each rung has this many times the rows of the one before, and fewer settings
_MAX_RUNGS = 4
_MIN_ROWS = 500  # in the smallest sample, if the data has that many
_MIN_SETTINGS, _MAX_SETTINGS = 6, 40  # on the smallest sample, if n_settings is None
_MAX_ROUNDS = 20
_PATIENCE = 30  # settings without improvement that end the search
_SLACK = 1.5  # other settings take longer than the default
# How much longer settings may take than the default before they are tried for the first time:
# character n-grams make several times as many features.
_SLOW = {"analyzer": 6.0, "ngram_range": 2.0, "tree_params": 3.0, "loss": 2.0}


@checked
def tune(
    X: Any,
    Y: Any,
    *,
    time: float | str | None = TIME,
    metric: str = METRIC,
    holdout: float = HOLDOUT,
    n_settings: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
    executor: Any = None,
    **fixed: Any,
) -> Tuning:
    """Search for the best settings within a time budget and return the result.

    Settings differ from the default in effort, C, loss, tree and, for texts, in the words and their
    weighting. The levels of effort are tried first. All settings are trained on a small sample of
    the rows and evaluated on held-out rows. The best third is trained on three times as many rows,
    and so on up to all rows. The next round tries settings close to the best in the same way, until
    nothing better is found or time runs out. The default is trained on every sample size, so the
    result is at least as good on the held-out rows. Ctrl-C ends the search with the best settings
    so far.

    Parameters
    ----------
    X
        A list of texts, or features of rows.
    Y
        Labels, in any form that `PLTClassifier.fit` accepts.
    time
        Time limit for the search and a final fit to all rows, in seconds or as a string such as
        "5min"; None for no limit.
    metric
        One of `METRICS`: P@k, R@k, nDCG@k or PSP@k for k of 1, 3 or 5, micro_F1 or macro_F1.
    holdout
        Fraction of the rows held out for evaluation, at most 20,000 rows.
    n_settings
        Number of settings that each round tries on the smallest sample. If None, as many as the
        time limit allows.
    random_state
        Seed for samples, settings and models. The score of a trial is reproducible; the number of
        trials depends on the time limit.
    progress
        Callback that receives the seconds elapsed and the time limit of the search, or without a
        limit the number of trials done and expected, and the next trial.
    executor
        Where trials are trained, as in `PLTClassifier`; those of a sample size run at the same
        time. Pass it to `Tuning.fit`, too.
    **fixed
        Parameters of `TextTagger` or `PLTClassifier` that are kept and not searched.

    Examples
    --------
    >>> texts = ["green tea", "black tea", "rye bread", "white bread"] * 10
    >>> tags = [["drink"], ["drink"], ["food"], ["food"]] * 10
    >>> tuning = tune(texts, tags, metric="P@1", n_settings=3, time=None)
    >>> tuning.best.score >= tuning.default.score
    True
    >>> tuning.fit(texts, tags).tag(["a pot of tea"], k=1)[0][0][0]
    'drink'
    """
    start = monotonic()
    metric = _known_metric(metric)
    if not 0 < holdout < 1:
        raise ValueError(f"holdout must be above 0 and below 1, but is {holdout:g}")
    if n_settings is not None and n_settings < 1:
        raise ValueError(f"n_settings must be at least 1, but is {n_settings}")
    seconds = Budget.parse(None if time is None else {"time": time}).time
    fixed = {**fixed, "random_state": validation.as_seed(random_state)}
    (TextTagger if is_texts(X) else PLTClassifier)(**fixed)  # raises for unknown parameters
    evaluator = Evaluator(
        X,
        Y,
        fixed=fixed,
        holdout=(holdout, _MAX_HOLDOUT),
        sets=metric in SETS,
        seed=fixed["random_state"],
    )
    limit = np.inf if seconds is None else seconds
    search = _Search(evaluator, metric, limit, start, progress, executor)
    choices = open_choices(fixed, is_text=evaluator.is_text)
    why = search.run(choices, n_settings, fixed["random_state"])
    best, outcome = search.winner()
    return Tuning(
        trials=search.trials,
        best=best,
        metric=metric,
        is_text=evaluator.is_text,
        fixed=fixed,
        n_validation=evaluator.truth.n_rows,
        seconds=monotonic() - start,
        why_ended=why,
        calibration=evaluator.calibration(outcome, best.settings, best.n_rows),
    )


def _known_metric(metric: str) -> str:
    """Return the metric in its usual spelling; upper and lower case are equivalent."""
    known = {name.lower(): name for name in METRICS}
    if metric.lower() not in known:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, but is {metric!r}")
    return known[metric.lower()]


class _Search:
    """The trials so far and the time left."""

    def __init__(
        self,
        evaluator: Evaluator,
        metric: str,
        limit: float,
        start: float,
        progress: Progress | None,
        executor: Any,
    ) -> None:
        self._given, self._executor = executor, as_executor(executor)
        self.trials: list[Trial] = []
        self._evaluator, self._metric, self._progress = evaluator, metric, progress
        self._limit, self._start = limit, start
        self._sizes = [n for n in rung_sizes(evaluator.n_training) if evaluator.n_labels(n)]
        if not self._sizes:
            raise ValueError("tuning needs labels, but no training row has any")
        self._best: dict[int, tuple[Trial, Outcome]] = {}  # by rung
        self._n_expected = 1

    def run(self, choices: dict[str, list[Settings]], n_settings: int | None, seed: int) -> str:
        """Try settings close to the default, then close to the best; return why it ended."""
        try:
            if self._attempt(0, {}).score is None:
                raise ValueError(self.trials[0].error)
            why = "done" if self._rounds(choices, n_settings, seed) else "time"
        except KeyboardInterrupt:
            if not self.trials:
                raise
            why = "stopped"
        if self._progress is not None:
            self._progress(1.0, 1.0, "")
        return why

    def _rounds(
        self, choices: dict[str, list[Settings]], n_settings: int | None, seed: int
    ) -> bool:
        """Run the rounds; return False if time ran out before the end."""
        center: Settings = {}
        is_complete, n_without_gain = True, 0
        for round_ in range(_MAX_ROUNDS):
            drawn = draw_settings(choices, seed + round_, center)
            n_candidates = (n_settings or self._affordable()) - 1
            if n_candidates < 1:
                return n_settings is not None
            candidates = list(islice((s for s in drawn if self._find(s, 0) is None), n_candidates))
            is_complete &= self._halve(center, candidates)
            best = self.winner()[0].settings
            n_without_gain = n_without_gain + len(candidates) if best == center else 0
            is_over = n_settings is not None or n_without_gain >= _PATIENCE or not candidates
            if best == center and is_over:
                break
            center = best
        return is_complete

    def _halve(self, center: Settings, candidates: list[Settings]) -> bool:
        """Run successive halving over the rungs; return False if time ran out."""
        self._n_expected = len(self.trials) + _n_trials(len(candidates), len(self._sizes))
        is_complete = True
        for rung in range(len(self._sizes)):
            for settings in ({}, center):
                if self._find(settings, rung) is None:
                    if not self._is_affordable(settings, rung):
                        return False
                    self._attempt(rung, settings)
            is_complete &= self._attempt_all(rung, candidates)
            candidates = self._best_third(rung, candidates)
        return is_complete

    def winner(self) -> tuple[Trial, Outcome]:
        """Return the best trial of the largest rung, if possible one with more than the default."""
        n_tried = {rung: sum(t.rung == rung for t in self.trials) for rung in self._best}
        compared = [rung for rung, n in n_tried.items() if n > 1]
        return self._best[max(compared or self._best)]

    def _attempt_all(self, rung: int, candidates: list[Settings]) -> bool:
        """Try settings, grouped by text features; return False if time ran out."""
        groups: dict[str, list[Settings]] = {self._evaluator.text_key({}): []}
        for settings in candidates:
            groups.setdefault(self._evaluator.text_key(settings), []).append(settings)
        now = monotonic() - self._start
        n_rungs_left = len(self._sizes) - rung
        until = now + (self._limit - self._final_fit_time() - now) / n_rungs_left
        skipped, tried = list[Settings](), list[Settings]()

        def affordable() -> Iterator[Settings]:
            for i, settings in enumerate([one for group in groups.values() for one in group]):
                ends = monotonic() - self._start + self._seconds(settings, self._sizes[rung])
                # One candidate may exceed the rung's share of time: without it, nothing is
                # compared.
                if not self._is_affordable(settings, rung) or (ends > until and i):
                    skipped.append(settings)
                    continue
                self._report(f"{self._sizes[rung]:,} rows, {described(settings)}")
                tried.append(settings)
                yield settings

        # Recorded in the order of the candidates, so that workers do not decide ties.
        for i, made in enumerate(in_order(self._trained(rung, affordable()))):
            self._record(rung, tried[i], made)
        return not skipped

    def _trained(
        self, rung: int, wanted: Iterator[Settings]
    ) -> Iterator[tuple[int, Outcome | FailedTrial]]:
        if self._executor.n_workers == 1:
            return Threads().run(Trials(self._evaluator, self._sizes[rung]), wanted)
        n_jobs = self._executor.n_threads
        return self._executor.run(Trials(self._evaluator, self._sizes[rung], n_jobs), wanted)

    def _attempt(self, rung: int, settings: Settings) -> Trial:
        n_rows = self._sizes[rung]
        self._report(f"{n_rows:,} rows, {described(settings)}")
        start = monotonic()
        try:
            outcome = self._evaluator.evaluate(settings, n_rows, self._given)
        except ValueError as error:
            return self._record(rung, settings, FailedTrial(str(error), monotonic() - start))
        return self._record(rung, settings, outcome)

    def _record(self, rung: int, settings: Settings, outcome: Outcome | FailedTrial) -> Trial:
        n_rows = self._sizes[rung]
        if isinstance(outcome, FailedTrial):
            seconds, error = outcome.seconds, outcome.error
            trial = Trial(rung, n_rows, settings, None, seconds, error=error)
            self.trials.append(trial)
            return trial
        figures = outcome.figures
        trial = Trial(rung, n_rows, settings, figures[self._metric], outcome.seconds, figures)
        self.trials.append(trial)
        best = self._best.get(rung)
        # The default comes first, so it wins ties.
        if best is None or figures[self._metric] > best[0].figures[self._metric]:
            self._best[rung] = trial, outcome
        return trial

    def _report(self, name: str) -> None:
        """Report the share of the time limit; without a limit, that of the expected trials."""
        if self._progress is None:
            return
        done, total = float(len(self.trials)), float(max(self._n_expected, len(self.trials) + 1))
        if np.isfinite(self._limit) and self.trials:
            done = monotonic() - self._start
            total = max(self._limit - self._final_fit_time(), 1.01 * done)
        self._progress(done, total, name)

    def _best_third(self, rung: int, candidates: list[Settings]) -> list[Settings]:
        tried = [
            trial for s in candidates if (trial := self._find(s, rung)) and trial.score is not None
        ]
        tried.sort(key=lambda trial: -(trial.score or 0.0))
        return [trial.settings for trial in tried[: max(1, round(len(candidates) / _FACTOR))]]

    def _find(self, settings: Settings, rung: int) -> Trial | None:
        return next((t for t in self.trials if t.rung == rung and t.settings == settings), None)

    def _affordable(self) -> int:
        """Return the number of settings that fit into the time left."""
        if np.isinf(self._limit):
            return _MAX_SETTINGS
        seconds = float(np.mean([trial.seconds for trial in self.trials if trial.rung == 0]))
        left = self._limit - (monotonic() - self._start) - self._final_fit_time()
        if len(self.trials) == 1:  # others take longer, and the default has more rungs to run
            left = (left - 2 * self._final_fit_time()) / _SLACK
        n_settings = left / (seconds * len(self._sizes))  # each rung takes about the same time
        return int(
            np.clip(n_settings, _MIN_SETTINGS if len(self.trials) == 1 else 0, _MAX_SETTINGS)
        )

    def _seconds(self, settings: Settings, n_rows: int) -> float:
        """Estimate how long settings take on some rows, from their largest trial so far."""
        earlier = [t for t in self.trials if t.settings == settings and t.score is not None]
        known = earlier[-1] if earlier else self.trials[0]
        factor = 1.0 if earlier else _slowness(settings)
        return factor * known.seconds * n_rows / known.n_rows

    def _is_affordable(self, settings: Settings, rung: int) -> bool:
        """Return whether a trial and a final fit, even with these settings, end in time."""
        ends = monotonic() - self._start + self._seconds(settings, self._sizes[rung])
        last = max(self._final_fit_time(), self._seconds(settings, self._n_rows))
        return ends + last <= self._limit

    def _final_fit_time(self) -> float:
        """Estimate how long the final fit of the best settings to all rows takes."""
        return self._seconds(self.winner()[0].settings, self._n_rows)

    @property
    def _n_rows(self) -> int:
        return self._evaluator.n_training + self._evaluator.truth.n_rows


def _slowness(settings: Settings) -> float:
    """Return how many times as long as the default settings may take."""
    others = max((_SLOW.get(name, 1.0) for name in settings), default=1.0)
    return others * max(LEVELS[settings.get("effort", DEFAULT)].time, 1.0)


def rung_sizes(n_rows: int) -> list[int]:
    """Return the number of rows of each rung.

    Examples
    --------
    >>> rung_sizes(9000), rung_sizes(100)
    ([1000, 3000, 9000], [100])
    """
    sizes = [n_rows]
    while len(sizes) < _MAX_RUNGS and sizes[-1] // _FACTOR >= _MIN_ROWS:
        sizes.append(sizes[-1] // _FACTOR)
    return sizes[::-1]


def _n_trials(n_candidates: int, n_rungs: int) -> int:
    """Return the number of trials of a round without a time limit."""
    total = 0
    for _ in range(n_rungs):
        total += 1 + n_candidates
        n_candidates = max(1, round(n_candidates / _FACTOR))
    return total

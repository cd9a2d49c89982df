"""Successive halving: many settings on few rows, the better ones on three times as many."""

from __future__ import annotations

from itertools import islice
from time import monotonic
from typing import Any

import numpy as np

from labeltree.estimators import PLTClassifier, validation
from labeltree.planning.budget import Budget
from labeltree.progress import Progress
from labeltree.text import TextTagger
from labeltree.tuning.evaluator import RANKINGS, SETS, Judge, Outcome, is_texts
from labeltree.tuning.result import Trial, Tuning
from labeltree.tuning.space import Settings, described, draw_settings, open_choices

METRICS = RANKINGS + SETS
TIME = "5min"
METRIC = "nDCG@5"
HOLDOUT = 0.2
_MAX_HELD = 20_000  # rows that judge; more would take time and change little
_FACTOR = 3  # rows from rung to rung, and settings the other way round
_MAX_RUNGS = 4
_MIN_ROWS = 500  # of the smallest sample, if there are as many
_FEWEST, _MOST = 6, 40  # settings of the smallest sample, if time decides
_MAX_ROUNDS = 20
_PATIENCE = 30  # settings in vain that end the search, if time does not
_SLACK = 1.5  # other settings take longer than the default


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
    **fixed: Any,
) -> Tuning:
    """Return the best settings for texts or rows that a search under a time budget finds.

    Settings differ from the default in C, loss, tree and, for texts, in words and how they are
    counted. All are trained on a small sample of the rows and judged on rows held out; the best
    third goes on to three times as many rows, and so on up to all. Then settings around the best
    are tried in the same way, until nothing better is found or time is up. The default goes all
    the way, so that what is found is at least as good on the rows that judge. Ctrl-C ends the
    search with the best so far.

    Parameters
    ----------
    X
        A list of texts, or features of rows.
    Y
        Labels, in any form that `PLTClassifier.fit` takes.
    time
        Seconds, or a text such as "5min", for the search and a fit of the best to all rows; None
        for no limit.
    metric
        One of `METRICS`: P@k, R@k, nDCG@k and PSP@k for k of 1, 3 and 5, micro_F1, macro_F1.
    holdout
        Share of the rows that judge, up to 20,000 rows.
    n_settings
        How many settings each round tries on the smallest sample; what time allows if None.
    random_state
        Seed of samples, settings and models. The same trial has the same score each time; how many
        there are depends on time.
    progress
        Called with trials done, trials expected, and what is tried next.
    **fixed
        Parameters of `TextTagger` or `PLTClassifier` that are settled; they are not searched.

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
    known = {name.lower(): name for name in METRICS}
    if metric.lower() not in known:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, but is {metric!r}")
    if not 0 < holdout < 1:
        raise ValueError(f"holdout must be above 0 and below 1, but is {holdout:g}")
    if n_settings is not None and n_settings < 1:
        raise ValueError(f"n_settings must be at least 1, but is {n_settings}")
    seconds = Budget.parse(None if time is None else {"time": time}).time
    fixed = {**fixed, "random_state": validation.as_seed(random_state)}
    (TextTagger if is_texts(X) else PLTClassifier)(**fixed)  # which knows its parameters
    metric = known[metric.lower()]
    judge = Judge(
        X,
        Y,
        fixed=fixed,
        holdout=(holdout, _MAX_HELD),
        sets=metric in SETS,
        seed=fixed["random_state"],
    )
    limit = np.inf if seconds is None else seconds
    search = _Search(judge, metric, limit, start, progress)
    choices = open_choices(fixed, is_text=judge.is_text)
    why = search.run(choices, n_settings, fixed["random_state"])
    best, outcome = search.winner()
    return Tuning(
        trials=search.trials,
        best=best,
        metric=metric,
        is_text=judge.is_text,
        fixed=fixed,
        n_validation=judge.truth.n_rows,
        seconds=monotonic() - start,
        why_ended=why,
        calibration=judge.calibration(outcome),
    )


class _Search:
    """The trials so far, and what time is left for more."""

    def __init__(
        self, judge: Judge, metric: str, limit: float, start: float, progress: Progress | None
    ) -> None:
        self.trials: list[Trial] = []
        self._judge, self._metric, self._progress = judge, metric, progress
        self._limit, self._start = limit, start
        self._sizes = [n for n in rung_sizes(judge.n_training) if judge.n_labels(n)]
        if not self._sizes:
            raise ValueError("tuning needs labels, but no row to train by has any")
        self._best: dict[int, tuple[Trial, Outcome]] = {}  # by rung
        self._n_expected = 1

    def run(self, choices: dict[str, list[Settings]], n_settings: int | None, seed: int) -> str:
        """Try settings around the default, then around the best; return why it ended."""
        try:
            if self._attempt(0, {}).score is None:
                raise ValueError(self.trials[0].error)
            return "done" if self._rounds(choices, n_settings, seed) else "time"
        except KeyboardInterrupt:
            if not self.trials:
                raise
            return "stopped"

    def _rounds(
        self, choices: dict[str, list[Settings]], n_settings: int | None, seed: int
    ) -> bool:
        """Return False if time left something out."""
        centre: Settings = {}
        is_whole, n_in_vain = True, 0
        for round_ in range(_MAX_ROUNDS):
            drawn = draw_settings(choices, seed + round_, centre)
            n_rivals = (n_settings or self._affordable()) - 1
            if n_rivals < 1:
                return n_settings is not None
            rivals = list(islice((s for s in drawn if self._find(s, 0) is None), n_rivals))
            is_whole &= self._halve(centre, rivals)
            best = self.winner()[0].settings
            n_in_vain = n_in_vain + len(rivals) if best == centre else 0
            if best == centre and (n_settings is not None or n_in_vain >= _PATIENCE or not rivals):
                break
            centre = best
        return is_whole

    def _halve(self, centre: Settings, rivals: list[Settings]) -> bool:
        """Try settings rung by rung, the better third on more rows; False if time ended it."""
        self._n_expected = len(self.trials) + _n_trials(len(rivals), len(self._sizes))
        is_whole = True
        for rung in range(len(self._sizes)):
            for settings in ({}, centre):
                if self._find(settings, rung) is None:
                    if self._end_of(settings, rung) > self._limit - self._time_of_fit():
                        return False
                    self._attempt(rung, settings)
            is_whole &= self._attempt_all(rung, rivals)
            rivals = self._better_third(rung, rivals)
        return is_whole

    def winner(self) -> tuple[Trial, Outcome]:
        """Return the best on most rows, of a rung where the default had a rival if there is one."""
        n_tried = {rung: sum(t.rung == rung for t in self.trials) for rung in self._best}
        with_rivals = [rung for rung, n in n_tried.items() if n > 1]
        return self._best[max(with_rivals or self._best)]

    def _attempt_all(self, rung: int, rivals: list[Settings]) -> bool:
        """Try settings while there is time, those with the same words one after the other."""
        groups: dict[str, list[Settings]] = {self._judge.text_key({}): []}
        for settings in rivals:
            groups.setdefault(self._judge.text_key(settings), []).append(settings)
        now = monotonic() - self._start
        n_rungs_left = len(self._sizes) - rung
        until = now + (self._limit - self._time_of_fit() - now) / n_rungs_left
        is_whole = True
        for i, settings in enumerate([one for group in groups.values() for one in group]):
            ends = self._end_of(settings, rung)
            # One rival is worth more time than the rung's share: without it nothing is compared.
            if ends > until and (i or ends > self._limit - self._time_of_fit()):
                is_whole = False
                continue
            self._attempt(rung, settings)
        return is_whole

    def _attempt(self, rung: int, settings: Settings) -> Trial:
        n_rows = self._sizes[rung]
        if self._progress is not None:
            done = len(self.trials)
            total = max(self._n_expected, done + 1)
            self._progress(done, total, f"{n_rows:,} rows, {described(settings)}")
        start = monotonic()
        try:
            outcome = self._judge.judge(settings, n_rows)
        except ValueError as error:  # such as min_df, where no word is left
            took = monotonic() - start
            trial = Trial(rung, n_rows, settings, None, took, error=str(error))
            self.trials.append(trial)
            return trial
        figures = outcome.figures
        trial = Trial(rung, n_rows, settings, figures[self._metric], outcome.seconds, figures)
        self.trials.append(trial)
        best = self._best.get(rung)
        # The default comes first, so it stays where nothing is better.
        if best is None or figures[self._metric] > best[0].figures[self._metric]:
            self._best[rung] = trial, outcome
        return trial

    def _better_third(self, rung: int, rivals: list[Settings]) -> list[Settings]:
        tried = [
            trial for s in rivals if (trial := self._find(s, rung)) and trial.score is not None
        ]
        tried.sort(key=lambda trial: -(trial.score or 0.0))
        return [trial.settings for trial in tried[: max(1, round(len(rivals) / _FACTOR))]]

    def _find(self, settings: Settings, rung: int) -> Trial | None:
        return next((t for t in self.trials if t.rung == rung and t.settings == settings), None)

    def _affordable(self) -> int:
        """Return how many settings there is time for."""
        if np.isinf(self._limit):
            return _MOST
        seconds = float(np.mean([trial.seconds for trial in self.trials if trial.rung == 0]))
        left = self._limit - (monotonic() - self._start) - self._time_of_fit()
        if len(self.trials) == 1:  # other settings take longer, and the default has rungs to go
            left = (left - 2 * self._time_of_fit()) / _SLACK
        n_settings = left / (seconds * len(self._sizes))  # each rung takes about the same
        return int(np.clip(n_settings, _FEWEST if len(self.trials) == 1 else 0, _MOST))

    def _end_of(self, settings: Settings, rung: int) -> float:
        """Return when a trial would end, by the largest trial of the settings so far."""
        earlier = [t for t in self.trials if t.settings == settings]
        known = earlier[-1] if earlier else self.trials[0]
        return monotonic() - self._start + known.seconds * self._sizes[rung] / known.n_rows

    def _time_of_fit(self) -> float:
        """Return how long the last fit will take, which is of all rows."""
        known = max((t for t in self.trials if t.score is not None), key=lambda t: t.n_rows)
        n_rows = self._judge.n_training + self._judge.truth.n_rows
        return known.seconds * n_rows / known.n_rows


def rung_sizes(n_rows: int) -> list[int]:
    """Return the rows of each rung.

    Examples
    --------
    >>> rung_sizes(9000), rung_sizes(100)
    ([1000, 3000, 9000], [100])
    """
    sizes = [n_rows]
    while len(sizes) < _MAX_RUNGS and sizes[-1] // _FACTOR >= _MIN_ROWS:
        sizes.append(sizes[-1] // _FACTOR)
    return sizes[::-1]


def _n_trials(n_rivals: int, n_rungs: int) -> int:
    """Return how many trials there are if time does not end them."""
    total = 0
    for _ in range(n_rungs):
        total += 1 + n_rivals
        n_rivals = max(1, round(n_rivals / _FACTOR))
    return total

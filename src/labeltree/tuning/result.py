"""The result of a search: its trials and the best settings."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from labeltree.estimators import PLTClassifier
from labeltree.model import Calibration
from labeltree.text import TextTagger
from labeltree.tuning.space import Settings, described
from labeltree.units import format_seconds

_SHOWN = 5  # trials of each number of rows
_COLUMNS = ("rung", "n_rows", "score", "seconds", "settings", "error")


@dataclass(frozen=True)
class Trial:
    """One combination of settings, trained on a sample and evaluated on the validation rows."""

    rung: int  #: 0 for the smallest sample of rows
    n_rows: int  #: number of training rows
    settings: Settings  #: parameters that differ from the default
    score: float | None  #: metric on the validation rows; None if training failed
    seconds: float  #: features, training and evaluation; trials may share their features
    figures: Mapping[str, float] = field(default_factory=dict)  #: all metrics
    error: str | None = None  #: why training failed


@dataclass(frozen=True)
class Tuning:
    """The trials of a search, and the best settings.

    `print` shows a table of the trials with the most rows first.
    """

    trials: Sequence[Trial]  #: in the order they ran
    best: Trial  #: the best of those with the most training rows
    metric: str
    is_text: bool
    fixed: Mapping[str, Any]  #: parameters set by the user
    n_validation: int  #: number of rows held out for evaluation
    seconds: float
    why_ended: str  #: "done", "time" or "stopped"
    calibration: Calibration | None = None  #: fitted to the validation rows

    @property
    def settings(self) -> Settings:
        """The best parameters: those found by the search and those set by the user."""
        return {**self.fixed, **self.best.settings}

    @property
    def default(self) -> Trial:
        """The trial of the default settings with as many rows as the best."""
        return next(
            trial
            for trial in self.trials
            if trial.n_rows == self.best.n_rows and not trial.settings
        )

    def estimator(self, **options: Any) -> PLTClassifier | TextTagger:
        """Return an unfitted estimator with the best settings and the given options."""
        return (TextTagger if self.is_text else PLTClassifier)(**{**self.settings, **options})

    def fit(self, X: Any, Y: Any, **options: Any) -> PLTClassifier | TextTagger:
        """Return an estimator with the best settings, fitted to X and Y, usually all rows.

        The curve of the search is kept, because the validation rows are now part of the training
        rows. Options are other parameters, such as verbose. There is no
        ConvergenceWarning, because the settings were chosen by their score on validation rows.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = self.estimator(**options).fit(X, Y)
        if self.calibration is not None:
            classifier = model.classifier_ if isinstance(model, TextTagger) else model
            state = classifier._fitted  # its tree may differ from that of the search
            classifier._calibrated(state, self.calibration.kept_for(state.model.calibration))
        return model

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON."""
        return {
            "metric": self.metric,
            "best": asdict(self.best),
            "given": _plain(self.fixed),
            "n_validation": self.n_validation,
            "seconds": self.seconds,
            "why_ended": self.why_ended,
            "trials": [asdict(trial) for trial in self.trials],
        }

    def to_json(self) -> str:
        """Return the result, with all trials, as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """Return all trials as CSV, one line per trial."""
        names = list(self.best.figures)
        made = io.StringIO()
        table = csv.writer(made, lineterminator="\n")
        table.writerow([*_COLUMNS, *names])
        for trial in self.trials:
            plain = {**asdict(trial), "settings": described(trial.settings)}
            figures = [trial.figures.get(name, "") for name in names]
            table.writerow([*("" if plain[c] is None else plain[c] for c in _COLUMNS), *figures])
        return made.getvalue()

    def __str__(self) -> str:
        lines = [f"{'rows':>9} {self.metric:>9} {'time':>7}  settings"]
        for n_rows in sorted({trial.n_rows for trial in self.trials}, reverse=True):
            trials = sorted((t for t in self.trials if t.n_rows == n_rows), key=_order)
            shown = [t for i, t in enumerate(trials) if i < _SHOWN or not t.settings]
            lines += [_line(trial, is_best=trial is self.best) for trial in shown]
            if len(trials) > len(shown):
                lines.append(f"{n_rows:>9,}  and {len(trials) - len(shown)} more")
        return "\n".join(lines)


def _order(trial: Trial) -> float:
    """Sort key: the best score first, failed trials last."""
    return 1.0 if trial.score is None else -trial.score


def _line(trial: Trial, *, is_best: bool) -> str:
    score = "failed" if trial.score is None else f"{trial.score:.4f}"
    words = described(trial.settings) + (f": {trial.error:.60}" if trial.error else "")
    mark = " *" if is_best else ""
    return f"{trial.n_rows:>9,} {score:>9} {format_seconds(trial.seconds):>7}  {words}{mark}"


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    kinds = (str, int, float, bool, list, tuple, dict, type(None))
    return {
        name: value if isinstance(value, kinds) else repr(value) for name, value in given.items()
    }

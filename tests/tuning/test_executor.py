"""Trials on the workers of an executor."""

import pickle
from dataclasses import dataclass

import pytest

from labeltree import tune
from labeltree.tuning.evaluator import Evaluator, FailedTrial, Outcome, Trials


@dataclass
class Backwards:
    """Runs jobs last to first, on a copy of the work."""

    n_workers: int = 2
    n_threads: int = 1

    def run(self, work, jobs):
        jobs, copied = list(jobs), pickle.loads(pickle.dumps(work))
        for number in range(len(jobs) - 1, -1, -1):
            yield number, pickle.loads(pickle.dumps(copied(jobs[number])))


TEXTS = [f"word{i % 7} word{i % 5} green tea" for i in range(60)]
TAGS = [[f"tag{i % 7}", f"tag{i % 5}"] for i in range(60)]
ROWS = [[i % 7, i % 5, 1.0] for i in range(60)]


@pytest.mark.parametrize("X", [TEXTS, ROWS], ids=["texts", "rows"])
def test_trials_do_not_depend_on_the_executor(X) -> None:
    options = {"metric": "P@1", "n_settings": 4, "time": None}
    one, spread = (tune(X, TAGS, executor=executor, **options) for executor in (None, Backwards()))
    assert [trial.settings for trial in spread.trials] == [trial.settings for trial in one.trials]
    assert [trial.score for trial in spread.trials] == [trial.score for trial in one.trials]
    assert spread.best.settings == one.best.settings
    assert pickle.dumps(spread.calibration) == pickle.dumps(one.calibration)


def test_a_setting_that_fails_in_a_worker_returns_its_error() -> None:
    evaluator = Evaluator(TEXTS, TAGS, fixed={}, holdout=(0.2, 100), sets=False, seed=0)
    failed = Trials(evaluator, 40, n_jobs=1)({"min_df": 1000})
    assert isinstance(failed, FailedTrial)
    assert "1000" in failed.error or "word" in failed.error


def test_a_trial_of_a_worker_does_not_send_the_rows_back() -> None:
    evaluator = Evaluator(ROWS, TAGS, fixed={}, holdout=(0.2, 100), sets=False, seed=0)
    made = Trials(evaluator, 40, n_jobs=1)({})
    assert isinstance(made, Outcome)
    assert made.X_validation is None

"""The search for settings, in Python and as a command."""

from __future__ import annotations

import csv
import json
import shlex
from itertools import islice

import numpy as np
import pytest
from scipy import sparse

import labeltree as lt
from labeltree import PLTClassifier, TextTagger, tune
from labeltree.cli import main
from labeltree.cli.options import written_options
from labeltree.data import write_jsonl
from labeltree.tuning import evaluator, search
from labeltree.tuning.space import draw_settings, open_choices

TEXTS = ["green tea", "black tea", "rye bread", "white bread", "milk tea"] * 12
TAGS = [["drink"], ["drink", "black"], ["food"], ["food"], ["drink", "milk"]] * 12


@pytest.fixture
def small_rungs(monkeypatch) -> None:
    monkeypatch.setattr(search, "_MIN_ROWS", 5)


def quick(texts=TEXTS, tags=TAGS, **options):
    return tune(texts, tags, **{"time": None, "n_settings": 4, "n_jobs": 1, **options})


def matrices() -> tuple[sparse.csr_array, list[int]]:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 4, 80)
    X = np.eye(4)[classes] + 0.1 * rng.random((80, 4))
    return sparse.csr_array(X.astype(np.float32)), classes.tolist()


# The search -------------------------------------------------------------------------------------


def test_the_default_is_tried_on_every_rung_and_never_beats_the_best(small_rungs) -> None:
    tuning = quick(metric="P@3")
    sizes = {trial.n_rows for trial in tuning.trials}
    assert len(sizes) > 1
    assert {trial.n_rows for trial in tuning.trials if not trial.settings} == sizes
    assert tuning.best.n_rows == max(sizes)
    assert tuning.best.score >= tuning.default.score


def test_the_best_third_is_trained_on_more_rows(small_rungs, monkeypatch) -> None:
    monkeypatch.setattr(search, "_MAX_ROUNDS", 1)
    tuning = quick(n_settings=7)
    rungs = [[t for t in tuning.trials if t.rung == rung and t.settings] for rung in (0, 1)]
    assert [len(rung) for rung in rungs] == [6, 2]
    best = sorted((trial.score for trial in rungs[0]), reverse=True)[:2]
    settings = [trial.settings for trial in rungs[1]]
    assert sorted((t.score for t in rungs[0] if t.settings in settings), reverse=True) == best


def test_the_same_trials_have_the_same_scores(small_rungs) -> None:
    first, again = quick(), quick(n_jobs=2)
    assert [(t.settings, t.n_rows, t.figures) for t in first.trials] == [
        (t.settings, t.n_rows, t.figures) for t in again.trials
    ]


def test_a_score_equals_evaluate_on_the_held_out_rows() -> None:
    tuning = quick(n_settings=1, holdout=0.25)
    order = np.random.default_rng(0).permutation(len(TEXTS))
    held_out, rest = np.sort(order[:15]), np.sort(order[15:])
    tagger = TextTagger(n_jobs=1).fit([TEXTS[i] for i in rest], [TAGS[i] for i in rest])
    expected = tagger.evaluate([TEXTS[i] for i in held_out], [TAGS[i] for i in held_out])
    assert tuning.best.score == pytest.approx(expected["nDCG@5"])
    assert tuning.n_validation == 15


def test_labels_missing_from_a_sample_count_as_misses(small_rungs) -> None:
    tags = [[f"only {i}"] for i in range(len(TEXTS))]
    assert quick(tags=tags, n_settings=2).best.score == 0.0


@pytest.mark.parametrize("metric", ["psp@3", "micro_f1", "macro_F1", "R@5"])
def test_every_kind_of_metric_can_be_optimized(metric) -> None:
    tuning = quick(metric=metric, n_settings=2)
    assert tuning.metric.lower() == metric.lower()
    assert tuning.best.score == tuning.best.figures[tuning.metric] > 0


def test_classes_and_matrices_can_be_tuned() -> None:
    X, classes = matrices()
    tuning = tune(X, classes, time=None, n_settings=3, metric="micro_F1", n_jobs=1)
    model = tuning.fit(X, classes)
    assert isinstance(model, PLTClassifier)
    assert (model.predict(X) == classes).mean() > 0.9


def test_given_parameters_are_kept_and_not_searched() -> None:
    tuning = quick(C=3.0, loss="logistic", analyzer="word", n_settings=9)
    assert not {"C", "loss", "ngram_range"} & {name for t in tuning.trials for name in t.settings}
    assert tuning.fit(TEXTS, TAGS).classifier.C == 3.0


def test_a_user_supplied_tree_is_kept() -> None:
    tree = lt.LabelTree.from_nested([["drink", "milk"], ["food", "black"]])
    tuning = quick(tree=tree, n_settings=2)
    assert tuning.fit(TEXTS, TAGS).trees_ == [tree]


def test_text_features_are_computed_once_for_settings_that_share_them(monkeypatch) -> None:
    made = []
    fit = evaluator.TextFeatures.fit

    def counted(options, texts, embeddings):
        made.append((options, len(texts)))
        return fit(options, texts, embeddings)

    monkeypatch.setattr(evaluator.TextFeatures, "fit", counted)
    monkeypatch.setattr(search, "_MAX_ROUNDS", 1)
    tuning = quick(n_settings=30)
    assert len(tuning.trials) > len(made) == len(set(map(repr, made)))


def test_without_time_only_the_default_is_tried(small_rungs) -> None:
    tuning = tune(TEXTS, TAGS, time="1ms", n_jobs=1)
    assert tuning.why_ended == "time"
    assert not any(trial.settings for trial in tuning.trials)
    assert tuning.best.settings == {}


@pytest.mark.parametrize("slow", [1.0, 6.0])
def test_search_and_final_fit_end_within_the_limit(slow, small_rungs, monkeypatch) -> None:
    class Clock:
        now = 0.0

    def seconds(settings, n_rows) -> float:
        return 0.01 * n_rows * (slow if "analyzer" in settings else 1.2 if settings else 1.0)

    def evaluate(self, settings, n_rows, executor=None):
        took = seconds(settings, n_rows)
        Clock.now += took
        score = 0.5 + 0.01 * len(settings) + 0.1 * ("analyzer" in settings)
        figures = dict.fromkeys(search.RANKINGS, score)
        return evaluator.Outcome(None, None, None, figures, took)

    monkeypatch.setattr(search, "monotonic", lambda: Clock.now)
    monkeypatch.setattr(evaluator.Evaluator, "evaluate", evaluate)
    monkeypatch.setattr(evaluator.Evaluator, "calibration", lambda self, *outcome: None)
    for limit in (5.0, 20.0, 60.0):
        Clock.now = 0.0
        tuning = tune(TEXTS, TAGS, time=limit, n_jobs=1)
        assert len(tuning.trials) > 1
        assert tuning.seconds + seconds(tuning.best.settings, len(TEXTS)) <= limit


def test_progress_is_the_share_of_the_time_limit() -> None:
    steps = []
    tune(TEXTS, TAGS, time="60s", n_settings=2, n_jobs=1, progress=lambda *step: steps.append(step))
    assert steps[-1] == (1.0, 1.0, "")
    assert 50 < steps[1][1] <= 60


@pytest.fixture
def stopped_early(monkeypatch) -> None:
    """Ctrl-C arrives when the first settings other than the default are tried."""
    evaluate = evaluator.Evaluator.evaluate

    def interrupted(self, settings, n_rows, executor=None):
        if settings:
            raise KeyboardInterrupt
        return evaluate(self, settings, n_rows, executor)

    monkeypatch.setattr(evaluator.Evaluator, "evaluate", interrupted)


@pytest.mark.usefixtures("stopped_early")
def test_ctrl_c_returns_the_best_so_far() -> None:
    tuning = quick()
    assert tuning.why_ended == "stopped"
    assert len(tuning.trials) == 1
    assert tuning.fit(TEXTS, TAGS).tag(["tea"], k=1)[0][0][0] == "drink"


def test_settings_that_fail_are_skipped() -> None:
    texts = [f"word{i}" for i in range(60)]  # no word is in three texts
    tuning = quick(texts, n_settings=30)
    failed = [trial for trial in tuning.trials if trial.score is None]
    assert all(trial.settings["min_df"] == 3 for trial in failed)
    assert failed
    assert failed[0].error in tuning.to_csv()


def test_the_final_fit_keeps_the_calibration_of_the_validation_rows() -> None:
    tuning = quick(n_settings=1)
    model = tuning.fit(TEXTS, TAGS)
    assert model.model_.calibration.curve is tuning.calibration.curve
    assert tuning.calibration.curve is not None


def test_the_final_fit_may_have_another_tree_than_the_search() -> None:
    tuning = quick(n_settings=1)
    assert tuning.calibration.factors is not None
    model = tuning.fit(
        [*TEXTS, "apple pie", "plum pie"], [*TAGS, ["pie", "apple"], ["pie", "plum"]]
    )
    assert model.model_.trees[0].n_nodes > len(tuning.calibration.factors[0])
    assert model.model_.calibration.curve is tuning.calibration.curve


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "accuracy"}, "metric must be one of P@1.*'accuracy'"),
        ({"holdout": 1.5}, "holdout must be above 0 and below 1, but is 1.5"),
        ({"n_settings": 0}, "n_settings must be at least 1"),
        ({"time": "soon"}, "a number and a unit"),
        ({"texts": ["tea"] * 3, "tags": [["a"]] * 3}, "Y has 3 rows, of which 1 are held out"),
        ({"tags": [["a"]]}, "X has 60 rows, but Y has 1"),
    ],
)
def test_wrong_arguments_are_refused_with_the_rule(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        quick(**options)


def test_unknown_parameters_are_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'depth'"):
        quick(depth=3)


# The settings -----------------------------------------------------------------------------------


def test_settings_are_drawn_once_each_and_single_changes_come_first() -> None:
    choices = open_choices({}, is_text=True)
    n_singles = sum(map(len, choices.values()))
    drawn = list(islice(draw_settings(choices, 0), n_singles + 50))
    assert len({repr(settings) for settings in drawn}) == len(drawn)
    singles = [option for options in choices.values() for option in options]
    assert all(settings in singles for settings in drawn[:n_singles])
    assert all(settings not in singles for settings in drawn[n_singles:])


def test_the_levels_of_effort_are_tried_first() -> None:
    drawn = list(islice(draw_settings(open_choices({}, is_text=True), 0), 3))
    assert {settings["effort"] for settings in drawn} == {"fast", "high", "best"}


# The command ------------------------------------------------------------------------------------


@pytest.fixture
def docs(tmp_path) -> str:
    write_jsonl(tmp_path / "docs.jsonl", list(zip(TEXTS, TAGS, strict=True)))
    return str(tmp_path / "docs.jsonl")


def test_the_command_writes_a_model_and_all_trials(docs, tmp_path, capsys) -> None:
    out = tmp_path / "made.lt"
    for trials in (tmp_path / "trials.json", tmp_path / "trials.csv"):
        options = ["--n-settings", "3", "--trials", str(trials), "--n-jobs", "1"]
        assert main(["tune", docs, "-o", str(out), *options]) == 0
    assert lt.load(out).tag(["tea"], k=1)[0][0][0] == "drink"
    lines = dict(
        line.split(None, 1) for line in capsys.readouterr().out.split("\n\n")[-1].splitlines()
    )
    assert {"best", "nDCG@5", "searched", "written", "time"} <= lines.keys()
    stored = json.loads((tmp_path / "trials.json").read_text())
    table = list(csv.DictReader((tmp_path / "trials.csv").read_text().splitlines()))
    assert len(stored["trials"]) == len(table)
    assert float(table[0]["score"]) == stored["trials"][0]["score"]


def test_a_dry_run_prints_a_command_that_train_understands(docs, tmp_path, capsys) -> None:
    arguments = [
        "tune",
        docs,
        "--dry-run",
        "-q",
        "--n-settings",
        "3",
        "--C",
        "2",
        "--random-state",
        "1",
    ]
    more = "--width 2 --ngram-range 1 1 --interactions none"
    assert main([*arguments, *more.split()]) == 0
    words = shlex.split(capsys.readouterr().out)
    assert words[:3] == ["labeltree", "train", docs]
    out = str(tmp_path / "made.lt")
    assert main([*words[1:], "-q", "-o", out]) == 0
    found = lt.load(out).classifier
    assert (found.C, found.tree_params, found.random_state) == (2.0, {"width": 2.0}, 1)
    assert found.interactions is None
    assert not list(tmp_path.glob("*.tmp"))


def test_every_setting_of_the_search_can_be_written_as_options(docs, tmp_path, capsys) -> None:
    for settings in islice(draw_settings(open_choices({}, is_text=True), 0), 30):
        out = str(tmp_path / "made.lt")
        assert main(["train", docs, "-q", "-o", out, *written_options(settings)]) == 0
        tagger = lt.load(out)
        found = {**tagger.classifier.get_params(), **tagger.get_params(deep=False)}
        assert {name: found[name] for name in settings} == settings


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "an output is required"),
        (["-o", "m.lt", "--metric", "speed"], "--metric must be one of"),
        (["-o", "m.lt", "--trials", "trials.txt"], "--trials must be a .json or .csv file"),
        (
            ["-o", "m.lt", "--width", "1", "--tree", "kmeans"],
            "--width applies to the auto tree only",
        ),
    ],
)
def test_wrong_usage_is_reported_before_any_work(docs, arguments, message, capsys) -> None:
    assert main(["tune", docs, *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("stopped_early")
def test_an_interrupted_command_writes_the_best_so_far(docs, tmp_path, capsys) -> None:
    out = tmp_path / "made.lt"
    assert main(["tune", docs, "-o", str(out)]) == 0
    assert "interrupted; training with the best settings so far" in capsys.readouterr().err
    assert out.exists()

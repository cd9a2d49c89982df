"""Progress reports, with a clock that tests set."""

from __future__ import annotations

import io

import numpy as np
import pytest

from labeltree import PLTClassifier, TextTagger, progress
from labeltree.progress import Lines, of_stage, show_progress, show_stage


class Clock:
    """A clock that moves only when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def reported(clock: Clock, capsys, steps: list[tuple[float, float, float, str]]) -> list[str]:
    """Return the lines printed for (seconds, done, total, name) steps."""
    lines = Lines(clock)
    for seconds, done, total, name in steps:
        clock.now = 100.0 + seconds
        lines(done, total, name)
    return str(capsys.readouterr().err).splitlines()


def test_a_stage_that_ends_is_one_line_with_its_time(clock, capsys) -> None:
    steps = [
        (0, 0, 0, "reading"),
        (3, 1, 1, "reading"),
        (3, 0, 9, "training"),
        (7, 9, 9, "training"),
    ]
    assert reported(clock, capsys, steps) == ["reading: 3.0s", "training: 4.0s"]


def test_the_next_stage_ends_the_one_before(clock, capsys) -> None:
    steps = [(0, 0, 0, "building trees"), (5, 0, 1, "training")]
    assert reported(clock, capsys, steps) == ["building trees: 5.0s"]


def test_time_left_follows_from_the_share_of_the_stage(clock, capsys) -> None:
    steps = [(0, 0, 0, "reading"), (50, 0, 4, "training"), (60, 1, 4, "training")]
    assert reported(clock, capsys, steps)[1:] == ["training: 25 %, 30s left"]


def test_work_of_an_earlier_run_does_not_count_as_speed(clock, capsys) -> None:
    steps = [(0, 6, 10, "training"), (10, 8, 10, "training")]
    assert reported(clock, capsys, steps) == ["training: 80 %, 10s left"]


def test_details_do_not_begin_a_new_stage(clock, capsys) -> None:
    steps = [(0, 0, 9, "searching: C=1"), (1, 1, 9, "searching: C=2"), (9, 9, 9, "searching")]
    assert reported(clock, capsys, steps) == ["searching: 9.0s"]


def test_time_left_of_a_forest_is_that_of_all_trees(monkeypatch) -> None:
    steps: list[tuple[float, float, str]] = []

    class Recorder:
        def __call__(self, done: float, total: float, name: str) -> None:
            steps.append((done, total, name))

    monkeypatch.setattr(progress, "Lines", Recorder)
    X = np.eye(6)
    PLTClassifier(tree="kmeans", n_trees=3, verbose=1).fit(X, [[i % 3] for i in range(6)])
    training = [(done / total, name) for done, total, name in steps if name.startswith("training")]
    assert {name for _, name in training} == {"training 3 trees"}
    shares = [share for share, _ in training]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)


def test_a_tagger_reports_its_stages(capsys) -> None:
    TextTagger(verbose=1).fit(["green tea", "rye bread"], [["tea"], ["bread"]])
    lines = capsys.readouterr().err.splitlines()
    names = [line.partition(": ")[0] for line in lines]
    assert names == ["making features", "building trees", "training"]


def test_a_failed_stage_prints_nothing(capsys) -> None:
    with pytest.raises(ValueError, match="broken"), show_stage("reading"):
        raise ValueError("broken")
    assert capsys.readouterr().err == ""


def test_names_become_details_of_a_stage() -> None:
    steps: list[tuple[float, float, str]] = []
    report = of_stage("building trees", lambda *step: steps.append(step))
    assert report is not None
    report(0, 1, "star")
    report(1, 1, "")
    assert steps == [(0, 1, "building trees: star"), (1, 1, "building trees")]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_a_bar_with_share_and_time_left(monkeypatch) -> None:
    pytest.importorskip("rich")
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with show_progress() as report:
        assert report is not None
        report(0, 0, "reading")
        report(0, 4, "training 3 trees")
        report(1, 4, "training 3 trees")
    shown = terminal.getvalue()
    assert "training 3 trees" in shown
    assert "25 %, " in shown
    assert " left" in shown

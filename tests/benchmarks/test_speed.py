"""The comparison of times with committed ones, and the counting of instructions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchmarks.speed import instructions
from benchmarks.speed.__main__ import main, options
from benchmarks.speed.compare import changes, comparison
from benchmarks.speed.times import NAMES

MACHINE = {"commit": "abc", "load": 0.1, "processor": "Abacus"}


def verdict(before: dict, now: dict) -> str:
    (change,) = changes(before, now)
    return change.verdict


def test_more_seconds_beyond_noise_are_slower() -> None:
    assert verdict({"seconds": 1.0}, {"seconds": 1.3}) == "SLOWER"


def test_fewer_rows_a_second_are_slower() -> None:
    assert verdict({"read_mb_per_s": 300}, {"read_mb_per_s": 200}) == "SLOWER"


def test_fewer_seconds_beyond_noise_are_faster() -> None:
    assert verdict({"cpu_seconds": 1.0}, {"cpu_seconds": 0.5}) == "faster"


def test_a_change_within_noise_is_none() -> None:
    assert verdict({"top_5_us": 10.0}, {"top_5_us": 11.0}) == "same"


def test_the_spread_of_a_run_widens_the_noise() -> None:
    before = {"seconds": 1.0, "seconds_slowest": 1.5}
    assert verdict(before, {"seconds": 1.3}) == "same"


def test_figures_that_are_no_speed_are_left_out() -> None:
    same = {"n_rows": 5, "seed": 1, "cost_per_row": 3.0}
    assert changes(same, same) == []


def test_figures_that_only_one_run_has_are_left_out() -> None:
    assert changes({"seconds": 1.0}, {"cpu_seconds": 1.0}) == []


def test_the_table_ends_with_how_many_are_slower() -> None:
    before = {"machine": MACHINE, "results": {"parse": {"seconds": 1.0}}}
    now = {"machine": MACHINE, "results": {"parse": {"seconds": 2.0}}}
    lines = comparison(before, now).splitlines()
    assert lines[-2].split() == ["parse", "seconds", "1", "2", "0.50×", "15", "%", "SLOWER"]
    assert lines[-1] == "1 slower, 0 faster, 0 the same within noise"


def test_another_processor_is_named() -> None:
    other = MACHINE | {"processor": "Slide rule"}
    text = comparison({"machine": MACHINE, "results": {}}, {"machine": other, "results": {}})
    assert "another processor: Abacus, now Slide rule" in text


def test_every_kernel_can_be_timed_alone() -> None:
    for name in NAMES:
        assert options(["times", "--only", name]).only == [name]


def test_without_valgrind_the_guard_fails_and_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["instructions", "--compare"]) == 1
    assert "needs valgrind and a C compiler" in capsys.readouterr().err


@pytest.mark.parametrize(("now", "status"), [(1019, 0), (1021, 1), (900, 0)])
def test_the_guard_fails_above_two_percent(
    now: int, status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    baseline = tmp_path / "instructions.json"
    baseline.write_text(json.dumps({"machine": MACHINE, "instructions": {"parse": 1000}}))
    monkeypatch.setattr(instructions, "BASELINE", baseline)
    monkeypatch.setattr(instructions, "measure", lambda: {"parse": now})
    asked = options(["instructions"])
    asked.compare = True
    assert instructions.run(asked) == status


def test_the_guard_fails_if_a_kernel_is_missing() -> None:
    assert instructions.comparison({"parse": 1, "price": 1}, {"parse": 1})[1] is False


def test_a_new_kernel_is_no_failure() -> None:
    assert instructions.comparison({"parse": 1}, {"parse": 1, "price": 1})[1] is True


def test_the_committed_baseline_has_every_kernel(tmp_path: Path) -> None:
    baseline = json.loads(instructions.BASELINE.read_text())
    names = [name for name, kernel, _ in instructions.kernels(tmp_path) if kernel() is not None]
    assert list(baseline["instructions"]) == names


def test_every_kernel_that_is_counted_gives_the_right_answer(tmp_path: Path) -> None:
    for name, kernel, is_right in instructions.kernels(tmp_path):
        assert is_right(kernel()), name


def test_counts_are_read_from_what_callgrind_writes(tmp_path: Path) -> None:
    # The line "summary" is wrong where a thread has ended.
    text = "desc: Trigger: Client Request: parse\nsummary: 99\ntotals: 1234\n"
    (tmp_path / "counts.1").write_text(text)
    (tmp_path / "counts.2").write_text("desc: Trigger: Program termination\ntotals: 9\n")
    assert instructions.counts(tmp_path) == {"parse": 1234}

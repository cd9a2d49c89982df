"""The comparison of guards with committed results, and the counting of instructions."""

from __future__ import annotations

import doctest
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import compare, generator, instructions, markdown, scale, scale_page
from benchmarks.compare import changes, comparison
from benchmarks.rivals import environments, measure

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


def test_five_percent_more_instructions_are_slower() -> None:
    assert verdict({"instructions": 1000}, {"instructions": 1050}) == "SLOWER"


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


def test_without_valgrind_counting_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert instructions.measure()["skipped"] == "needs valgrind and a C compiler"


def test_every_kernel_that_is_counted_gives_the_right_answer(tmp_path: Path) -> None:
    for name, kernel, is_right in instructions.kernels(tmp_path):
        assert is_right(kernel()), name


def test_counts_are_read_from_what_callgrind_writes(tmp_path: Path) -> None:
    text = "desc: Trigger: Client Request: parse\nsummary: 1234\n"
    (tmp_path / "counts.1").write_text(text)
    (tmp_path / "counts.2").write_text("desc: Trigger: Program termination\nsummary: 9\n")
    assert instructions.counts(tmp_path) == {"parse": 1234}


@pytest.mark.parametrize(
    "module", [compare, generator, markdown, scale, scale_page, environments, measure]
)
def test_the_examples_in_docstrings_run(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0

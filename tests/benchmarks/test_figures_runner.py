"""Measuring the parts of the figures: what is kept, left out, interrupted and shared."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from benchmarks.figures import record, runner
from benchmarks.figures.checkout import Checkout
from benchmarks.figures.claims import claimed
from benchmarks.figures.parts import Part

COMMIT = "abc1234"
#: A measurement that writes its results file, and says how often it ran.
FAKE = """
import json, pathlib, sys, time
name, action = sys.argv[1:3]
path = pathlib.Path("benchmarks/results") / f"{name}.json"
if action == "fail":
    sys.exit("no luck")
if action == "sleep":
    pathlib.Path("started").touch()
    time.sleep(60)
sets = json.loads(path.read_text())["sets"] if path.exists() else []
sets.append({"data": action, "machine": {"commit": "abc1234"}})
path.write_text(json.dumps({"sets": sets}))
"""


@pytest.fixture
def clone(tmp_path: Path) -> Checkout:
    source = tmp_path / "clone" / "source"
    source.mkdir(parents=True)
    (source / "fake.py").write_text(FAKE)
    return Checkout(COMMIT, source, Path(sys.executable))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    return folder


def part(name: str, action: str = "measure") -> Part:
    return Part(name, "run", "fake", (name, action), f"{name}.json")


def test_results_are_kept_with_what_is_known_of_the_run(clone: Checkout, results: Path) -> None:
    summary = runner.run_parts([part("a")], clone, Path(), results)
    run = record.run_of(part("a"), results)
    assert summary.done == ["a run"]
    assert run["commit"] == COMMIT
    assert run["seconds"] >= 0
    assert len(run["load"]) == 2
    assert run["versions"]["numpy"]


def test_a_part_of_the_commit_is_not_measured_again(clone: Checkout, results: Path) -> None:
    runner.run_parts([part("a")], clone, Path(), results)
    summary = runner.run_parts([part("a"), part("b")], clone, Path(), results)
    assert summary.skipped == ["a run"]
    assert summary.done == ["b run"]
    assert len(record.read(results / "a.json")["sets"]) == 1


def test_a_part_of_another_commit_is_measured_again(clone: Checkout, results: Path) -> None:
    old = {"sets": [], "runs": {"a run": {"commit": "0000000"}}}
    (results / "a.json").write_text(json.dumps(old))
    assert runner.run_parts([part("a")], clone, Path(), results).done == ["a run"]


def test_parts_of_one_file_keep_the_results_of_each_other(clone: Checkout, results: Path) -> None:
    parts = [Part("a", run, "fake", ("a", run), "a.json") for run in ("x", "y")]
    runner.run_parts(parts, clone, Path(), results)
    found = record.read(results / "a.json")
    assert [one["data"] for one in found["sets"]] == ["x", "y"]
    assert set(found["runs"]) == {"a x", "a y"}


def test_a_part_that_fails_is_reported_and_the_next_runs(clone: Checkout, results: Path) -> None:
    summary = runner.run_parts([part("a", "fail"), part("b")], clone, Path(), results)
    assert "no luck" in summary.failed["a run"]
    assert summary.done == ["b run"]
    assert not (results / "a.json").exists()


def test_a_part_that_cannot_run_here_is_named_with_the_reason(
    clone: Checkout, results: Path
) -> None:
    summary = runner.run_parts([part("a")], clone, Path(), results, why_not=lambda part: "no GPU")
    assert summary.not_run == {"a run": "no GPU"}


def test_an_interrupt_loses_only_the_part_in_flight(clone: Checkout, results: Path) -> None:
    def interrupt() -> None:
        while not (clone.source / "started").exists():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    # A shell lets its background jobs ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt, daemon=True).start()
    parts = [part("a"), part("b", "sleep"), part("c")]
    try:
        summary = runner.run_parts(parts, clone, Path(), results)
    finally:
        signal.signal(signal.SIGINT, before)
    assert summary.is_interrupted
    assert summary.done == ["a run"]
    assert sorted(path.name for path in results.iterdir()) == ["a.json"]


def test_a_part_that_another_run_has_claimed_is_measured_last(
    clone: Checkout, results: Path
) -> None:
    parts, made = [part("a"), part("b")], []
    with claimed(clone.claims, "a.json") as is_free:
        assert is_free
        run = threading.Thread(
            target=lambda: made.append(runner.run_parts(parts, clone, Path(), results))
        )
        run.start()
        while not (results / "b.json").exists():
            time.sleep(0.02)
        assert not (results / "a.json").exists()
    run.join()
    assert made[0].done == ["b run", "a run"]


def test_a_part_that_another_run_has_measured_is_not_measured_again(
    clone: Checkout, results: Path
) -> None:
    made, has_begun = [], threading.Event()

    def run() -> None:
        # `set` returns None: nothing is missing.
        found = runner.run_parts(
            [part("a")], clone, Path(), results, why_not=lambda part: has_begun.set()
        )
        made.append(found)

    with claimed(clone.claims, "a.json"):
        other = threading.Thread(target=run)
        other.start()
        has_begun.wait()
        runs = {"a run": {"commit": COMMIT, "seconds": 1}}
        (results / "a.json").write_text(json.dumps({"sets": [], "runs": runs}))
    other.join()
    assert (made[0].skipped, made[0].done) == (["a run"], [])


def test_the_time_of_a_part_is_that_of_its_last_run(clone: Checkout, results: Path) -> None:
    assert record.minutes(part("a"), results) == 1.0
    run = {"a run": {"commit": COMMIT, "seconds": 90}}
    (results / "a.json").write_text(json.dumps({"sets": [], "runs": run}))
    assert record.minutes(part("a"), results) == 1.5


def test_the_time_left_is_said(clone: Checkout, results: Path) -> None:
    said: list[str] = []
    runner.run_parts([part("a"), part("b")], clone, Path(), results, say=said.append)
    assert said[0] == "[1/2] a run: about 1 min, 2 min left"


def test_a_run_continues_at_its_commit_after_the_working_tree_has_moved_on(
    clone: Checkout, results: Path
) -> None:
    runner.run_parts([part("a")], clone, Path(), results)
    assert not record.is_done(part("a"), "def5678", results)
    summary = runner.run_parts([part("a"), part("b")], clone, Path(), results)
    assert (summary.skipped, summary.done) == (["a run"], ["b run"])

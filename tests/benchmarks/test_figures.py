"""All figures: the pages agree with the results, and the runner keeps what it has measured."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from benchmarks.figures import checkout as checkouts
from benchmarks.figures import needs, prose, record, runner
from benchmarks.figures.__main__ import main
from benchmarks.figures.check import (
    Pages,
    cited_problems,
    commit_problems,
    picture_problems,
    place_problems,
    problems,
    prose_problems,
)
from benchmarks.figures.checkout import Checkout
from benchmarks.figures.claims import claimed
from benchmarks.figures.exceptions import Exceptions
from benchmarks.figures.parts import Part, all_parts, named
from benchmarks.pages import __main__ as pages_runner
from benchmarks.pages.places import Picture, Table, Values

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


def test_pages_agree_with_results() -> None:
    assert problems() == []


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


def test_missing_data_sets_are_named(tmp_path: Path) -> None:
    one = Part("trees", "a", "benchmarks.pages", ("trees", "DATA/a"), "trees.json")
    python = Path(sys.executable)
    assert needs.why_not(one, tmp_path, python) == "there is no data set a"
    assert "--data" in str(needs.why_not(one, None, python))
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "X.trn.npz").touch()
    assert needs.why_not(one, tmp_path, python) is None
    assert one.command(tmp_path)[-1] == str(tmp_path / "a")


def test_every_need_is_known() -> None:
    assert {need for one in all_parts() for need in one.needs} <= set(needs.KNOWN)


@pytest.mark.parametrize(
    "one",
    [one for one in all_parts() if one.module == "benchmarks.pages"],
    ids=lambda one: one.name,
)
def test_a_page_understands_the_arguments_of_its_parts(one: Part) -> None:
    assert pages_runner.options(one.command(Path("DATA"))[2:]).page == one.page


def test_parts_have_names_of_their_own() -> None:
    names = [one.name for one in all_parts()]
    assert len(set(names)) == len(names)


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(ValueError, match="but is 'weather'"):
        named(all_parts(), ["weather"])


def test_parts_can_be_left_out() -> None:
    kept = named(all_parts(), [], ["rivals", "scale both"])
    assert {one.page for one in all_parts()} - {one.page for one in kept} == {"rivals"}
    assert [one.run for one in kept if one.page == "scale"] == ["labels", "rows"]
    with pytest.raises(ValueError, match="but is 'weather'"):
        named(all_parts(), [], ["weather"])


def test_a_page_names_all_its_parts() -> None:
    assert {one.page for one in named(all_parts(), ["trees"])} == {"trees"}


def test_the_plan_lists_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "trees"]) == 0
    printed = capsys.readouterr().out
    assert "| trees all |" in printed
    assert "| all |" in printed


def git(root: Path, *words: str) -> None:
    person = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *person, *words], cwd=root, check=True, capture_output=True)


def test_a_clone_has_the_files_of_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    git(tmp_path, "init", "-q", "root")
    (root / "src" / "a").write_text("1")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    (root / "README.md").write_text("text")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "two")
    (root / "src" / "a").write_text("2")
    monkeypatch.setattr(checkouts.subprocess, "run", fake_install(subprocess.run))
    made = checkouts.prepare("HEAD", root=root)
    assert (made.source / "src" / "a").read_text() == "1"
    # The second commit changed no measured code.
    assert made.commit == checkouts.code_commit("HEAD~1", root)
    assert (made.source / "build" / "rivals").resolve() == root / "build" / "rivals"
    assert checkouts.prepare("HEAD", root=root) == made


def test_commits_with_the_same_measured_code_share_an_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    git(tmp_path, "init", "-q")
    for file in ("src/a", "README.md", "src/b"):
        (tmp_path / file).write_text(file)
        git(tmp_path, "add", file)
        git(tmp_path, "commit", "-qm", file)
    monkeypatch.setattr(checkouts.subprocess, "run", fake_install(subprocess.run))
    code, page, more_code = (
        checkouts.prepare(name, root=tmp_path) for name in ("HEAD~2", "HEAD~1", "HEAD")
    )
    assert (code.commit, code.python) == (page.commit, page.python)
    assert code.source != page.source
    assert more_code.python != code.python


def test_a_run_continues_at_its_commit_after_the_working_tree_has_moved_on(
    clone: Checkout, results: Path
) -> None:
    runner.run_parts([part("a")], clone, Path(), results)
    assert not record.is_done(part("a"), "def5678", results)
    summary = runner.run_parts([part("a"), part("b")], clone, Path(), results)
    assert (summary.skipped, summary.done) == (["a run"], ["b run"])


def test_the_plan_says_where_its_times_come_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "torch"]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "torch h200" in line)
    assert row.split(" | ")[4] in ("guess", "last run")


def fake_install(run: object) -> object:
    """Return a function that runs git and nothing else."""

    def only_git(words: list[str], **options: object) -> object:
        return run(words, **options) if words[0] == "git" else None  # type: ignore[operator]

    return only_git


def pages(tmp_path: Path, text: str, places: list[object]) -> Pages:
    return Pages(tmp_path, {"docs/a.md": text}, places)  # type: ignore[arg-type]


def test_a_table_that_differs_from_the_results_is_found(tmp_path: Path) -> None:
    text = "<!-- t:begin -->\n| 2 |\n<!-- t:end -->"
    assert list(place_problems(pages(tmp_path, text, [Table("t", "| 2 |")]))) == []
    [found] = place_problems(pages(tmp_path, text, [Table("t", "| 3 |")]))
    assert "'t' differs" in found


def test_a_number_that_differs_from_the_results_is_found(tmp_path: Path) -> None:
    text = "It takes 2.1<!-- figure: a.b --> s."
    assert list(place_problems(pages(tmp_path, text, [Values({"a.b": "2.1"})]))) == []
    [found] = place_problems(pages(tmp_path, text, [Values({"a.b": "2.2"})]))
    assert "differs" in found


def test_places_that_no_module_writes_are_found(tmp_path: Path) -> None:
    text = "<!-- t:begin -->\n<!-- t:end --> 1<!-- figure: a.b -->"
    assert len(list(place_problems(pages(tmp_path, text, [])))) == 2


@pytest.mark.parametrize("file", ["a.png", "a.svg"])
def test_a_plot_of_other_results_is_found(file: str, tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    def picture(y: float) -> Picture:
        figure = Figure()
        figure.add_subplot().plot([0, 1], [0, y])
        return Picture(file, figure)

    (tmp_path / "docs" / "images").mkdir(parents=True)
    picture(1).write(tmp_path)
    assert list(picture_problems(pages(tmp_path, "", [picture(1)]))) == []
    assert list(picture_problems(pages(tmp_path, "", [picture(2)]))) != []
    assert list(picture_problems(pages(tmp_path, "", []))) == [f"{file}: no page module draws it"]


def write_commits(folder: Path, **files: str) -> list[str]:
    for name, commit in files.items():
        (folder / f"{name}.json").write_text(json.dumps({"machine": {"commit": commit}}))
    return [f"{name}.json" for name in files]


def test_results_of_two_commits_are_found(results: Path) -> None:
    none = Exceptions({})
    files = write_commits(results, a="1111111", b="1111111")
    assert list(commit_problems(results, none, files)) == []
    files = write_commits(results, a="1111111", b="2222222")
    [found] = commit_problems(results, none, files)
    assert "one commit" in found


def test_an_exception_allows_another_commit_until_it_is_not_needed(results: Path) -> None:
    files = write_commits(results, a="1111111", b="2222222")
    exceptions = Exceptions({"b.json": {"commits": ["2222222"], "reason": "history"}})
    assert list(commit_problems(results, exceptions, files)) == []
    files = write_commits(results, b="1111111")
    assert "remove" in next(commit_problems(results, exceptions, files))
    assert exceptions.pruned(results).entries == {}


def test_the_commit_of_another_system_does_not_matter() -> None:
    ours = {"system": "labeltree", "package": "labeltree", "machine": {"commit": "1111111"}}
    theirs = {"system": "omikuji", "package": "omikuji", "machine": {"commit": "2222222"}}
    found = {"sets": [{"systems": [ours, theirs]}]}
    assert record.commits_of(found) == {"1111111"}
    assert record.commits_of(found, with_others=True) == {"1111111", "2222222"}


def test_a_page_that_cites_another_commit_is_found(tmp_path: Path) -> None:
    made = pages(tmp_path, "Commit 1111aaa, and 2222bbb.", [])
    assert list(cited_problems(made, {"1111aaa", "2222bbb"}, {})) == []
    [found] = cited_problems(made, {"1111aaa"}, {})
    assert "2222bbb" in found
    assert list(cited_problems(made, {"1111aaa"}, {"2222bbb"})) == []
    [found] = cited_problems(made, {"1111aaa", "2222bbb"}, {"3333ccc"})
    assert "remove" in found


@pytest.mark.parametrize(
    "text",
    [
        "It takes 12.3 ms.",
        "It gains 0.1, 0.5 and 0.5 points.",
        "3<!-- figure: a --> to 11 times as fast",
        "It has 1,024 MB.",
        "Trained in\n2 CPU seconds.",
        "Run it:\n\n    make\n\nIt takes 3 minutes.",
    ],
)
def test_a_number_outside_of_markers_is_found(text: str, tmp_path: Path) -> None:
    assert len(list(prose_problems(pages(tmp_path, text, [])))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "It takes 12.3<!-- figure: a --> ms.",
        "3<!-- figure: a --> to 11<!-- figure: b --> times as fast",
        "<!-- t:begin -->\n12.3 ms\n<!-- t:end -->",
        "`--time 5 s`, Python 3.11 and 8 data sets",
        "```\n12.3 ms\n```",
        "Run it:\n\n    sleep 3 s\n",
    ],
)
def test_other_numbers_are_allowed(text: str, tmp_path: Path) -> None:
    assert list(prose_problems(pages(tmp_path, text, []))) == []


def test_an_allowed_phrase_may_be_anywhere_and_must_be_somewhere() -> None:
    allowed = ["at most 5 ms"]
    assert list(prose.unmarked("It waits at most\n5 ms.", allowed)) == []
    assert list(prose.stale(["It waits at most\n5 ms."], allowed)) == []
    assert list(prose.stale(["It waits."], allowed)) == allowed

"""All figures: pages agree with results, and parts, clones and exceptions are as intended."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.figures import checkout as checkouts
from benchmarks.figures import needs, prose, record
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
from benchmarks.figures.exceptions import Exceptions
from benchmarks.figures.parts import Part, all_parts, named
from benchmarks.pages import __main__ as pages_runner
from benchmarks.pages.places import Picture, Table, Values


def test_pages_agree_with_results() -> None:
    assert problems() == []


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


def test_results_of_two_commits_are_found(tmp_path: Path) -> None:
    none = Exceptions({})
    files = write_commits(tmp_path, a="1111111", b="1111111")
    assert list(commit_problems(tmp_path, none, files)) == []
    files = write_commits(tmp_path, a="1111111", b="2222222")
    [found] = commit_problems(tmp_path, none, files)
    assert "one commit" in found


def test_an_exception_allows_another_commit_until_it_is_not_needed(tmp_path: Path) -> None:
    files = write_commits(tmp_path, a="1111111", b="2222222")
    exceptions = Exceptions({"b.json": {"commits": ["2222222"], "reason": "history"}})
    assert list(commit_problems(tmp_path, exceptions, files)) == []
    files = write_commits(tmp_path, b="1111111")
    assert "remove" in next(commit_problems(tmp_path, exceptions, files))
    assert exceptions.pruned(tmp_path).entries == {}


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

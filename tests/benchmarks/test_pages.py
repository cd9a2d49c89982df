"""The pages: every module has one shape, and its tables have places in the documentation."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import pytest

import benchmarks
from benchmarks.machine import RESULTS, ROOT
from benchmarks.pages import __main__ as runner
from benchmarks.pages.places import Place, Table

#: What a page needs on its command line.
ARGUMENTS: dict[str, list[str]] = {
    "annif": ["--docstrings", "--max-texts", "9"],
    "calibration": ["DATA/a", "DATA/b", "--max-rows", "9"],
    "cost_and_accuracy": ["DATA/a", "--parts", "costs"],
    "cost_model": ["DATA/a"],
    "descriptions": ["--wordnet", "DATA"],
    "effort": ["DATA/a", "--max-rows", "9"],
    "features": [],
    "guide": [],
    "online": ["--data", "changelogs", "--finish", "DATA/a"],
    "pipe": ["--lines", "9"],
    "plans": ["DATA/a", "--max-rows", "9"],
    "scale": ["--max-labels", "1000"],
    "serve": ["--seconds", "1", "--max-texts", "9"],
    "steps": ["--sweeps", "rows"],
    "text": [],
    "theory": [],
    "threads": ["DATA/a"],
    "trees": ["DATA/a", "DATA/b"],
}
#: Modules that run where another system is installed, and need it to be imported.
ELSEWHERE = {
    "benchmarks.pages.online.vowpal",
    *(f"benchmarks.rivals.adapters.{name}" for name in ("fasttext", "libmultilabel", "napkinxc")),
    *(f"benchmarks.rivals.adapters.{name}" for name in ("omikuji", "pecos", "vowpal_wabbit")),
}


def modules() -> list[str]:
    found = pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")
    return [module.name for module in found if module.name not in ELSEWHERE]


@pytest.mark.parametrize("name", modules())
def test_every_module_is_imported_and_its_examples_run(name: str) -> None:
    if name.startswith("benchmarks.torch"):
        pytest.importorskip("torch")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_what_runs_elsewhere_is_python(name: str) -> None:
    path = ROOT / f"{name.replace('.', '/')}.py"
    compile(path.read_text(), str(path), "exec")


@pytest.mark.parametrize("name", runner.MEASURED)
def test_every_page_understands_its_arguments(name: str) -> None:
    assert runner.options([name, *ARGUMENTS[name]]).page == name


@pytest.mark.parametrize("name", [*runner.MEASURED, *runner.WRITTEN])
def test_every_page_is_made_of_the_committed_results(name: str) -> None:
    records = runner.kept(name)
    for place in runner.page_module(name).page(records) if records else ():
        assert isinstance(place, Place)
        if isinstance(place, Table):
            assert place.text.count("\n| ---") >= 1 or place.marker.endswith("losses")


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_results_name_their_commit(path: Path) -> None:
    text = path.read_text()
    assert json.loads(text)
    assert '"commit": "' in text or '"commits": {' in text


def test_all_pages_are_written_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    monkeypatch.setattr(runner, "write", lambda name, records: written.append(name))
    runner.main(["write"])
    assert written == [*runner.MEASURED, *runner.WRITTEN]


def test_a_page_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        runner.options(["write", "weather"])
    assert "but is 'weather'" in capsys.readouterr().err


def test_a_record_of_another_kind_is_kept() -> None:
    old = [{"kind": "stream", "data": "a"}]
    assert runner.merged(old, {"kind": "finish", "data": "a"}) == [
        {"kind": "stream", "data": "a"},
        {"kind": "finish", "data": "a"},
    ]


def test_what_is_measured_replaces_what_was_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Page:
        @staticmethod
        def add_arguments(parser: Any) -> None:
            pass

        @staticmethod
        def measure(asked: Any) -> list[dict[str, Any]]:
            return [{"data": "b", "n": 2}]

    old = [{"data": "a", "n": 1}, {"data": "b", "n": 1}]
    (tmp_path / "trees.json").write_text(json.dumps({"sets": old}))
    monkeypatch.setattr(runner, "RESULTS", tmp_path)
    monkeypatch.setattr(runner, "page_module", lambda name: Page)
    runner.measure("trees", runner.options(["trees"]))
    kept = runner.kept("trees")
    assert [(record["data"], record["n"]) for record in kept] == [("a", 1), ("b", 2)]


def test_a_table_is_written_where_its_markers_are(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("nothing\n")
    (tmp_path / "docs" / "a.md").write_text("<!-- t:begin -->\nold\n<!-- t:end -->\n")
    assert Table("t", "new").write(tmp_path) == ["docs/a.md"]
    assert (tmp_path / "docs" / "a.md").read_text() == "<!-- t:begin -->\nnew\n<!-- t:end -->\n"
    assert (tmp_path / "README.md").read_text() == "nothing\n"

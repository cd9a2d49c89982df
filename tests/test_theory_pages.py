"""The pages that walk through the paper: their sessions, pictures and functions."""

import doctest
import json
import operator
import re
from pathlib import Path

import pytest

import labeltree
from labeltree import bounds

DOCS = Path(__file__).parent.parent / "docs"
RESULTS = DOCS.parent / "benchmarks" / "results" / "theory.json"
PAGES = sorted((DOCS / "explanation").glob("theory*.md"))
by_name = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


@by_name
def test_the_sessions_of_a_page_print_exactly_the_output_shown(path: Path) -> None:
    sessions = re.findall(r"```pycon\n(.*?)```", path.read_text(), flags=re.DOTALL)
    example = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, path.stem, None, 0)
    failures: list[str] = []
    doctest.DocTestRunner().run(example, out=failures.append)
    assert sessions
    assert failures == []


@by_name
def test_the_pictures_of_a_page_are_there_and_described(path: Path) -> None:
    for text, file in re.findall(r"!\[(.*?)\]\((.*?)\)", path.read_text(), flags=re.DOTALL):
        assert len(text) > 20
        assert (path.parent / file).is_file()


def test_every_picture_of_the_theory_is_shown() -> None:
    shown = set(re.findall(r"images/(theory-\w+\.svg)", " ".join(p.read_text() for p in PAGES)))
    assert shown == {path.name for path in (DOCS / "images").glob("theory-*.svg")}


def test_every_function_of_the_bounds_is_in_the_table_of_statements() -> None:
    named = set(re.findall(r"`(?:\w+\.)?(\w+)`", (DOCS / "explanation/theory.md").read_text()))
    assert set(bounds.__all__) - {"CliqueInstance", "simple_lower_bound"} <= named


@by_name
def test_functions_with_a_module_exist(path: Path) -> None:
    for name in re.findall(r"`((?:bounds|cost|trees)\.[\w.]+)`", path.read_text()):
        assert callable(operator.attrgetter(name)(labeltree))


@pytest.mark.parametrize(
    ("kind", "count"),
    [("Definition", 4), ("Proposition", 10), ("Lemma", 5), ("Theorem", 7), ("Corollary", 1)],
)
def test_every_statement_of_the_paper_is_on_one_page(kind: str, count: int) -> None:
    text = "\n".join(path.read_text() for path in PAGES)
    stated = re.findall(rf"^> \*\*{kind} (\d+)", text, flags=re.MULTILINE)
    assert sorted(map(int, stated)) == list(range(1, count + 1))


def test_the_text_about_builders_agrees_with_the_results() -> None:
    records = json.loads(RESULTS.read_text())["sets"]
    swept = {r["data"]: r["trees"][0] for r in records if r["kind"] == "builders"}
    assert {tree["tree"] for tree in swept.values()} == {"cheapest, 2 sweeps"}
    assert swept["all, m = 4, n ≤ 4"]["optimal"] == 1.0
    assert 1.07 < max(tree["worst"] for tree in swept.values()) <= 1.08
    cliques = next(r for r in records if r["kind"] == "cliques")
    assert cliques["agreeing"] == cliques["graphs"] == 156
    assert cliques["exactly_as_grouped"] == cliques["solved_exactly"] == 54

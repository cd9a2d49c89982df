"""The command demo, run in process."""

from __future__ import annotations

import sys

import pytest

from labeltree import datasets
from labeltree.cli import main
from labeltree.datasets import TextData
from tests.cli.text_files import TAGGED


@pytest.fixture
def few_docs(monkeypatch) -> None:
    texts, tags = [text for text, _ in TAGGED], [tags for _, tags in TAGGED]
    monkeypatch.setattr(
        datasets, "python_docs", lambda packages: TextData("python_docs", texts, tags)
    )


@pytest.mark.usefixtures("few_docs")
def test_demo_shows_costs_and_saves_plots(tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    assert main(["demo", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "one-vs-rest" in printed
    assert f"Written to {tmp_path}: tree.json, model.lt, cost-bars.png, tree-top.png" in printed
    assert (tmp_path / "tree-top.png").stat().st_size > 0


@pytest.mark.usefixtures("few_docs")
def test_demo_without_matplotlib_names_the_extra_for_plots(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delitem(sys.modules, "labeltree.plot.notebook", raising=False)
    assert main(["demo", "--output", str(tmp_path)]) == 0
    assert 'pip install "labeltree[plot]"' in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"tree.json", "model.lt"}


@pytest.fixture
def some_docs(monkeypatch) -> None:
    texts, tags = [text for text, _ in TAGGED * 20], [tags for _, tags in TAGGED * 20]
    monkeypatch.setattr(
        datasets, "python_docs", lambda packages: TextData("python_docs", texts, tags)
    )


@pytest.mark.usefixtures("some_docs")
def test_demo_predicts_and_evaluates_on_held_out_texts(tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    assert main(["demo", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "rows           54 training, 3 evaluation" in printed
    assert "\neigenvalues of a sparse matrix\n    0." in printed
    assert "log-odds, the sum" in printed
    assert {"reliability.png", "accuracy-against-cost.png"} <= {
        path.name for path in tmp_path.iterdir()
    }

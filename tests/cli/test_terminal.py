"""Labels and file names do not control the terminal that they are printed on."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from labeltree import TextTagger
from labeltree.cli import main
from labeltree.cli.terminal import visible

EVIL = "tea\x1b[31m\x9b1m\u202e\u2066\x07"
UNSAFE = set("\x1b\x9b\u202e\u2066\x07")


class Terminal(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")

    def isatty(self) -> bool:
        return True

    def shown(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = str(tmp_path / "model.lt")
    TextTagger(n_jobs=1).fit(["green tea", "rye bread"] * 4, [[EVIL], ["bread"]] * 4).save(path)
    return path


@pytest.fixture
def texts(tmp_path: Path) -> str:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "green tea"}\n')
    return str(path)


def on_terminal(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    made = Terminal()
    monkeypatch.setattr(sys, "stdout", made)
    assert main(arguments) == 0
    return made.shown()


@pytest.mark.parametrize("form", ["text", "jsonl", "csv", "tsv"])
def test_predicted_labels_are_escaped(
    model: str, texts: str, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    shown = on_terminal(monkeypatch, "predict", model, texts, "--output-format", form)
    assert "tea" in shown
    assert not UNSAFE & set(shown)


def test_json_on_a_terminal_is_valid(
    model: str, texts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = on_terminal(monkeypatch, "predict", model, texts, "--json", "--k", "1")
    assert json.loads(shown)["labels"] == [EVIL]


def test_explanations_are_escaped(model: str, texts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = on_terminal(monkeypatch, "explain", model, texts)
    assert not UNSAFE & set(shown)


def test_files_get_labels_as_they_are(model: str, texts: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["predict", model, texts, "-o", str(out), "--k", "1"]) == 0
    assert json.loads(out.read_text())["labels"] == [EVIL]


def test_errors_escape_file_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", f"/nowhere/{EVIL}"]) == 1
    assert not UNSAFE & set(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\u001b[2J"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\udb40\\udc41"),
        ("a\tb\n", "a\tb\n"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d🔬", "👩\u200d🔬"),
    ],
)
def test_only_what_controls_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown

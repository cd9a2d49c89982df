"""Texts, input files and captured output for the tests of commands."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from labeltree import TextTagger

TAGGED = [("green tea", ["tea", "green"]), ("black tea", ["tea"]), ("white bread", ["bread"])]
DRINKS = [("green tea", ["tea", "hot, wet"]), ("black tea", ["tea"]), ("", [])]
BREADS = [("white bread", ["bread"]), ("rye bread", ["bread", "rye"])]
ROWS = (DRINKS + BREADS) * 8
BROKEN = [*['{"text": "tea", "labels": ["a"]}'] * 16, '{"text": "tea", "labels": ["a"}']


def file_with(folder: Path, text: str, name: str = "data.txt") -> str:
    """Write a text file and return its path."""
    (folder / name).write_text(text)
    return str(folder / name)


def jsonl_of(folder: Path, rows: Sequence[tuple[str, list[str]]], tags: str = "tags") -> str:
    """Write texts with tags as JSON lines and return the path."""
    lines = [json.dumps({"text": text, tags: labels}) for text, labels in rows]
    return file_with(folder, "\n".join(lines), "docs.jsonl")


def saved_tagger(folder: Path, rows: Sequence[tuple[str, list[str]]]) -> str:
    """Train a tagger on the rows, save it and return the path."""
    tagger = TextTagger(n_jobs=1).fit([text for text, _ in rows], [tags for _, tags in rows])
    tagger.save(folder / "model.lt")
    return str(folder / "model.lt")


def printed(capsys) -> str:
    return str(capsys.readouterr().out)


def command(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "labeltree.cli", *arguments]
    return subprocess.run(words, text=True, check=False, stderr=subprocess.PIPE, **options)

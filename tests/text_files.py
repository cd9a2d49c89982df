"""Files that commands are tried on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from labeltree import TextTagger


def file_with(folder: Path, text: str, name: str = "data.txt") -> str:
    """Write a text and return where."""
    (folder / name).write_text(text)
    return str(folder / name)


def jsonl_of(folder: Path, rows: Sequence[tuple[str, list[str]]], tags: str = "tags") -> str:
    """Write texts with tags as JSON lines and return where."""
    lines = [json.dumps({"text": text, tags: labels}) for text, labels in rows]
    return file_with(folder, "\n".join(lines), "docs.jsonl")


def saved_tagger(folder: Path, rows: Sequence[tuple[str, list[str]]]) -> str:
    """Train a tagger on the rows, save it and return where."""
    tagger = TextTagger(n_jobs=1).fit([text for text, _ in rows], [tags for _, tags in rows])
    tagger.save(folder / "model.lt")
    return str(folder / "model.lt")

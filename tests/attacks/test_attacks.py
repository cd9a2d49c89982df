"""Every hostile file is refused with its sentence, by the library and by the command line.

`expected.toml` lists the files. Small ones are in `files`, others are written by `written.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.written import FILES, FOLDERS

pytest.importorskip("rdflib")

HERE = Path(__file__).parent
EXPECTED = tomllib.loads((HERE / "expected.toml").read_text())
KINDS = ("ValueError", "ModelFileError")


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    """What became of each file in a process with little memory and no network."""
    words = [sys.executable, "-m", "tests.attacks.reading"]
    done = subprocess.run(words, cwd=HERE.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}


def test_the_table_lists_every_file() -> None:
    stored = {path.name for path in (HERE / "files").iterdir()}
    written = {name.partition("/")[0] for name in FILES} | set(FOLDERS)
    assert set(EXPECTED) == stored | written


@pytest.mark.parametrize("name", EXPECTED)
def test_a_hostile_file_is_refused_with_its_sentence(
    found: dict[str, dict[str, Any]], name: str
) -> None:
    sentence = EXPECTED[name]["error"]
    start, mark, _ = sentence.partition("…")
    report = found[name]
    message = report["message"][: len(start)] if mark else report["message"]
    assert (report["kind"] in KINDS, message) == (True, start)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_command_prints_one_sentence_about_a_hostile_file(
    found: dict[str, dict[str, Any]], name: str
) -> None:
    printed = found[name]["printed"]
    assert found[name]["code"] == 1
    assert printed.startswith("labeltree: FILE")
    assert printed.count("\n") == 1


@pytest.mark.parametrize("name", EXPECTED)
def test_reading_a_hostile_file_opens_nothing_else(
    found: dict[str, dict[str, Any]], name: str
) -> None:
    assert (found[name]["opened"], found[name]["connected"]) == ([], 0)

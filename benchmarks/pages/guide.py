"""Run the commands of the tutorials, and update their output on the pages."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.pages.places import Document, Place, Record

#: In the order of reading; a page uses the files of those before it.
GUIDES = ("docs/tutorial.md", "docs/tutorial-tuning.md")
_BLOCK = re.compile(r"^( *)```(python|console)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_WIDTH = 118


MINUTES = 2
MINUTES_FROM = "CPU time, measured once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Run all tutorials in one temporary folder."""
    with tempfile.TemporaryDirectory() as temporary:
        for guide in GUIDES:
            printed = run_guide((ROOT / guide).read_text(), Path(temporary))
            yield {"data": guide, "printed": printed}


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tutorials with the output of their commands."""
    for record in records:
        text = (ROOT / record["data"]).read_text()
        yield Document(record["data"], with_output(text, record["printed"]))


def with_output(text: str, printed: dict[str, str]) -> str:
    """Return a tutorial with the output of its commands; blocks with other commands stay.

    Examples
    --------
    >>> with_output("```console\\n$ a\\nold\\n```", {"$ a": "$ a\\nnew\\n"})
    '```console\\n$ a\\nnew\\n```'
    """

    def replaced(block: re.Match[str]) -> str:
        margin, kind, content = block.groups()  # blocks in tabs are indented
        lines = commands(content)
        if kind != "console" or not all(line in printed for line in lines):
            return block.group()
        output = "".join(printed[line] for line in lines)
        return textwrap.indent(f"```console\n{output}```", margin)

    return _BLOCK.sub(replaced, text)


def commands(content: str) -> list[str]:
    """Return the commands of a block."""
    lines = textwrap.dedent(content).splitlines()
    return [line for line in lines if line.startswith("$ ")]


def run_guide(text: str, folder: Path) -> dict[str, str]:
    """Return each command of a tutorial with its output; all run in one folder.

    Raises
    ------
    RuntimeError
        If a command fails or prints an error.
    """
    names: dict[str, Any] = {}
    printed: dict[str, str] = {}
    for _, kind, content in _BLOCK.findall(text):
        if kind == "python":
            with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(textwrap.dedent(content), "tutorial", "exec"), names)
        else:
            printed |= {line: _run(line, folder) for line in commands(content)}
    return printed


def _run(line: str, folder: Path) -> str:
    # The labeltree script is in the folder of the running interpreter.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", line[2:]],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    # head hides the exit code of the command before it.
    if done.returncode != 0 or "labeltree: " in done.stderr:
        raise RuntimeError(f"{line}: {done.stderr}")
    printed = [
        text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
        for text in done.stdout.splitlines()
    ]
    return "\n".join([line, *printed]) + "\n"

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

KEPT = False  # the pages themselves are the result
#: In the order of reading; a page uses the files of those before it.
GUIDES = ("docs/tutorial.md", "docs/tutorial-tuning.md")
_BLOCK = re.compile(r"^( *)```(python|console)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_WIDTH = 118


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Run all tutorials in one temporary folder."""
    with tempfile.TemporaryDirectory() as temporary:
        for guide in GUIDES:
            yield {"data": guide, "text": run_guide((ROOT / guide).read_text(), Path(temporary))}


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tutorials with the output of their commands."""
    for record in records:
        yield Document(record["data"], record["text"])


def run_guide(text: str, folder: Path) -> str:
    """Return a tutorial with the current output of its commands; all run in one folder.

    Raises
    ------
    subprocess.CalledProcessError, RuntimeError
        If a command fails or prints an error.
    """
    names: dict[str, Any] = {}

    def replaced(block: re.Match[str]) -> str:
        margin, kind, content = block.groups()  # blocks in tabs are indented
        content = textwrap.dedent(content)
        if kind == "python":
            with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(content, "tutorial", "exec"), names)
            return block.group()
        commands = [line for line in content.splitlines() if line.startswith("$ ")]
        printed = "".join([_run(line, folder) for line in commands])
        return textwrap.indent(f"```console\n{printed}```", margin)

    return _BLOCK.sub(replaced, text)


def _run(line: str, folder: Path) -> str:
    # The labeltree script is in the folder of the running interpreter.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", line[2:]],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    if "labeltree: " in done.stderr:  # head hides the exit code of the command before it
        raise RuntimeError(f"{line}: {done.stderr}")
    printed = [
        text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
        for text in done.stdout.splitlines()
    ]
    return "\n".join([line, *printed]) + "\n"

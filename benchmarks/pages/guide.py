"""Run the commands of docs/tutorial.md, and update their output on the page."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.pages.places import Document, Place, Record

KEPT = False  # the page itself is the result
GUIDE = "docs/tutorial.md"
_BLOCK = re.compile(r"```(python|console)\n(.*?)```", re.DOTALL)
_WIDTH = 118


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Run the guide in a temporary folder."""
    with tempfile.TemporaryDirectory() as temporary:
        yield {"data": "guide", "text": run_guide((ROOT / GUIDE).read_text(), Path(temporary))}


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the guide with the output of its commands."""
    for record in records:
        yield Document(GUIDE, record["text"])


def run_guide(text: str, folder: Path) -> str:
    """Return the guide with the current output of its commands; all run in one folder.

    Raises
    ------
    subprocess.CalledProcessError, RuntimeError
        If a command fails or prints an error.
    """
    names: dict[str, Any] = {}

    def replaced(block: re.Match[str]) -> str:
        kind, content = block.groups()
        if kind == "python":
            with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(content, GUIDE, "exec"), names)
            return block.group()
        commands = [line for line in content.splitlines() if line.startswith("$ ")]
        return f"```console\n{''.join([_run(line, folder) for line in commands])}```"

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

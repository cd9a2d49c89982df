"""Output files of commands, which must not be input files as well."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from labeltree.cli.inputs import UsageError
from labeltree.data.folders import files_below
from labeltree.data.text_shards import is_pattern, matching_files

#: Arguments of all commands that name files to read and files to write.
INPUTS = (
    *("model", "models", "data", "x", "y", "hierarchy", "ancestors", "compare_tree"),
    *("descriptions", "feedback_data", "token_file", "report", "labels", "exclude_labels"),
)
OUTPUTS = ("output", "x_out", "y_out", "per_label", "plot", "trials", "feedback")

# What is read of a folder: texts with tags, and the trees of other systems.
_SUFFIXES_IN_FOLDERS = (".txt", ".key", ".tsv", ".cbor", ".npz")
_NAMES_IN_FOLDERS = ("config.json",)

# Device and number of a file: the same for all its links.
Identity = tuple[int, int]


def check_outputs(arguments: argparse.Namespace) -> None:
    """Refuse to write to a file that the command reads, whatever the name or link.

    A command with the argument `replaces_model` writes its model, unless it has another output.

    Raises
    ------
    UsageError
        If a file is both input and output.
    """
    inputs, outputs = list(INPUTS), list(OUTPUTS)
    if getattr(arguments, "replaces_model", False):
        inputs.remove("model")
        outputs.append("model")
    written = [*_stream(sys.stdout), *_identified(map(Path, _paths(arguments, outputs)))]
    targets = {identity: name for name, identity in written}
    if not targets:
        return
    read = _paths(arguments, inputs)
    files = (file for path in read if path != "-" for file in _files_read(Path(path)))
    for source, identity in (*(_stream(sys.stdin) if "-" in read else ()), *_identified(files)):
        if identity in targets:
            target = targets[identity]
            also = f" (as {source})" if source != target else ""
            raise UsageError(f"{target} is both input{also} and output; choose another output file")


def _paths(arguments: argparse.Namespace, names: list[str]) -> list[str]:
    """Return the paths in some arguments, whose values are FILE or lists of FILE and NAME=FILE."""
    paths = []
    for value in (getattr(arguments, name, None) for name in names):
        if isinstance(value, list):
            paths += [path for entry in value for path in (entry, entry.partition("=")[2]) if path]
        elif isinstance(value, str):
            paths.append(value)
    return paths


def _files_read(path: Path) -> Iterator[Path]:
    if is_pattern(str(path)):
        yield from matching_files(str(path))
        return
    if not path.is_dir():
        yield path
        return
    for file in files_below(path):
        if file.suffix in _SUFFIXES_IN_FOLDERS or file.name in _NAMES_IN_FOLDERS:
            yield file


def _identified(files: Iterable[Path]) -> Iterator[tuple[str, Identity]]:
    """Yield the files that exist; folders, and two names of one terminal, are no conflict."""
    for file in files:
        try:
            status = file.stat()
        except (OSError, ValueError):  # does not exist, or is not a valid name
            continue
        if stat.S_ISREG(status.st_mode):
            yield str(file), (status.st_dev, status.st_ino)


def _stream(standard: IO[Any]) -> Iterator[tuple[str, Identity]]:
    """Yield a standard stream if the shell has opened a file for it."""
    try:
        status = os.fstat(standard.fileno())
    except (OSError, ValueError, AttributeError):  # closed, or replaced by an object in memory
        return
    if stat.S_ISREG(status.st_mode):
        name = "standard output" if standard is sys.stdout else "standard input"
        yield name, (status.st_dev, status.st_ino)

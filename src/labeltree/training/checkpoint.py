"""Checkpoints: finished parts of a fit on disk, from which an interrupted fit resumes."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from labeltree.data.files import open_write
from labeltree.training.parts import PackRange, Part, SolverCounts

_HEADER = "checkpoint.json"
_FORMAT = 2
_PART = re.compile(r"tree(\d+)-packs(\d+)-(\d+)\.npz")
_LEFTOVERS = ".*.part"  # from interrupted writes


def fingerprint(values: Iterable[Any]) -> str:
    """Return a hash that changes if any of the values changes.

    Examples
    --------
    >>> fingerprint([np.arange(3), "a"]) == fingerprint([np.arange(3), "b"])
    False
    """
    digest = hashlib.blake2b(digest_size=20)
    for value in values:
        if isinstance(value, np.ndarray):
            digest.update(f"{value.dtype.str}{value.shape}".encode())
            digest.update(np.ascontiguousarray(value).data)
        else:
            digest.update(repr(value).encode())
        digest.update(b"\0")
    return digest.hexdigest()


class Checkpoint:
    """A folder with the finished parts of one fit.

    Parameters
    ----------
    folder
        Created if it does not exist. It must not contain other files.
    key
        Fingerprint of everything that the weights depend on.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self._folder = folder
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"checkpoint_dir must be a folder, but {folder} is a file")
        header = folder / _HEADER
        if header.exists():
            self._check(header, key)
        elif folder.exists() and set(folder.iterdir()) - set(folder.glob(_LEFTOVERS)):
            raise ValueError(
                f"checkpoint_dir must be a new or empty folder, but {folder} contains other files"
            )
        else:
            folder.mkdir(parents=True, exist_ok=True)
            with open_write(header) as stream:
                stream.write(json.dumps({"format": _FORMAT, "fit": key}).encode())

    def _check(self, header: Path, key: str) -> None:
        try:
            found = json.loads(header.read_bytes())
        except ValueError:
            raise ValueError(f"{header} is corrupt; remove the folder to start again") from None
        if found != {"format": _FORMAT, "fit": key}:
            raise ValueError(
                f"the checkpoint in {self._folder} belongs to another fit: data, trees or settings "
                "differ. Remove the folder, or pass another one"
            )

    def tree(self, number: int) -> TreeParts:
        """Return the parts of one tree."""
        return TreeParts(self._folder, number)

    def remove(self) -> None:
        """Remove the parts, then the header, and the folder if it is empty."""
        for path in [*self._folder.glob("tree*-packs*.npz"), *self._folder.glob(_LEFTOVERS)]:
            path.unlink()
        (self._folder / _HEADER).unlink()
        if not any(self._folder.iterdir()):
            self._folder.rmdir()


class TreeParts:
    """The finished parts of one tree, one file per part."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder, self._number = folder, number

    def finished(self) -> list[PackRange]:
        """Return the ranges of the finished parts, ascending; packs between them may be missing."""
        found = []
        for path in self._folder.iterdir():
            match = _PART.fullmatch(path.name)
            if match is not None and int(match[1]) == self._number:
                found.append((int(match[2]), int(match[3])))
        apart: list[PackRange] = []
        for first, last in sorted(found):
            if not apart or first >= apart[-1][1]:
                apart.append((first, last))
        return apart

    def load(self, packs: PackRange) -> Part:
        """Return a finished part."""
        return _read(self._path(packs))

    def save(self, packs: PackRange, part: Part) -> None:
        """Write the part of a range of packs atomically."""
        with open_write(self._path(packs)) as stream:
            np.savez(stream, **part._asdict())

    def _path(self, packs: PackRange) -> Path:
        return self._folder / f"tree{self._number}-packs{packs[0]}-{packs[1]}.npz"


def _read(path: Path) -> Part:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            values = {name: arrays[name] for name in Part._fields}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is corrupt ({error}); remove it to train it again") from error
    return Part(**(values | {name: int(values[name]) for name in SolverCounts._fields}))

"""Texts with their tags in a folder of text files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from labeltree.data.text import TaggedText


def read_folder(path: str | os.PathLike[str]) -> Iterator[TaggedText]:
    """Iterate over (text, tags) of all .txt files in a folder and the folders below, by name.

    The tags of ``a.txt`` are the lines of ``a.key``, or those of ``a.tsv`` without the address
    before their tab, as Annif writes them. Without these files its tag is the name of the folder it
    lies in, unless that is the one that was given.

    Raises
    ------
    ValueError
        If there is no .txt file, or a file is not UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "tea").mkdir()
    ...     _ = Path(folder, "tea", "1.txt").write_text("green tea")
    ...     _ = Path(folder, "2.txt").write_text("rye bread")
    ...     _ = Path(folder, "2.key").write_text("bread\\nrye\\n")
    ...     list(read_folder(folder))
    [('rye bread', ['bread', 'rye']), ('green tea', ['tea'])]
    """
    top = Path(path)
    files = sorted(top.rglob("*.txt"))
    if not files:
        raise ValueError(f"{top}: there are no .txt files in this folder")
    for file in files:
        yield _decoded(file), _tags(file, top)


def _tags(file: Path, top: Path) -> list[str]:
    for suffix in (".key", ".tsv"):
        beside = file.with_suffix(suffix)
        if beside.exists():
            lines = (line.rpartition("\t")[2].strip() for line in _decoded(beside).splitlines())
            return [line for line in lines if line]
    return [] if file.parent == top else [file.parent.name]


def _decoded(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file}: not UTF-8: byte 0x{error.object[error.start]:02x} at position {error.start}; "
            "convert the file to UTF-8"
        ) from None

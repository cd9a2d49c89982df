"""Texts and tags in a folder of text files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from labeltree.data.fields import TextRow
from labeltree.data.text import TaggedText


def read_folder(path: str | os.PathLike[str]) -> Iterator[TaggedText]:
    """Iterate over the (text, tags) pairs of all .txt files in a folder and below, by name.

    The tags of ``a.txt`` are the lines of ``a.key``, or the lines of ``a.tsv`` without the URI
    before the tab, as Annif writes them. If neither file exists, the tag is the name of the
    subfolder that contains the text; texts directly in `path` have no tags.

    Raises
    ------
    ValueError
        If there is no .txt file, or a file is not valid UTF-8.

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
    for row in folder_rows(path):
        yield row.text, row.tags


def folder_rows(path: str | os.PathLike[str]) -> Iterator[TextRow]:
    """Iterate over the texts and tags of a folder; identifiers are file names relative to it."""
    top = Path(path)
    files = sorted(top.rglob("*.txt"))
    if not files:
        raise ValueError(f"{top}: this folder has no .txt files")
    for file in files:
        yield TextRow(_decoded(file), _tags(file, top), file.relative_to(top).as_posix())


def _tags(file: Path, top: Path) -> list[str]:
    for suffix in (".key", ".tsv"):
        tag_file = file.with_suffix(suffix)
        if tag_file.exists():
            lines = (line.rpartition("\t")[2].strip() for line in _decoded(tag_file).splitlines())
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

"""Texts and tags in a folder of text files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from labeltree.data.fields import TextRow
from labeltree.data.limits import MAX_LINE
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
    files = sorted(file for file in files_below(top) if file.name.endswith(".txt"))
    if not files:
        raise ValueError(f"{top}: this folder has no .txt files")
    for file in files:
        yield TextRow(_decoded(file), _tags(file, top), _name(file, top))


def _name(file: Path, top: Path) -> str:
    name = file.relative_to(top).as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{top}: names of texts must be UTF-8, but {name!r} is not") from None
    return name


def files_below(top: Path) -> Iterator[Path]:
    """Iterate over the files of a folder at any depth; links to folders are not followed."""
    folders = [top]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                else:
                    yield Path(entry.path)


def _tags(file: Path, top: Path) -> list[str]:
    for suffix in (".key", ".tsv"):
        tag_file = file.with_suffix(suffix)
        if tag_file.exists():
            lines = (line.rpartition("\t")[2].strip() for line in _decoded(tag_file).splitlines())
            return [line for line in lines if line]
    return [] if file.parent == top else [file.parent.name]


def _decoded(file: Path) -> str:
    if not file.is_file():
        raise ValueError(f"{file}: a text must be a file, but this is a device, a pipe or no file")
    if file.stat().st_size > MAX_LINE:
        raise ValueError(
            f"{file}: a text must have at most {MAX_LINE >> 20} MiB, but this one has "
            f"{file.stat().st_size >> 20}; split it"
        )
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file}: not UTF-8: byte 0x{error.object[error.start]:02x} at position {error.start}; "
            "convert the file to UTF-8"
        ) from None

"""Texts and tags in fastText files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile

from labeltree.data.fields import BadRow, TextRow, strict
from labeltree.data.files import Source, open_write
from labeltree.data.text import TaggedText, tried_lines

PREFIX = "__label__"


def read_fasttext(path: Source, *, prefix: str = PREFIX) -> Iterator[TaggedText]:
    """Iterate over the (text, tags) pairs of lines ``__label__tag1 __label__tag2 text``.

    Tags come at the beginning of a line. Empty lines are skipped.

    Parameters
    ----------
    path
        File name (.gz and .zst are decompressed), "-" for standard input, or an open binary file.
    prefix
        Prefix of every tag.

    Examples
    --------
    >>> import io
    >>> list(read_fasttext(io.BytesIO(b"__label__tea __label__hot a pot of tea\\nwater\\n")))
    [('a pot of tea', ['tea', 'hot']), ('water', [])]
    """
    for row in strict(fasttext_rows(path, prefix=prefix)):
        yield row.text, row.tags


def fasttext_rows(path: Source, *, prefix: str = PREFIX) -> Iterator[TextRow | BadRow]:
    """Iterate over the rows of a fastText file and the errors of bad rows; see `read_fasttext`."""
    if not prefix:
        raise ValueError("prefix must be the string that tags start with, but is empty")
    for where, line in tried_lines(path):
        if isinstance(line, BadRow):
            yield line
            continue
        tags = list(takewhile(lambda word: word.startswith(prefix), line.split()))
        if prefix in tags:
            yield BadRow(f"{where}: a tag must have a name, but one is {prefix!r}")
        elif line.strip():
            # Whitespace within the text is kept.
            text = line.strip().split(None, len(tags))[len(tags) :]
            yield TextRow("".join(text), [tag.removeprefix(prefix) for tag in tags])


def write_fasttext(
    path: Source, rows: Iterable[tuple[str, Iterable[str]]], *, prefix: str = PREFIX
) -> None:
    """Write (text, tags) pairs as lines that `read_fasttext` and fastText read.

    Each run of whitespace in a text becomes one space, and each run of whitespace in a tag becomes
    an underscore, since the format cannot represent them.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_fasttext(file, [("a pot\\nof tea", ["green tea"])])
    >>> file.getvalue()
    b'__label__green_tea a pot of tea\\n'
    """
    with open_write(path) as stream:
        for text, tags in rows:
            words = [f"{prefix}{'_'.join(tag.split())}" for tag in tags]
            stream.write((" ".join([*words, *text.split()]) + "\n").encode())

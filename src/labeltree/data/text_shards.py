"""Texts with tags in several files, each of which can be read on its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labeltree.arguments import check_kind, shown
from labeltree.data.csv_text import csv_rows
from labeltree.data.fasttext import fasttext_rows
from labeltree.data.fields import LABEL_FIELDS, Fields, TextRow, strict
from labeltree.data.files import PACKED, Source, format_suffix
from labeltree.data.parquet import parquet_rows
from labeltree.data.text import jsonl_rows, tsv_rows

_READERS: dict[str, Any] = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), jsonl_rows),
    **dict.fromkeys((".parquet", ".pq"), parquet_rows),
    **dict.fromkeys((".tsv", ".tab"), tsv_rows),
    **dict.fromkeys((".ft", ".fasttext"), lambda path, _: fasttext_rows(path)),
    ".csv": csv_rows,
}
_WILD = "*?["


class TextShards:
    """Files of texts with tags, which the workers of an executor read.

    `TextTagger.fit` accepts them in place of texts. Each worker reads whole files, one at a time,
    so the texts are never in memory all at once. The model is the same as that of one list of all
    texts, in the order of the files.

    Parameters
    ----------
    paths
        A pattern such as "docs/*.parquet", whose files are taken in the order of their names, or a
        list of files. Each is a path, or an address such as "s3://bucket/docs-*.jsonl.gz", which
        needs the package fsspec and the one for its scheme. Every worker must be able to read
        them. The suffix is that of Parquet, JSONL, TSV, CSV or fastText, perhaps followed by .gz
        or .zst.
    text_field, label_field
        Fields that hold the text and the tags, as in `read_jsonl` and `read_parquet`.

    Raises
    ------
    ValueError
        If there is no file, or the suffix of one is unknown.

    Examples
    --------
    >>> import tempfile
    >>> from labeltree import TextTagger
    >>> from labeltree.data import write_jsonl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_jsonl(f"{folder}/0.jsonl", [("green tea", ["tea"])])
    ...     write_jsonl(f"{folder}/1.jsonl", [("rye bread", ["bread"])])
    ...     tagger = TextTagger().fit(TextShards(f"{folder}/*.jsonl"))
    >>> tagger.tag(["a cup of tea"], k=1)[0][0][0]
    'tea'
    """

    def __init__(
        self,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        text_field: str = "text",
        label_field: str | Sequence[str] = LABEL_FIELDS,
    ) -> None:
        self.paths = _found(paths)
        self._fields = Fields.of(text_field, label_field)
        for path in self.paths:
            if format_suffix(path) not in _READERS:
                raise ValueError(
                    f"{path}: the suffix of a shard must be one of {', '.join(_READERS)}, "
                    f"perhaps followed by {' or '.join(PACKED)}; rename the file"
                )

    def __len__(self) -> int:
        return len(self.paths)

    def __repr__(self) -> str:
        return f"TextShards of {len(self)} files, {self.paths[0]!r} first"

    def rows(self, number: int) -> Iterator[TextRow]:
        """Iterate over the rows of a file; ValueError for one that cannot be read."""
        path = self.paths[number]
        with _source(path) as source:
            yield from strict(_READERS[format_suffix(path)](source, self._fields))


def is_address(path: str) -> bool:
    """Return whether a path is an address such as "s3://bucket/docs.jsonl".

    Examples
    --------
    >>> is_address("s3://bucket/docs.jsonl"), is_address("docs.jsonl")
    (True, False)
    """
    return "://" in path


def is_pattern(path: str) -> bool:
    """Return whether a path is a pattern, and not the name of a file that exists."""
    return any(mark in path for mark in _WILD) and (is_address(path) or not Path(path).exists())


def _found(paths: Any) -> list[str]:
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    check_kind("paths", paths, "Sequence[str]")
    found: list[str] = []
    for given in paths:
        if not isinstance(given, str | os.PathLike):
            raise TypeError(f"paths must be names of files, but one is {shown(given)}")
        path = os.fspath(given)
        listed = _matches(path) if is_pattern(path) else [path]
        if not listed:
            raise ValueError(f"{path}: no file has such a name; check the pattern")
        found += listed
    if not found:
        raise ValueError("paths must have at least one file, but are empty")
    return found


def _matches(pattern: str) -> list[str]:
    if is_address(pattern):
        return sorted(str(file.full_name) for file in _fsspec().open_files(pattern))
    return sorted(map(str, matching_files(pattern)))


def matching_files(pattern: str) -> Iterator[Path]:
    """Iterate over the files that have a name like a pattern, relative if it is relative."""
    root = Path(Path(pattern).anchor)
    return root.glob(str(Path(pattern).relative_to(root)))


@contextmanager
def _source(path: str) -> Iterator[Source]:
    if not is_address(path):
        yield path
        return
    with _fsspec().open(path, "rb", compression="infer") as stream:
        yield stream


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError:
        raise ImportError("addresses need the package fsspec: pip install fsspec") from None
    return fsspec

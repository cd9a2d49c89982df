"""Formats of input data: how each is recognized and read, for all commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from labeltree.data import (
    read_mapped,
    read_npz,
    read_npz_labels,
    read_parquet_features,
    read_xmc,
)
from labeltree.data.csv_text import csv_rows
from labeltree.data.fasttext import PREFIX, fasttext_rows
from labeltree.data.fields import LABEL_FIELDS, BadRow, Fields, TextRow
from labeltree.data.files import format_suffix, open_read
from labeltree.data.folders import folder_rows
from labeltree.data.mapped import has_mapped
from labeltree.data.parquet import parquet_rows
from labeltree.data.text import jsonl_rows, numbered_lines, tsv_rows

#: Rows of texts, and bad rows where a format can continue after them.
Rows = Iterator[TextRow | BadRow]


class Sizes(NamedTuple):
    """Sizes of XMC text without a header; None to use the largest numbers in the file."""

    n_features: int | None = None
    n_labels: int | None = None


@dataclass(frozen=True)
class Format:
    """A format of input data."""

    name: str
    suffixes: tuple[str, ...]
    has_texts: bool  # otherwise, numeric features
    # Texts: (arguments, fields) -> rows. Features: (arguments, sizes) -> X, labels; each or None.
    read: Callable[[argparse.Namespace, Any], Any]
    options: tuple[str, ...] = ()  # those of `RESTRICTED` that apply


#: Options that are refused for formats they do not apply to.
RESTRICTED = ("delimiter", "header", "no_header", "id_field")


def _jsonl(arguments: argparse.Namespace, fields: Fields) -> Iterator[TextRow]:
    return jsonl_rows(arguments.data, fields)


def _tsv(arguments: argparse.Namespace, fields: Fields) -> Rows:
    return tsv_rows(
        arguments.data,
        fields,
        separator=arguments.separator,
        tags_first=arguments.tags_first,
        header=True if arguments.header else False if arguments.no_header else None,
    )


def _csv(arguments: argparse.Namespace, fields: Fields) -> Rows:
    return csv_rows(
        arguments.data, fields, separator=arguments.separator, delimiter=arguments.delimiter
    )


def _fasttext(arguments: argparse.Namespace, _: Fields) -> Rows:
    return fasttext_rows(arguments.data)


def _parquet(arguments: argparse.Namespace, fields: Fields) -> Rows:
    return parquet_rows(arguments.data, fields)


def _parquet_features(arguments: argparse.Namespace, sizes: Sizes) -> tuple[Any, Any]:
    return read_parquet_features(
        arguments.data,
        label_field=arguments.label_field or LABEL_FIELDS,
        n_features=sizes.n_features,
        n_labels=sizes.n_labels,
    )


def _mapped(arguments: argparse.Namespace, _: Sizes) -> tuple[Any, Any]:
    return read_mapped(arguments.data)


def _folder(arguments: argparse.Namespace, _: Fields) -> Iterator[TextRow]:
    return folder_rows(arguments.data)


def _lines(arguments: argparse.Namespace, _: Fields) -> Iterator[TextRow]:
    return (TextRow(line, []) for _, line in numbered_lines(arguments.data))


def _xmc(arguments: argparse.Namespace, sizes: Sizes) -> tuple[Any, Any]:
    n_features, n_labels = sizes if arguments.no_header else Sizes()
    try:
        return read_xmc(
            arguments.data,
            header=not arguments.no_header,
            n_features=n_features,
            n_labels=n_labels,
        )
    except ValueError as error:
        if arguments.format is not None or ": line 1: " not in str(error):
            raise
        raise ValueError(
            f"{error}; if the data is not XMC text, add --format jsonl, tsv, csv or fasttext"
        ) from None


def _npz(arguments: argparse.Namespace, _: Sizes) -> tuple[Any, Any]:
    x = arguments.data if arguments.x is None and arguments.y is None else arguments.x
    X = None if x is None else read_npz(x)
    rows = None if arguments.y is None else read_npz_labels(arguments.y)
    if X is not None and rows is not None and X.shape[0] != rows.n_rows:
        raise ValueError(f"{x} has {X.shape[0]} rows, but {arguments.y} has {rows.n_rows}")
    return X, rows


#: All formats by name. "lines" has one text per line and no labels.
FORMATS = {
    entry.name: entry
    for entry in (
        Format("jsonl", (".jsonl", ".ndjson", ".json"), True, _jsonl, ("id_field",)),
        Format("tsv", (".tsv", ".tab"), True, _tsv, ("header", "no_header", "id_field")),
        Format("csv", (".csv",), True, _csv, ("delimiter", "header", "id_field")),
        Format("fasttext", (".ft", ".fasttext"), True, _fasttext),
        Format("parquet", (".parquet", ".pq"), True, _parquet, ("id_field",)),
        Format("folder", (), True, _folder),
        Format("xmc", (".xmc", ".svm", ".libsvm"), False, _xmc, ("no_header",)),
        Format("npz", (".npz",), False, _npz),
        Format("parquet-features", (), False, _parquet_features),
        Format("mapped", (".mapped",), False, _mapped),
        Format("lines", (), True, _lines),
    )
}
_BY_SUFFIX = {suffix: entry for entry in FORMATS.values() for suffix in entry.suffixes}


def found_format(path: str, default: str) -> Format:
    """Return the format of a file by its suffix and, for fastText, its first characters.

    Examples
    --------
    >>> found_format("docs.csv.gz", "xmc").name, found_format("train.txt", "xmc").name
    ('csv', 'xmc')
    """
    if path == "-":
        return FORMATS[default]
    if Path(path).is_dir():
        return FORMATS["mapped" if has_mapped(path) else "folder"]
    known = format_by_suffix(path)
    if known is None and _starts_with_label(path):
        known = FORMATS["fasttext"]
    return known or FORMATS[default]


def format_by_suffix(path: str) -> Format | None:
    """Return the format of an input or output file, None if its suffix is unknown."""
    return _BY_SUFFIX.get(format_suffix(path))


def _starts_with_label(path: str) -> bool:
    if not Path(path).is_file():  # a pipe can be read only once
        return False
    with open_read(path) as stream:
        return stream.read(len(PREFIX)) == PREFIX.encode()

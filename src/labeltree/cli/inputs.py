"""Data as commands take them: XMC text, a pair of npz files, or texts with tags."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data import (
    LabelRows,
    as_labels,
    read_csv,
    read_fasttext,
    read_folder,
    read_jsonl,
    read_npz,
    read_npz_labels,
    read_tsv,
    read_xmc,
)
from labeltree.data.files import format_suffix
from labeltree.data.row_scaling import UNIT
from labeltree.text.features import TextFeatures, TextOptions
from labeltree.trees.formats import format_of

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".tsv": "tsv",
    ".csv": "csv",
    ".npz": "npz",
}
_TAG_FIELDS = ("tags", "labels")


class UsageError(ValueError):
    """Arguments that do not go together; the exit code is that of wrong usage."""


@dataclass(frozen=True)
class Data:
    """What was read: features where there are some, and labels."""

    X: Any  # csr_array or None
    rows: LabelRows

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.rows.n_rows

    @property
    def has_labels(self) -> bool:
        """Whether any row has a label."""
        return len(self.rows.indices) > 0

    def select(self, numbers: NDArray[np.int64]) -> Data:
        """The rows of these numbers."""
        return Data(self.X[numbers], self.rows.select(numbers))


@dataclass(frozen=True)
class Texts:
    """Texts and the tags of each."""

    texts: list[str]
    tags: list[list[str]]

    @property
    def n_rows(self) -> int:
        """Number of texts."""
        return len(self.texts)

    @property
    def has_labels(self) -> bool:
        """Whether any text has a tag."""
        return any(self.tags)

    def select(self, numbers: NDArray[np.int64]) -> Texts:
        """The texts of these numbers."""
        listed = numbers.tolist()
        return Texts([self.texts[i] for i in listed], [self.tags[i] for i in listed])


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say where data is."""
    parser.add_argument(
        "data",
        nargs="?",
        help="JSONL ({text, tags} to a line), TSV (text, tab, tags), CSV (columns text, tags), a "
        "folder of .txt files, or XMC text; .gz and .zst are unpacked; - is standard input",
    )
    group = parser.add_argument_group("data")
    group.add_argument("--x", metavar="X.npz", help="features as scipy.sparse.save_npz wrote them")
    group.add_argument("--y", metavar="Y.npz", help="labels, 0 or 1, in the same form")
    group.add_argument(
        "--format",
        choices=("xmc", "jsonl", "tsv", "csv", "fasttext"),
        help="of data; by its suffix if not given",
    )
    group.add_argument(
        "--text-field",
        "--text-field",
        metavar="FIELD",
        default="text",
        help="where the text is in JSONL and CSV (%(default)s)",
    )
    group.add_argument(
        "--label-field",
        "--label-field",
        metavar="FIELD",
        help=f"where the tags are in JSONL and CSV ({' or '.join(_TAG_FIELDS)})",
    )
    group.add_argument("--separator", default=",", help="between tags in TSV and CSV (%(default)s)")
    group.add_argument("--tags-first", action="store_true", help="TSV has tags before the text")
    group.add_argument(
        "--no-header", action="store_true", help="XMC text has no first line with its sizes"
    )


def read_data(arguments: argparse.Namespace, *, features: bool) -> Data:
    """Return the data that arguments name; texts are made features only where asked for.

    Raises
    ------
    UsageError
        If arguments name no data or two.
    ValueError
        For data without rows or labels, and for all that the readers refuse.
    """
    data = read_examples(arguments, keep_texts=features)
    if isinstance(data, Texts):
        return Data(tfidf(data.texts) if features else None, as_labels(data.tags))
    if data.X is None:
        return data
    return Data(UNIT(data.X, in_place=True), data.rows)  # nobody else holds what was just read


def read_examples(arguments: argparse.Namespace, *, keep_texts: bool = True) -> Data | Texts:
    """Return rows with labels, or texts with tags, as arguments name them; see `read_data`."""
    if arguments.data is None and arguments.y is None:
        raise UsageError("there is no data; name a file, or labels with --y Y.npz")
    if arguments.data is not None and (arguments.x is not None or arguments.y is not None):
        raise UsageError("data is one file or --x and --y, but both are given")
    data: Data | Texts
    if arguments.data is None:
        source, data = arguments.y, _read_pair(arguments)
    elif (kind := data_kind(arguments)) == "xmc":
        source, data = (
            arguments.data,
            Data(*read_xmc(arguments.data, header=not arguments.no_header)),
        )
    else:
        # Texts that no features are made of are dropped line by line.
        pairs = [(text if keep_texts else "", tags) for text, tags in tagged_texts(arguments, kind)]
        source, data = (
            arguments.data,
            Texts([text for text, _ in pairs], [tags for _, tags in pairs]),
        )
    if data.n_rows == 0:
        raise ValueError(f"{source}: there are no rows")
    if not data.has_labels:
        raise ValueError(f"{source}: no row has a label")
    return data


def data_kind(arguments: argparse.Namespace) -> str:
    """Return what kind of file data is."""
    kind: str = arguments.format or kind_of(arguments.data)
    if kind == "npz":
        raise UsageError("npz files come in pairs; name them with --x X.npz --y Y.npz")
    return kind


def tagged_texts(
    arguments: argparse.Namespace, kind: str, *, with_tags: bool = True
) -> Iterator[tuple[str, list[str]]]:
    """Iterate over texts and tags, one line at a time."""
    tags = (arguments.label_field or _TAG_FIELDS) if with_tags else None
    if kind == "jsonl":
        return read_jsonl(arguments.data, text_field=arguments.text_field, label_field=tags)
    if kind == "csv":
        return read_csv(
            arguments.data,
            text_field=arguments.text_field,
            label_field=tags,
            separator=arguments.separator,
        )
    if kind == "folder":
        return read_folder(arguments.data)
    if kind == "fasttext":
        return read_fasttext(arguments.data)
    return read_tsv(arguments.data, separator=arguments.separator, tags_first=arguments.tags_first)


def check_tree_file(path: str) -> None:
    """Refuse a file name that no tree can be written to, before the work and not after it."""
    try:
        format_of(path)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not Path(path).parent.is_dir():
        raise UsageError(f"{path}: there is no folder {Path(path).parent}")


def _read_pair(arguments: argparse.Namespace) -> Data:
    rows = read_npz_labels(arguments.y)
    X = None if arguments.x is None else read_npz(arguments.x)
    if X is not None and X.shape[0] != rows.n_rows:
        raise ValueError(
            f"{arguments.x} has {X.shape[0]} rows, but {arguments.y} has {rows.n_rows}"
        )
    return Data(X, rows)


def kind_of(path: str) -> str:
    """Return the kind of a file by its suffix."""
    if Path(path).is_dir():
        return "folder"
    return _SUFFIXES.get(format_suffix(path), "xmc")


def tfidf(texts: list[str]) -> Any:
    """Return TF-IDF features of single words."""
    options = TextOptions(ngram_range=(1, 1), min_df=1, sublinear_tf=False)
    return TextFeatures.fit(options, texts, None)[1]

"""Input data of commands: XMC text, a pair of npz files, or texts with tags."""

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
from labeltree.text.features import TextFeatures
from labeltree.text.options import TextOptions
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
    """Invalid combination of arguments; the exit code is 2."""


@dataclass(frozen=True)
class Data:
    """Features, if there are any, and labels."""

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
        """Return the rows with these numbers."""
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
        """Return the texts with these numbers."""
        listed = numbers.tolist()
        return Texts([self.texts[i] for i in listed], [self.tags[i] for i in listed])


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name the input data."""
    parser.add_argument(
        "data",
        nargs="?",
        help="JSONL (one {text, tags} per line), TSV (text, tab, tags), CSV (columns text, tags), "
        "a folder of .txt files, or XMC text; may be compressed (.gz, .zst); - for standard input",
    )
    group = parser.add_argument_group("data")
    group.add_argument("--x", metavar="X.npz", help="features, saved by scipy.sparse.save_npz")
    group.add_argument("--y", metavar="Y.npz", help="labels, 0 or 1, saved in the same way")
    group.add_argument(
        "--format",
        choices=("xmc", "jsonl", "tsv", "csv", "fasttext"),
        help="input format (default: from the suffix)",
    )
    group.add_argument(
        "--text-field",
        metavar="FIELD",
        default="text",
        help="field or column of the text in JSONL and CSV (default: %(default)s)",
    )
    group.add_argument(
        "--label-field",
        metavar="FIELD",
        help=f"field or column of the tags in JSONL and CSV (default: {' or '.join(_TAG_FIELDS)})",
    )
    group.add_argument(
        "--separator", default=",", help="separator of tags in TSV and CSV (default: %(default)s)"
    )
    group.add_argument("--tags-first", action="store_true", help="tags precede the text in TSV")
    group.add_argument(
        "--no-header", action="store_true", help="XMC text has no header line with its sizes"
    )


def read_data(arguments: argparse.Namespace, *, features: bool) -> Data:
    """Return the data that the arguments name; `features` turns texts into features.

    Raises
    ------
    UsageError
        If the arguments name no data, or two inputs.
    ValueError
        If the data has no rows or no labels, or is malformed.
    """
    data = read_examples(arguments, keep_texts=features)
    if isinstance(data, Texts):
        return Data(tfidf(data.texts) if features else None, as_labels(data.tags))
    if data.X is None:
        return data
    return Data(UNIT(data.X, in_place=True), data.rows)  # nobody else holds what was just read


def read_examples(arguments: argparse.Namespace, *, keep_texts: bool = True) -> Data | Texts:
    """Return features with labels, or texts with tags, that the arguments name; see `read_data`."""
    if arguments.data is None and arguments.y is None:
        raise UsageError("no data is given; pass a file, or labels with --y Y.npz")
    if arguments.data is not None and (arguments.x is not None or arguments.y is not None):
        raise UsageError("the data must be one file, or --x and --y, but both are given")
    data: Data | Texts
    if arguments.data is None:
        source, data = arguments.y, _read_pair(arguments)
    elif (kind := data_kind(arguments)) == "xmc":
        source, data = (
            arguments.data,
            Data(*read_xmc(arguments.data, header=not arguments.no_header)),
        )
    else:
        # Texts that are not needed for features are dropped line by line.
        pairs = [(text if keep_texts else "", tags) for text, tags in tagged_texts(arguments, kind)]
        source, data = (
            arguments.data,
            Texts([text for text, _ in pairs], [tags for _, tags in pairs]),
        )
    if data.n_rows == 0:
        raise ValueError(f"{source}: the data has no rows")
    if not data.has_labels:
        raise ValueError(f"{source}: no row has a label")
    return data


def data_kind(arguments: argparse.Namespace) -> str:
    """Return the format of the input file."""
    kind: str = arguments.format or kind_of(arguments.data)
    if kind == "npz":
        raise UsageError("npz files come in pairs; pass them with --x X.npz --y Y.npz")
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
    """Refuse an output file that cannot be written, before any work is done."""
    try:
        format_of(path)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not Path(path).parent.is_dir():
        raise UsageError(f"{path}: folder {Path(path).parent} does not exist")


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

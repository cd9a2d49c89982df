"""Input data of commands: texts with tags, or numeric features with labels, in any format."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.cli.formats import FORMATS, RESTRICTED, Format, Sizes, found_format
from labeltree.data import LabelRows, as_labels
from labeltree.data.fields import LABEL_FIELDS, Fields, TextRow, strict
from labeltree.data.files import PACKED
from labeltree.data.mapped import select_mapped
from labeltree.data.parquet_features import has_features
from labeltree.data.row_scaling import UNIT
from labeltree.text.features import TextFeatures
from labeltree.text.options import TextOptions
from labeltree.training.memory import is_mapped
from labeltree.trees.formats import format_of

_WITH_LABELS = tuple(name for name in FORMATS if name not in ("npz", "lines"))
_TAB = "tab"


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
        """Return the rows with these numbers; of mapped rows, mapped from temporary files."""
        if self.X is not None and is_mapped(self.X):
            return Data(*select_mapped(self.X, self.rows, numbers))
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

    def plus(self, others: Texts) -> Texts:
        """Return these texts, followed by others."""
        return Texts(self.texts + others.texts, self.tags + others.tags)

    def by_tag(self) -> dict[str, str]:
        """Return the text of each tag; several texts of a tag are joined by line breaks.

        Examples
        --------
        >>> Texts(["fruit", "leaves", "sugar"], [["jam"], ["tea"], ["jam"]]).by_tag()
        {'jam': 'fruit\\nsugar', 'tea': 'leaves'}
        """
        found: dict[str, list[str]] = {}
        for text, tags in zip(self.texts, self.tags, strict=True):
            for tag in tags:
                found.setdefault(tag, []).append(text)
        return {tag: "\n".join(texts) for tag, texts in found.items()}


def add_data_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the arguments that name labeled data; `several` for a list of files."""
    parser.add_argument(
        "data",
        nargs="*" if several else "?",
        help="JSONL (one {text, tags} per line), TSV (text, tab, tags), CSV (columns text, tags), "
        "fastText, Parquet, a folder of .txt files, or XMC text; may be compressed (.gz, .zst); - "
        "for standard input",
    )
    group = parser.add_argument_group("data")
    group.add_argument("--x", metavar="X.npz", help="features, saved by scipy.sparse.save_npz")
    group.add_argument("--y", metavar="Y.npz", help="labels, 0 or 1, saved in the same way")
    add_format_arguments(group, _WITH_LABELS)


def add_format_arguments(group: Any, formats: tuple[str, ...] = tuple(FORMATS)) -> None:
    """Add the arguments that describe the format of the data."""
    group.add_argument("--format", choices=formats, help="input format (default: from the suffix)")
    group.add_argument(
        "--text-field",
        metavar="FIELD",
        default="text",
        help="field of the text in JSONL, CSV, TSV and Parquet (default: %(default)s)",
    )
    group.add_argument(
        "--label-field",
        metavar="FIELD",
        help="field of the tags in JSONL, CSV, TSV and Parquet (default: the first of "
        f"{', '.join(LABEL_FIELDS)})",
    )
    group.add_argument(
        "--separator", default=",", help="separator of tags in TSV and CSV (default: %(default)s)"
    )
    group.add_argument(
        "--delimiter",
        type=_delimiter,
        metavar="CHAR",
        help="character between the fields of CSV, or tab (default: from the first line)",
    )
    header = group.add_mutually_exclusive_group()
    header.add_argument(
        "--header",
        action="store_true",
        help="the first line of TSV names the fields (default: if it has the text and tag fields)",
    )
    header.add_argument(
        "--no-header",
        action="store_true",
        help="the first line of TSV is a row; XMC text has no header line with its sizes",
    )
    group.add_argument(
        "--tags-first", action="store_true", help="tags precede the text in TSV without a header"
    )


def add_id_argument(group: Any) -> None:
    """Add the argument that names the field of identifiers, for commands that print rows."""
    group.add_argument(
        "--id-field",
        metavar="FIELD",
        help="field of an identifier to copy to the output (default: file names of a folder)",
    )


def _delimiter(text: str) -> str:
    mark = "\t" if text in (_TAB, "\\t") else text
    if len(mark) != 1 or mark in '"\r\n':
        raise argparse.ArgumentTypeError(f"must be one character or {_TAB}, but is {text!r}")
    return mark


def written_format(arguments: argparse.Namespace) -> list[str]:
    """Return the options for the format of the data that were given."""
    words = []
    for name, default in (
        ("format", None),
        ("text_field", "text"),
        ("label_field", None),
        ("separator", ","),
        ("delimiter", None),
    ):
        value = getattr(arguments, name)
        if value != default:
            words += ["--" + name.replace("_", "-"), _TAB if value == "\t" else value]
    for name in ("header", "no_header", "tags_first"):
        words += ["--" + name.replace("_", "-")] * getattr(arguments, name)
    return words


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


def read_examples(
    arguments: argparse.Namespace, *, keep_texts: bool = True, sizes: Sizes | None = None
) -> Data | Texts:
    """Return features with labels, or texts with tags, that the arguments name; see `read_data`."""
    if arguments.data is None and arguments.y is None:
        raise UsageError("no data is given; pass a file, or labels with --y Y.npz")
    if arguments.data is not None and (arguments.x is not None or arguments.y is not None):
        raise UsageError("the data must be one file, or --x and --y, but both are given")
    data: Data | Texts
    source = arguments.y if arguments.data is None else arguments.data
    form = FORMATS["npz"] if arguments.data is None else input_format(arguments)
    if not form.has_texts:
        data = Data(*form.read(arguments, sizes or Sizes()))
        if data.rows is None:
            raise ValueError(f"{source}: there is no column of labels; set label_field")
    else:
        # Texts that are not needed for features are dropped line by line.
        rows = [(row.text if keep_texts else "", row.tags) for row in text_rows(arguments, form)]
        data = Texts([text for text, _ in rows], [tags for _, tags in rows])
    if data.n_rows == 0:
        raise ValueError(f"{source}: the data has no rows")
    if not data.has_labels:
        raise ValueError(f"{source}: no row has a label")
    return data


def input_format(
    arguments: argparse.Namespace, default: str = "xmc", *, needs_labels: bool = True
) -> Format:
    """Return the format of the input file; `default` is that of files with an unknown suffix.

    Raises
    ------
    UsageError
        If labels are needed but the file is one of a pair, or an option does not apply.
    """
    if arguments.format is not None:
        form = FORMATS[arguments.format]
    else:
        form = found_format(arguments.data, default)
        if arguments.delimiter is not None and form is FORMATS[default]:
            form = FORMATS["csv"]
    if form.name == "parquet" and has_features(arguments.data, arguments.text_field):
        form = FORMATS["parquet-features"]
    if form.name == "npz" and needs_labels:
        raise UsageError("npz files come in pairs; pass them with --x X.npz --y Y.npz")
    for name in RESTRICTED:
        if getattr(arguments, name, None) and name not in form.options:
            others = [entry.name for entry in FORMATS.values() if name in entry.options]
            raise UsageError(
                f"--{name.replace('_', '-')} applies to {', '.join(others)}, but the format is "
                f"{form.name}; drop it, or set --format"
            )
    return form


def text_fields(arguments: argparse.Namespace, *, with_labels: bool = True) -> Fields:
    """Return the names of the fields of texts."""
    named = arguments.label_field
    return Fields(
        arguments.text_field,
        LABEL_FIELDS if named is None else (named,),
        getattr(arguments, "id_field", None),
        with_labels,
    )


def text_rows(
    arguments: argparse.Namespace, form: Format, *, with_labels: bool = True
) -> Iterator[TextRow]:
    """Iterate over texts, one line at a time; `with_labels` requires that the field exists."""
    return strict(form.read(arguments, text_fields(arguments, with_labels=with_labels)))


def check_tree_file(path: str) -> None:
    """Refuse an output file that cannot be written, before any work is done."""
    try:
        format_of(path)
    except ValueError as error:
        raise UsageError(str(error)) from None
    check_folder(path)


def check_folder(path: str | None) -> None:
    """Refuse an output file in a folder that does not exist; None and "-" are no files."""
    if path is not None and path != "-" and not Path(path).parent.is_dir():
        raise UsageError(f"{path}: folder {Path(path).parent} does not exist")


def check_parquet_output(path: str, format_name: str | None) -> None:
    """Refuse Parquet on standard output, and in a file that is compressed once more."""
    if format_name == "parquet" and (path == "-" or Path(path).suffix in PACKED):
        raise UsageError(
            f"Parquet is written to a plain file such as tags.parquet, but the output is {path}"
        )


def tfidf(texts: list[str]) -> Any:
    """Return the features that `labeltree train` makes by default."""
    return TextFeatures.fit(TextOptions(), texts, None)[1]

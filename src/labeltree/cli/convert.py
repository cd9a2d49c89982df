"""`labeltree convert`: data and trees from one format to another."""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from labeltree.cli.formats import format_by_suffix
from labeltree.cli.inputs import (
    Data,
    UsageError,
    add_data_arguments,
    check_folder,
    check_parquet_output,
    input_format,
    read_examples,
    text_rows,
)
from labeltree.cli.options import add_json_argument, print_json
from labeltree.data import (
    write_fasttext,
    write_jsonl,
    write_mapped,
    write_npz,
    write_parquet,
    write_parquet_features,
    write_tsv,
    write_xmc,
)
from labeltree.data.fields import LABEL_FIELDS
from labeltree.data.mapped import MappedSizes
from labeltree.data.parquet_features import parquet_feature_parts
from labeltree.trees import LabelTree, to_napkinxc
from labeltree.trees.formats import format_of
from labeltree.trees.other_systems import READERS, SYSTEMS, system_of

SUMMARY = "convert data or a tree to another format"
EXAMPLES = """\
  labeltree convert train.txt --x-out X.npz --y-out Y.npz
  labeltree convert --x X.npz --y Y.npz -o train.txt
  labeltree convert data.svm --no-header --one-based -o train.txt
  labeltree convert docs.csv --separator ';' -o docs.jsonl
  labeltree convert train.ft -o docs.jsonl
  labeltree convert docs.parquet --text-field body -o docs.jsonl
  labeltree convert docs.jsonl.gz -o docs.parquet
  labeltree convert rows.parquet -o rows.mapped
  labeltree convert omikuji-model -o tree.json
  labeltree convert napkinxc-model -o tree.nwk
  labeltree convert pecos-model -o tree.json
  labeltree convert tree.json --to napkinxc -o tree.txt

supported formats:
  numeric features: XMC and libsvm text, npz, Parquet with columns indices, values and labels,
    folders of mapped rows, for data that does not fit into memory
  texts with tags: JSONL, TSV, CSV, fastText, Parquet, folders of text files
  trees: JSON, Newick, dot, and the models of omikuji, napkinXC and PECOS
Input and output must be of the same kind.
"""
_TEXT_WRITERS: dict[str, Callable[..., None]] = {
    "jsonl": write_jsonl,
    "tsv": write_tsv,
    "fasttext": write_fasttext,
    "parquet": write_parquet,
}
_NAPKINXC = "napkinxc"
_MAPPED = "mapped"
_TARGETS = ("xmc", _MAPPED, *_TEXT_WRITERS, _NAPKINXC)


#: Figures of what was written, and the same in words.
Report = tuple[dict[str, Any], str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="output file; - for standard output")
    parser.add_argument("--x-out", metavar="X.npz", help="output file for features")
    parser.add_argument("--y-out", metavar="Y.npz", help="output file for labels")
    parser.add_argument("--to", choices=_TARGETS, help="output format (default: from the suffix)")
    parser.add_argument(
        "--from-tree", choices=SYSTEMS, help="system that wrote the tree (default: from its files)"
    )
    parser.add_argument(
        "--tree-number", type=int, default=0, help="tree of an omikuji model (default: %(default)s)"
    )
    parser.add_argument(
        "--one-based", action="store_true", help="features are numbered from 1, as in libsvm"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Convert the input and report what was written."""
    _check_outputs(arguments)
    if (tree := _tree(arguments)) is not None:
        found, message = _write_tree(tree, arguments)
    elif arguments.data is not None and (form := input_format(arguments)).has_texts:
        rows = ((row.text, row.tags) for row in text_rows(arguments, form))
        found, message = _write_texts(rows, arguments)
    else:
        found, message = _write_rows(arguments)
    written = [path for path in (arguments.output, arguments.x_out, arguments.y_out) if path]
    if arguments.output == "-":  # standard output holds the data
        return 0
    if arguments.json:
        print_json({"written": written, **found})
    elif not arguments.quiet:
        print(f"{', '.join(written)}: {message}")
    return 0


def _check_outputs(arguments: argparse.Namespace) -> None:
    targets = [arguments.output, arguments.x_out, arguments.y_out]
    given = [target for target in targets if target is not None]
    if not given or (arguments.output is not None and len(given) > 1):
        raise UsageError("an output is required: -o FILE, or --x-out X.npz and --y-out Y.npz")
    if arguments.output == "-" and arguments.to is None:
        raise UsageError("standard output has no suffix; add --to xmc, jsonl, tsv or fasttext")
    if arguments.data not in (None, "-") and not Path(arguments.data).exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), arguments.data)
    for target in given:
        check_folder(target)
    if arguments.output is not None:
        check_parquet_output(arguments.output, _target(arguments))


# Trees ------------------------------------------------------------------------------------------


def _tree(arguments: argparse.Namespace) -> LabelTree | None:
    """Return the tree in the input, or None if the input is not a tree."""
    if arguments.data in (None, "-"):
        return None
    system = arguments.from_tree or system_of(arguments.data)
    if system == "omikuji":
        return READERS[system](arguments.data, number=arguments.tree_number)
    if system is not None:
        return READERS[system](arguments.data)
    try:
        format_of(arguments.data)
    except ValueError:
        return None
    # .json may also hold lines of texts, which are never written as a tree.
    return LabelTree.load(arguments.data) if _target(arguments) in (None, _NAPKINXC) else None


def _write_tree(tree: LabelTree, arguments: argparse.Namespace) -> Report:
    if arguments.output is None or _target(arguments) not in (None, _NAPKINXC):
        raise UsageError(
            "a tree needs -o FILE with the suffix .json, .nwk or .dot, or --to napkinxc"
        )
    if _target(arguments) == _NAPKINXC:
        to_napkinxc(tree, arguments.output)
    else:
        tree.save(arguments.output)
    figures = {"n_labels": tree.n_labels, "n_nodes": tree.n_nodes, "depth": tree.depth}
    return figures, (
        f"tree with {tree.n_labels:,} labels and {tree.n_nodes:,} nodes, depth {tree.depth}"
    )


# Texts ------------------------------------------------------------------------------------------


def _write_texts(rows: Iterable[tuple[str, list[str]]], arguments: argparse.Namespace) -> Report:
    target = _target(arguments)
    if arguments.output is None or target not in _TEXT_WRITERS:
        raise UsageError(
            "texts can only be converted with --to jsonl, tsv, fasttext or parquet; "
            "to turn them into features, use labeltree train"
        )
    counted = _Counted(rows)
    options = {"separator": arguments.separator} if target == "tsv" else {}
    _TEXT_WRITERS[target](arguments.output, counted, **options)
    return {"n_rows": counted.n_rows}, f"{counted.n_rows:,} texts"


class _Counted:
    """Iterable that counts its rows."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows = rows
        self.n_rows = 0

    def __iter__(self) -> Any:
        for row in self._rows:
            yield row
            self.n_rows += 1


# Features and labels ----------------------------------------------------------------------------


def _write_rows(arguments: argparse.Namespace) -> Report:
    target = "npz" if arguments.output is None else _target(arguments) or "xmc"
    if target == "npz" and arguments.output is not None:
        raise UsageError("npz files come in pairs; write them with --x-out X.npz --y-out Y.npz")
    if target not in ("npz", "xmc", "parquet", _MAPPED):
        raise UsageError(f"numeric features cannot be converted to {target}, which holds texts")
    if target == _MAPPED and (parts := _parts(arguments)) is not None:
        return _write_mapped(arguments.output, parts)
    data = read_examples(arguments)
    assert isinstance(data, Data)
    X = _from_zero(data.X) if arguments.one_based else data.X
    if X is None and arguments.y_out is None:
        raise UsageError("the input has labels only; add features with --x X.npz")
    if target == "xmc":
        write_xmc(arguments.output, X, data.rows)
    if target == "parquet":
        write_parquet_features(arguments.output, X, data.rows)
    if target == _MAPPED:
        return _write_mapped(arguments.output, [(X, data.rows)])
    for path, part in ((arguments.x_out, X), (arguments.y_out, data.rows)):
        if path is not None:
            write_npz(path, part)
    return _counts(data.n_rows, 0 if X is None else int(X.shape[1]), data.rows.n_labels)


def _counts(n_rows: int, n_features: int, n_labels: int) -> Report:
    figures = {"n_rows": n_rows, "n_features": n_features, "n_labels": n_labels}
    shown = f"{n_features:,}" if n_features else "no"
    return figures, f"{n_rows:,} rows, {shown} features, {n_labels:,} labels"


def _parts(arguments: argparse.Namespace) -> Iterable[tuple[Any, Any]] | None:
    """Return parts of the input, if it can be read in parts."""
    if arguments.data is None or input_format(arguments).name != "parquet-features":
        return None
    field = arguments.label_field or LABEL_FIELDS
    parts = parquet_feature_parts(arguments.data, label_field=field)
    return _labeled(arguments.data, parts)


def _labeled(source: str, parts: Iterable[tuple[Any, Any]]) -> Iterable[tuple[Any, Any]]:
    for X, rows in parts:
        if rows is None:
            raise ValueError(f"{source}: there is no column of labels; set --label-field")
        yield X, rows


def _write_mapped(path: str, parts: Iterable[tuple[Any, Any]]) -> Report:
    write_mapped(path, parts)
    return _counts(*MappedSizes.of(path))


def _from_zero(X: Any) -> Any:
    """Return features numbered from 1 without the empty column 0."""
    if np.any(X.indices == 0):
        raise ValueError("--one-based needs features numbered from 1, but there is a feature 0")
    return X[:, 1:]


def _target(arguments: argparse.Namespace) -> str | None:
    """Return the output format, by default from the suffix; None for a tree file."""
    if arguments.to is not None or arguments.output is None:
        return arguments.to if arguments.to is None else str(arguments.to)
    try:
        format_of(arguments.output)
    except ValueError:
        known = format_by_suffix(arguments.output)
        return "xmc" if known is None else known.name
    return None

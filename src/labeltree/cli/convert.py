"""`labeltree convert`: data and trees from one format to another."""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from labeltree.cli.inputs import (
    Data,
    UsageError,
    add_data_arguments,
    data_kind,
    read_examples,
    tagged_texts,
)
from labeltree.data import write_fasttext, write_jsonl, write_npz, write_tsv, write_xmc
from labeltree.data.files import format_suffix
from labeltree.trees import LabelTree, to_napkinxc
from labeltree.trees.formats import format_of
from labeltree.trees.other_systems import READERS, SYSTEMS, system_of

SUMMARY = "convert data or a tree to another format"
EXAMPLES = """\
  labeltree convert train.txt --x-out X.npz --y-out Y.npz
  labeltree convert --x X.npz --y Y.npz -o train.txt
  labeltree convert data.svm --no-header --one-based -o train.txt
  labeltree convert docs.csv --separator ';' -o docs.jsonl
  labeltree convert train.ft --format fasttext -o docs.jsonl
  labeltree convert omikuji-model -o tree.json
  labeltree convert napkinxc-model -o tree.nwk
  labeltree convert pecos-model -o tree.json
  labeltree convert tree.json --to napkinxc -o tree.txt

supported formats:
  numeric features: XMC and libsvm text, npz
  texts with tags: JSONL, TSV, CSV, fastText, folders of text files
  trees: JSON, Newick, dot, and the models of omikuji, napkinXC and PECOS
Input and output must be of the same kind.
"""
_TEXT_WRITERS: dict[str, Callable[..., None]] = {
    "jsonl": write_jsonl,
    "tsv": write_tsv,
    "fasttext": write_fasttext,
}
_NAPKINXC = "napkinxc"
_TARGETS = ("xmc", *_TEXT_WRITERS, _NAPKINXC)
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".tsv": "tsv", ".ft": "fasttext"}


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


def run(arguments: argparse.Namespace) -> int:
    """Convert the input and report what was written."""
    _check_outputs(arguments)
    if (tree := _tree(arguments)) is not None:
        message = _write_tree(tree, arguments)
    elif arguments.data is not None and (kind := data_kind(arguments)) != "xmc":
        message = _write_texts(tagged_texts(arguments, kind), arguments)
    else:
        message = _write_rows(arguments)
    if not arguments.quiet and arguments.output != "-":
        print(message)
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
        if target != "-" and not Path(target).parent.is_dir():
            raise UsageError(f"{target}: folder {Path(target).parent} does not exist")
        if any(_is_same(target, source) for source in (arguments.data, arguments.x, arguments.y)):
            raise UsageError(f"{target} is both input and output; choose another output file")


def _is_same(target: str, source: str | None) -> bool:
    paths = [Path(path) for path in (target, source) if path not in (None, "-")]
    return len(paths) == 2 and all(map(Path.exists, paths)) and paths[0].samefile(paths[1])


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


def _write_tree(tree: LabelTree, arguments: argparse.Namespace) -> str:
    if arguments.output is None or _target(arguments) not in (None, _NAPKINXC):
        raise UsageError(
            "a tree needs -o FILE with the suffix .json, .nwk or .dot, or --to napkinxc"
        )
    if _target(arguments) == _NAPKINXC:
        to_napkinxc(tree, arguments.output)
    else:
        tree.save(arguments.output)
    return (
        f"{arguments.output}: tree with {tree.n_labels:,} labels and {tree.n_nodes:,} nodes, "
        f"depth {tree.depth}"
    )


# Texts ------------------------------------------------------------------------------------------


def _write_texts(rows: Iterable[tuple[str, list[str]]], arguments: argparse.Namespace) -> str:
    target = _target(arguments)
    if arguments.output is None or target not in _TEXT_WRITERS:
        raise UsageError(
            "texts can only be converted with --to jsonl, tsv or fasttext; "
            "to turn them into features, use labeltree train"
        )
    counted = _Counted(rows)
    options = {"separator": arguments.separator} if target == "tsv" else {}
    _TEXT_WRITERS[target](arguments.output, counted, **options)
    return f"{arguments.output}: {counted.n_rows:,} texts"


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


def _write_rows(arguments: argparse.Namespace) -> str:
    target = "npz" if arguments.output is None else _target(arguments) or "xmc"
    if target not in ("npz", "xmc"):
        raise UsageError(f"numeric features cannot be converted to {target}, which holds texts")
    data = read_examples(arguments)
    assert isinstance(data, Data)
    X = _from_zero(data.X) if arguments.one_based else data.X
    if X is None and arguments.y_out is None:
        raise UsageError("the input has labels only; add features with --x X.npz")
    if target == "xmc":
        write_xmc(arguments.output, X, data.rows)
    for path, part in ((arguments.x_out, X), (arguments.y_out, data.rows)):
        if path is not None:
            write_npz(path, part)
    written = [path for path in (arguments.output, arguments.x_out, arguments.y_out) if path]
    n_features = "no" if X is None else f"{X.shape[1]:,}"
    return (
        f"{', '.join(written)}: {data.n_rows:,} rows, {n_features} features, "
        f"{data.rows.n_labels:,} labels"
    )


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
        return _SUFFIXES.get(format_suffix(arguments.output), "xmc")
    return None

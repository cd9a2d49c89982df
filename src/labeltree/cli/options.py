"""Command-line options for estimator parameters; options that are not given keep the defaults."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from labeltree import PLTClassifier
from labeltree.cli.inputs import Data, Texts, UsageError
from labeltree.cli.models import encoder_argument
from labeltree.cli.terminal import visible
from labeltree.data import as_labels
from labeltree.text.options import ANALYZERS, TextOptions
from labeltree.training.effort import EFFORTS
from labeltree.training.label_weighting import PROPENSITY
from labeltree.trees import Hierarchy, LabelTree, from_hierarchy
from labeltree.trees.by_name import AUTO, BUILDERS
from labeltree.units import parse_bytes

_TEXT_OPTIONS = (
    *("analyzer", "ngram_range", "min_df", "max_features", "n_features", "language"),
    "encoder",
)
_OPTIONS = (
    *("effort", "tree", "n_trees", "loss", "C", "max_iter", "label_weighting"),
    "interactions",
    *("max_memory", "checkpoint_dir", "n_jobs"),
)
_NONE = "none"  # how None is written


def add_option_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for estimator parameters."""
    _add_text_arguments(parser.add_argument_group("text features"))
    model = parser.add_argument_group("model")
    _add_tree_arguments(model)
    _add_training_arguments(model)


def _add_text_arguments(text: Any) -> None:
    text.add_argument(
        "--analyzer", choices=ANALYZERS, help=f"unit of n-grams (default: {TextOptions.analyzer})"
    )
    first, last = TextOptions.ngram_range
    text.add_argument(
        "--ngram-range",
        type=int,
        nargs=2,
        metavar=("FIRST", "LAST"),
        help=f"shortest and longest n-grams (default: {first} {last})",
    )
    text.add_argument(
        "--min-df",
        type=_count_or_share,
        help="minimum number or share of texts that contain a word (default: auto)",
    )
    text.add_argument(
        "--max-features", type=int, help="number of most frequent words to keep (default: all)"
    )
    text.add_argument("--n-features", type=int, help="hash words to this number of features")
    text.add_argument("--language", help="remove the endings of words, such as en (default: none)")
    text.add_argument(
        "--encoder",
        type=encoder_argument,
        metavar="NAME",
        help="add the numbers of an encoder to the words, such as "
        "sentence-transformers:all-MiniLM-L6-v2 or model2vec:minishlab/potion-base-8M",
    )
    text.add_argument("--no-sublinear-tf", action="store_true", help="use raw word counts")


def _add_tree_arguments(model: Any) -> None:
    defaults = PLTClassifier()
    model.add_argument(
        "--effort",
        choices=EFFORTS,
        help="training time to spend on accuracy; it fills in --tree, --n-trees and --rerank where "
        f"they are not given (default: {defaults.effort})",
    )
    model.add_argument(
        "--tree",
        choices=BUILDERS,
        metavar="NAME",
        help=f"one of {', '.join(BUILDERS)} (default: {defaults.tree})",
    )
    model.add_argument(
        "--width",
        type=float,
        help="width of the nodes of the auto tree (default: 3, or less if rows are long)",
    )
    add_hierarchy_arguments(
        model, "--hierarchy", "your own tree as TSV (child, tab, parent) or SKOS"
    )
    model.add_argument(
        "--collapse",
        action="store_true",
        help="remove hierarchy nodes whose removal lowers the cost",
    )
    model.add_argument("--n-trees", type=int, help="number of trees (default: by effort)")


def _add_training_arguments(model: Any) -> None:
    defaults = PLTClassifier()
    model.add_argument(
        "--loss",
        choices=("squared_hinge", "logistic"),
        help=f"loss function (default: {defaults.loss})",
    )
    model.add_argument(
        "--C", type=float, help=f"inverse regularization strength (default: {defaults.C})"
    )
    model.add_argument(
        "--max-iter",
        type=int,
        help=f"maximum passes over the rows of a node (default: {defaults.max_iter})",
    )
    model.add_argument(
        "--rerank",
        action="store_true",
        help="train a second classifier per label that re-ranks the most probable labels, "
        "if held-back rows gain from it",
    )
    model.add_argument(
        "--no-implications",
        action="store_true",
        help="do not raise a label to the probability of labels that imply it, even if held-back "
        "rows gain from it",
    )
    model.add_argument(
        "--label-weighting",
        metavar="WEIGHTING",
        type=_label_weighting,
        help="rank rare labels higher: propensity, or an exponent from 0 to 1 (default: none)",
    )
    model.add_argument(
        "--interactions",
        metavar="NUMBER",
        type=_interactions,
        help="add pairs of features to rows: auto, none, or the mean number of pairs per row "
        f"(default: {defaults.interactions})",
    )
    model.add_argument(
        "--quantize", action="store_true", help="store 8-bit weights, for a smaller file"
    )
    model.add_argument(
        "--max-memory",
        metavar="SIZE",
        type=_size,
        help="memory limit in addition to the data, such as 500MB",
    )
    model.add_argument(
        "--checkpoint-dir", metavar="DIR", help="folder to save progress in and resume from"
    )
    model.add_argument("--n-jobs", type=int, help="number of threads (default: all cores)")
    model.add_argument(
        "--random-state", type=int, default=0, help="random seed (default: %(default)s)"
    )


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that prints the report as JSON."""
    parser.add_argument(
        "--json", action="store_true", help="print the report as one JSON object, and nothing else"
    )


def print_json(report: Mapping[str, Any]) -> None:
    """Print a report as one JSON object."""
    print(json.dumps(report, indent=2, ensure_ascii=False))


def add_hierarchy_arguments(group: Any, flag: str, text: str) -> None:
    """Add the arguments that name a hierarchy file."""
    group.add_argument(flag, metavar="FILE", help=text)
    group.add_argument(
        "--hierarchy-separator",
        metavar="SEP",
        help="the second column has paths from the root with this separator",
    )
    group.add_argument(
        "--hierarchy-language", help="language of names in a SKOS file, such as en (default: all)"
    )


def read_hierarchy(arguments: argparse.Namespace, path: str) -> Hierarchy:
    """Return the hierarchy in a file, and print its warnings to standard error."""
    with shown_warnings(quiet=arguments.quiet):
        return Hierarchy.load(
            path, separator=arguments.hierarchy_separator, language=arguments.hierarchy_language
        )


@contextmanager
def shown_warnings(*, quiet: bool) -> Iterator[None]:
    """Print warnings like other messages of the command."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught if not quiet else ():
        print(f"labeltree: {visible(str(warning.message))}", file=sys.stderr)


def given_options(arguments: argparse.Namespace, data: Data | Texts) -> dict[str, Any]:
    """Return the options that were given; all others keep their defaults."""
    given = {name: getattr(arguments, name) for name in (*_TEXT_OPTIONS, *_OPTIONS)}
    options = {name: value for name, value in given.items() if value is not None}
    if arguments.no_sublinear_tf:
        options["sublinear_tf"] = False
    if arguments.rerank:
        options["rerank"] = "auto"
    if arguments.no_implications:
        options["implications"] = False
    if options.get("interactions") == _NONE:
        options["interactions"] = None
    if isinstance(data, Data):
        for name in (*_TEXT_OPTIONS, "sublinear_tf"):
            if name in options:
                flag = ("no-" if name == "sublinear_tf" else "") + name.replace("_", "-")
                raise UsageError(f"--{flag} applies to texts, but the data has numeric features")
    if "ngram_range" in options:
        options["ngram_range"] = tuple(options["ngram_range"])
    if arguments.hierarchy is not None:
        options["tree"] = _own_tree(arguments, data)
    elif arguments.collapse:
        raise UsageError("--collapse needs a hierarchy; add --hierarchy FILE")
    if arguments.width is not None:
        if options.get("tree", AUTO) != AUTO:
            raise UsageError("--width applies to the auto tree only; drop it or --tree")
        options["tree_params"] = {"width": arguments.width}
    return {**options, "random_state": arguments.random_state}


def _own_tree(arguments: argparse.Namespace, data: Data | Texts) -> LabelTree:
    if arguments.tree is not None:
        raise UsageError("--hierarchy replaces the tree; drop --tree")
    hierarchy = read_hierarchy(arguments, arguments.hierarchy)
    rows = as_labels(data.tags) if isinstance(data, Texts) else data.rows
    with shown_warnings(quiet=arguments.quiet):
        return from_hierarchy(hierarchy, rows, collapse=arguments.collapse)


def _size(text: str) -> str:
    try:
        parse_bytes("--max-memory", text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _count_or_share(text: str) -> int | float:
    return int(text) if text.isdigit() else float(text)


def _label_weighting(text: str) -> str | float:
    if text == PROPENSITY:
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be {PROPENSITY} or a number from 0 to 1, but is {visible(text)}"
        ) from None


def _interactions(text: str) -> str | float:
    if text in (AUTO, _NONE):
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be {AUTO}, {_NONE} or a number from 0, but is {visible(text)}"
        ) from None


def written_options(settings: Mapping[str, Any]) -> list[str]:
    """Return the command-line options for some settings.

    Examples
    --------
    >>> " ".join(written_options({"C": 2.0, "ngram_range": (1, 3), "sublinear_tf": False}))
    '--C 2 --ngram-range 1 3 --no-sublinear-tf'
    """
    words: list[str] = []
    for name, value in ({**settings} | dict(settings.get("tree_params") or {})).items():
        flag = "--" + name.replace("_", "-")
        if name in ("sublinear_tf", "implications"):
            words += [] if value else ["--no-" + flag.removeprefix("--")]
        elif name == "rerank":
            words += [flag] if value else []
        elif name == "random_state":
            words += ["--random-state", str(value)] if value else []
        elif name == "interactions" and value is None:
            words += [flag, _NONE]
        elif isinstance(value, tuple):
            words += [flag, *map(str, value)]
        elif name not in ("tree_params", "n_jobs") and not isinstance(value, LabelTree):
            words += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    return words

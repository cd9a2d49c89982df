"""`labeltree tree`: one tree, its cost report and its file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from labeltree import cost, trees
from labeltree.cli.inputs import (
    Data,
    UsageError,
    add_data_arguments,
    check_tree_file,
    read_data,
)
from labeltree.cli.options import add_json_argument, print_json
from labeltree.cli.plots import save_plots, tree_plots
from labeltree.trees import LabelTree

SUMMARY = "build one tree, report its cost and write it to a file"
EXAMPLES = """\
  labeltree tree train.txt -o tree.json
  labeltree tree tagged.jsonl --builder huffman --arity 2 -o tree.nwk
  labeltree tree --x X.npz --y Y.npz --builder kmeans --max-leaf-size 1 --collapse --plot plots
"""

# Builders and their options.
_BUILDERS: dict[str, tuple[Callable[..., LabelTree], tuple[str, ...]]] = {
    "cheapest": (lambda data, **options: trees.cheapest(data.rows, **options), ("sweeps",)),
    "star": (lambda data: trees.star(data.rows.n_labels), ()),
    "complete": (
        lambda data, **options: trees.complete(
            data.rows.n_labels, counts=data.rows.counts, **options
        ),
        ("arity",),
    ),
    "huffman": (lambda data, **options: trees.huffman(data.rows.counts, **options), ("arity",)),
    "shannon": (lambda data: trees.shannon(data.rows.counts), ()),
    "multiclass": (lambda data: trees.multiclass(data.rows.counts), ()),
    "nested": (lambda data: trees.nested(data.rows.counts), ()),
    "exact": (lambda data: trees.exact(data.rows), ()),
    "merge": (lambda data: trees.merge(data.rows), ()),
    "binary_merge": (lambda data: trees.binary_merge(data.rows), ()),
    "random": (
        lambda data, **options: trees.random(data.rows.n_labels, **options),
        ("arity", "random_state"),
    ),
    "kmeans": (
        lambda data, **options: trees.kmeans(data.X, data.rows, **options),
        ("arity", "max_leaf_size", "random_state", "n_jobs"),
    ),
    "blend": (
        lambda data, **options: trees.blend(data.X, data.rows, **options),
        ("similarity", "random_state", "n_jobs"),
    ),
}
_OVER_FEATURES = ("kmeans", "blend")
_OPTIONS = ("arity", "max_leaf_size", "similarity", "random_state", "n_jobs")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data_arguments(parser)
    parser.add_argument(
        "--builder",
        choices=_BUILDERS,
        default="cheapest",
        metavar="NAME",
        help=f"one of {', '.join(_BUILDERS)} (default: %(default)s)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="output file: .json, .nwk or .dot")
    parser.add_argument(
        "--arity", type=int, help="children per node (for complete, huffman, kmeans, random)"
    )
    parser.add_argument(
        "--max-leaf-size", type=int, help="maximum number of labels in a leaf cluster (for kmeans)"
    )
    parser.add_argument(
        "--similarity", type=float, help="weight of feature similarity, 0 to 1 (for blend)"
    )
    parser.add_argument("--random-state", type=int, help="random seed (for kmeans, blend, random)")
    parser.add_argument(
        "--n-jobs", type=int, help="number of threads (for kmeans, blend; default: all cores)"
    )
    parser.add_argument(
        "--sweeps", type=int, default=0, help="number of final reinsertion sweeps (default: 0)"
    )
    parser.add_argument(
        "--collapse", action="store_true", help="remove inner nodes whose removal lowers the cost"
    )
    parser.add_argument("--plot", metavar="DIR", help="save plots to this folder")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Build the tree, print its report and write the requested files."""
    options = _options(arguments)
    if arguments.output is not None:
        check_tree_file(arguments.output)
    data = read_data(arguments, features=arguments.builder in _OVER_FEATURES)
    tree = _build(arguments, options, data)
    figures = cost.report(tree, data.rows)
    if not arguments.json:
        print(figures)
    written = []
    if arguments.output is not None:
        tree.save(arguments.output)
        written.append(arguments.output)
    if arguments.plot is not None:
        written += save_plots(arguments.plot, tree_plots(tree, data.rows))
    if arguments.json:
        print_json({**figures.to_dict(), "written": [str(path) for path in written]})
    elif written and not arguments.quiet:
        print("written:", *written)
    return 0


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options that were given; all others keep their defaults."""
    _, accepted = _BUILDERS[arguments.builder]
    options = {name: getattr(arguments, name) for name in _OPTIONS}
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in accepted:
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"{arguments.builder} does not accept {flag}; drop it")
    return given


def _build(arguments: argparse.Namespace, options: dict[str, Any], data: Data) -> LabelTree:
    if arguments.builder in _OVER_FEATURES and data.X is None:
        raise UsageError(f"{arguments.builder} needs features; add --x X.npz")
    build, accepted = _BUILDERS[arguments.builder]
    tree = build(data, **options, **({"sweeps": arguments.sweeps} if "sweeps" in accepted else {}))
    if arguments.collapse:
        tree = trees.collapse(tree, data.rows)
    if arguments.sweeps and "sweeps" not in accepted:
        tree = trees.sweep(tree, data.rows, sweeps=arguments.sweeps)
    return tree if tree.names is not None else tree.with_names(data.rows.names)

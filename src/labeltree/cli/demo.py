"""`labeltree demo`: trees over the docstrings on this machine."""

from __future__ import annotations

import argparse
from pathlib import Path

from labeltree import trees
from labeltree.cli.pictures import cost_bars, save_pictures, tree_pictures
from labeltree.cli.progress import progress_bar
from labeltree.data import LabelRows, as_labels
from labeltree.plan import Plan, plan

SUMMARY = "build trees over the docstrings on this machine and show what they cost"
EXAMPLES = """\
  labeltree demo
  labeltree demo --output pictures
"""
_DEFAULT_OUTPUT = "labeltree-demo"
_TREES = ("complete", "huffman", "shannon", "cheapest", "cheapest+sweeps")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--output", metavar="DIR", default=_DEFAULT_OUTPUT, help="where files go (%(default)s)"
    )
    parser.add_argument(
        "--packages", metavar="NAME,...", help="only the docstrings of these packages"
    )


def run(arguments: argparse.Namespace) -> int:
    """Show the trees, and write the cheapest and pictures of it."""
    # Reading docstrings is not what other commands are for.
    from labeltree.datasets import python_docs

    _say(arguments, "Reading the docstrings of the Python packages on this machine ...")
    data = python_docs(packages=arguments.packages.split(",") if arguments.packages else None)
    rows = as_labels(data.tags)
    _say(
        arguments,
        f"{rows.n_rows:,} texts, tagged by where they live: {rows.n_labels:,} tags such as "
        f"{rows.name(int(rows.counts.argmax()))}, {len(rows.indices) / rows.n_rows:.1f} a text.\n",
    )
    with progress_bar(quiet=arguments.quiet) as progress:
        made = plan(
            None,
            rows,
            trees=_TREES,
            own={"one-vs-rest": trees.star(rows.n_labels)},
            progress=progress,
        )
    print(made.table())
    best, dearest = made.best.report, made.rows[-1].report
    _say(
        arguments,
        f"\nA text trains {best.cost_per_row:.1f} of the {best.n_nodes:,} nodes of the cheapest "
        f"tree. With one classifier a tag it would\ntrain "
        f"{dearest.cost_per_row:,.0f}. No tree of any shape gets below "
        f"{best.lower_bound / best.n_rows:.1f}, so the best there is saves at most another "
        f"{1 - 1 / best.ratio:.0%}.",
    )
    return _save(arguments, made, rows)


def _save(arguments: argparse.Namespace, made: Plan, rows: LabelRows) -> int:
    folder = Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    made.best.tree.save(folder / "tree.json")
    written = [folder / "tree.json"]
    report = made.best.report
    costs = {row.name: row.report.cost_per_row for row in made.rows}
    try:
        pictures = cost_bars(costs, report.lower_bound / report.n_rows)
        written += save_pictures(arguments.output, pictures | tree_pictures(made.best.tree, rows))
    except ModuleNotFoundError as error:
        _say(arguments, f"\nThere are no pictures: {error}")
    _say(arguments, f"\nWritten to {folder}: " + ", ".join(path.name for path in written))
    return 130 if made.stopped else 0


def _say(arguments: argparse.Namespace, text: str) -> None:
    if not arguments.quiet:
        print(text, flush=True)

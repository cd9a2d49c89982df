"""`labeltree plan`: trees for your data side by side."""

from __future__ import annotations

import argparse
import json

from labeltree.cli.inputs import (
    Data,
    UsageError,
    add_data_arguments,
    check_tree_file,
    read_data,
)
from labeltree.cli.pictures import cost_bars, save_pictures, tree_pictures
from labeltree.data.files import open_write
from labeltree.planning.budget import Budget
from labeltree.planning.candidates import CANDIDATES
from labeltree.planning.plans import DEFAULT_SWEEPS, Plan, plan
from labeltree.progress import show_progress
from labeltree.trees import LabelTree

SUMMARY = "build trees for your data, show what each costs, and choose one under a budget"
EXAMPLES = """\
  labeltree plan train.txt
  labeltree plan --x X.npz --y Y.npz --budget 60s,500MB
  labeltree plan tagged.jsonl --labels-only --json plan.json
  labeltree plan train.txt --compare-tree mine=taxonomy.json --holdout 0.1 -o best.json

exit code 1 if no tree is within the budget; the table is printed all the same
"""
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data_arguments(parser)
    parser.add_argument(
        "--budget",
        type=_budget,
        help="60s to build and train, 500MB to train, 50us for a query, model=20MB; several with "
        "commas between",
    )
    known = ",".join(candidate.name for candidate in CANDIDATES)
    parser.add_argument("--trees", metavar="NAME,...", help=f"only these of {known}")
    parser.add_argument(
        "--compare-tree",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="compare with a tree of your own (.json, .nwk, .dot); may be repeated",
    )
    parser.add_argument(
        "--holdout", type=float, default=0.0, help="share of rows to price queries on (0)"
    )
    parser.add_argument(
        "--sweeps", type=int, default=DEFAULT_SWEEPS, help="of cheapest+sweeps (%(default)s)"
    )
    parser.add_argument(
        "--random-state", type=int, default=0, help="of all that is drawn (%(default)s)"
    )
    parser.add_argument("--n-jobs", type=int, help="threads of k-means")
    parser.add_argument("--labels-only", action="store_true", help="leave features out")
    parser.add_argument(
        "--json", metavar="FILE", help="write the plan; - for stdout, without table"
    )
    parser.add_argument("--plot", metavar="DIR", help="save pictures here")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the best tree here")


def run(arguments: argparse.Namespace) -> int:
    """Make the plan, print it and write what was asked for."""
    if arguments.output is not None:
        check_tree_file(arguments.output)
    own = {name: LabelTree.load(path) for name, path in map(_own, arguments.compare_tree)}
    data = read_data(arguments, features=not arguments.labels_only)
    with show_progress(quiet=arguments.quiet) as progress:
        made = plan(
            None if arguments.labels_only else data.X,
            data.rows,
            trees=arguments.trees.split(",") if arguments.trees else None,
            compare_trees=own,
            budget=arguments.budget,
            holdout=arguments.holdout,
            sweeps=arguments.sweeps,
            random_state=arguments.random_state,
            n_jobs=arguments.n_jobs,
            progress=progress,
        )
    if arguments.json != "-":
        print(made.table())
    _write(arguments, made, data)
    if made.stopped:
        return INTERRUPTED
    return 0 if made.fits else 1


def _budget(text: str) -> Budget:
    try:
        return Budget.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _own(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise UsageError(f"--compare-tree is NAME=FILE, but is {text!r}")
    return name, path


def _write(arguments: argparse.Namespace, made: Plan, data: Data) -> None:
    written = []
    if arguments.json is not None:
        with open_write(arguments.json) as stream:
            stream.write(json.dumps(made.to_dict(), indent=2, ensure_ascii=False).encode() + b"\n")
        written += [arguments.json] if arguments.json != "-" else []
    if arguments.output is not None:
        made.best.tree.save(arguments.output)
        written.append(arguments.output)
    if arguments.plot is not None:
        report = made.best.report
        costs = {row.name: row.report.cost_per_row for row in made.rows}
        pictures = cost_bars(costs, report.lower_bound / report.n_rows)
        written += save_pictures(
            arguments.plot, pictures | tree_pictures(made.best.tree, data.rows)
        )
    if written and arguments.json != "-" and not arguments.quiet:
        print("written:", *written)

"""`labeltree plan`: a comparison of trees for your data."""

from __future__ import annotations

import argparse

from labeltree.cli.inputs import (
    Data,
    UsageError,
    add_data_arguments,
    check_tree_file,
    read_data,
)
from labeltree.cli.options import add_json_argument, print_json
from labeltree.cli.plots import cost_bars, save_plots, tree_plots
from labeltree.planning.budget import Budget
from labeltree.planning.candidates import CANDIDATES
from labeltree.planning.plans import DEFAULT_SWEEPS, Plan, plan
from labeltree.progress import of_stage, show_progress, show_stage
from labeltree.trees import LabelTree

SUMMARY = "compare trees for your data and choose the best one within a budget"
EXAMPLES = """\
  labeltree plan train.txt
  labeltree plan --x X.npz --y Y.npz --budget 60s,500MB
  labeltree plan tagged.jsonl --labels-only --json > plan.json
  labeltree plan train.txt --compare-tree mine=taxonomy.json --holdout 0.1 -o best.json

The exit code is 1 if no tree is within the budget; the table is printed anyway.
"""
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data_arguments(parser)
    parser.add_argument(
        "--budget",
        type=_budget,
        help="limits separated by commas: 60s (building and training), 500MB (training), "
        "model=20MB, 2ms (a query of one row)",
    )
    known = ",".join(candidate.name for candidate in CANDIDATES)
    parser.add_argument(
        "--trees",
        metavar="NAME,...",
        help=f"trees to build, from {known} (default: all that apply)",
    )
    parser.add_argument(
        "--compare-tree",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="add your own tree (.json, .nwk, .dot); may be repeated",
    )
    parser.add_argument(
        "--holdout",
        type=float,
        default=0.0,
        help="share of rows that trees are not built from, to show their cost (default: 0)",
    )
    parser.add_argument(
        "--sweeps",
        type=int,
        default=DEFAULT_SWEEPS,
        help="sweeps of cheapest+sweeps (default: %(default)s)",
    )
    parser.add_argument(
        "--random-state", type=int, default=0, help="random seed (default: %(default)s)"
    )
    parser.add_argument(
        "--n-jobs", type=int, help="number of threads for trees over features (default: all cores)"
    )
    parser.add_argument("--n-workers", type=int, help="workers of a cluster, of one core each")
    parser.add_argument("--worker-memory", help="memory of each of them, such as 8GB")
    parser.add_argument("--labels-only", action="store_true", help="ignore features")
    parser.add_argument("--plot", metavar="DIR", help="save plots to this folder")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the best tree to this file")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the plan, print it and write the requested files."""
    if arguments.output is not None:
        check_tree_file(arguments.output)
    own = {name: LabelTree.load(path) for name, path in map(_name_and_path, arguments.compare_tree)}
    _check_trees(arguments)
    if arguments.worker_memory is not None and arguments.n_workers is None:
        raise UsageError("--worker-memory needs --n-workers, the number of workers")
    with show_stage("reading", quiet=arguments.quiet, lines=False):
        data = read_data(arguments, features=not arguments.labels_only)
    if arguments.budget is not None and (arguments.labels_only or data.X is None):
        raise UsageError(
            "--budget needs features; add --x X.npz, or drop --budget or --labels-only"
        )
    if arguments.n_workers is not None and (arguments.labels_only or data.X is None):
        raise UsageError("--n-workers needs features; add --x X.npz, or drop --labels-only")
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
            progress=of_stage("building trees", progress),
            n_workers=arguments.n_workers,
            worker_memory=arguments.worker_memory,
        )
    if not arguments.json:
        print(made.table())
    written = _write(arguments, made, data)
    if arguments.json:
        print_json({**made.to_dict(), "written": written})
    elif written and not arguments.quiet:
        print("written:", *written)
    if made.stopped:
        return INTERRUPTED
    return 0 if made.fits else 1


def _check_trees(arguments: argparse.Namespace) -> None:
    known = [candidate.name for candidate in CANDIDATES]
    for name in arguments.trees.split(",") if arguments.trees else ():
        if name not in known:
            raise UsageError(f"--trees must be among {', '.join(known)}, but one is {name!r}")


def _budget(text: str) -> Budget:
    try:
        return Budget.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _name_and_path(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise UsageError(f"--compare-tree must be NAME=FILE, but is {text!r}")
    return name, path


def _write(arguments: argparse.Namespace, made: Plan, data: Data) -> list[str]:
    written = []
    if arguments.output is not None:
        made.best.tree.save(arguments.output)
        written.append(arguments.output)
    if arguments.plot is not None:
        report = made.best.report
        costs = {row.name: row.report.cost_per_row for row in made.rows}
        plots = cost_bars(costs, report.lower_bound / report.n_rows)
        written += save_plots(arguments.plot, plots | tree_plots(made.best.tree, data.rows))
    return [str(path) for path in written]

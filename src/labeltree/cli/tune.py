"""`labeltree tune`: the best settings found within a time limit, and a model trained with them."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path
from typing import Any

from labeltree.cli.cluster import add_cluster_arguments, given_executor
from labeltree.cli.inputs import (
    Data,
    Texts,
    UsageError,
    add_data_arguments,
    read_examples,
    written_format,
)
from labeltree.cli.models import check_model_file
from labeltree.cli.options import (
    add_json_argument,
    add_option_arguments,
    given_options,
    print_json,
    shown_warnings,
    written_options,
)
from labeltree.cli.train import aligned, written_figures
from labeltree.data.files import open_write
from labeltree.planning.budget import Budget
from labeltree.progress import of_stage, show_progress, show_stage
from labeltree.tuning import METRICS, Tuning, tune
from labeltree.tuning.search import HOLDOUT, METRIC, TIME
from labeltree.units import format_bytes, format_seconds

SUMMARY = "search for the best settings within a time limit and train a model with them"
EXAMPLES = """\
  labeltree tune docs.jsonl -o model.lt
  labeltree tune docs.jsonl -o model.lt --time 10min --metric P@1 --trials trials.csv
  labeltree tune docs.jsonl --dry-run --analyzer word --n-trees 3
  labeltree tune --x X.npz --y Y.npz -o model.lt --time 1h

Options that you set are kept; all others are searched. Ctrl-C ends the search and trains with the
best settings so far; a second Ctrl-C exits without writing a model.
"""
# Options for the final training only, not for the short trials of a search.
_LAST_FIT_ONLY = ("checkpoint_dir",)
_SHORTEST = 1e-3  # seconds, for a limit that is over before the search begins


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="output file for the model")
    parser.add_argument(
        "--dry-run", action="store_true", help="print the train command instead of writing a model"
    )
    parser.add_argument(
        "--time",
        type=_duration,
        default=TIME,
        help="time limit for search and training, such as 90s or 1h (default: %(default)s)",
    )
    parser.add_argument(
        "--metric", default=METRIC, help=f"one of {', '.join(METRICS)} (default: %(default)s)"
    )
    parser.add_argument(
        "--holdout",
        type=float,
        default=HOLDOUT,
        help="share of rows held out for evaluation (default: %(default)s)",
    )
    parser.add_argument(
        "--n-settings", type=int, help="settings per round (default: as many as time allows)"
    )
    parser.add_argument("--trials", metavar="FILE", help="write all trials to a .json or .csv file")
    add_option_arguments(parser)
    add_cluster_arguments(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search, print the trials, train with the best settings and write the model."""
    start = time.monotonic()
    _check(arguments)
    with show_stage("reading", quiet=arguments.quiet):
        data = read_examples(arguments)
    if isinstance(data, Data) and data.X is None:
        raise UsageError("tuning needs features; add --x X.npz")
    fixed = given_options(arguments, data)
    last = {name: fixed.pop(name) for name in _LAST_FIT_ONLY if name in fixed}
    last["executor"] = given_executor(arguments)
    seed = fixed.pop("random_state")
    with show_progress(quiet=arguments.quiet, lines=True) as progress:
        tuning = tune(
            *_parts(data),
            time=max(arguments.time - (time.monotonic() - start), _SHORTEST),
            metric=arguments.metric,
            holdout=arguments.holdout,
            n_settings=arguments.n_settings,
            random_state=seed,
            progress=of_stage("searching", progress),
            executor=last["executor"],
            **fixed,
        )
    if arguments.trials is not None:
        with open_write(arguments.trials) as stream:
            is_csv = Path(arguments.trials).suffix == ".csv"
            stream.write((tuning.to_csv() if is_csv else tuning.to_json()).encode())
    if not (arguments.quiet or arguments.json):
        print(f"{tuning}\n")
    if tuning.why_ended == "stopped" and not arguments.quiet:
        print("labeltree: interrupted; training with the best settings so far", file=sys.stderr)
    found = {**tuning.to_dict(), "command": command(arguments, tuning)}
    if not arguments.dry_run:
        _write(arguments, tuning, data, last)
        found |= written_figures(arguments.output, time.monotonic() - start)
    if arguments.json:
        print_json({**found, "search_seconds": tuning.seconds})
    elif arguments.dry_run:
        print(found["command"])
    elif not arguments.quiet:
        print(aligned(_report(found, tuning)))
    return 0


def _duration(text: str) -> float:
    """Return seconds."""
    try:
        seconds = Budget.parse({"time": text}).time
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    assert seconds is not None
    return seconds


def command(arguments: argparse.Namespace, tuning: Tuning) -> str:
    """Return the command that trains with the best settings."""
    words = ["labeltree", "train"]
    words += [arguments.data] if arguments.data is not None else []
    words += written_format(arguments)
    for name in ("x", "y", "hierarchy", "hierarchy_separator", "hierarchy_language"):
        value = getattr(arguments, name)
        words += ["--" + name.replace("_", "-"), value] if value is not None else []
    words += ["--collapse"] * arguments.collapse
    words += ["-o", arguments.output or "model.lt"]
    return shlex.join(words + written_options(tuning.settings))


def _check(arguments: argparse.Namespace) -> None:
    if arguments.output is None and not arguments.dry_run:
        raise UsageError("an output is required: -o FILE, or --dry-run to print the settings only")
    if arguments.output is not None:
        check_model_file(arguments.output)
    if arguments.data == "-" and arguments.format is None:
        raise UsageError("standard input has no suffix; add --format jsonl, tsv, csv or xmc")
    known = {metric.lower() for metric in METRICS}
    if arguments.metric.lower() not in known:
        raise UsageError(f"--metric must be one of {', '.join(METRICS)}, but is {arguments.metric}")
    if arguments.trials is not None and Path(arguments.trials).suffix not in (".csv", ".json"):
        raise UsageError(f"--trials must be a .json or .csv file, but is {arguments.trials}")


def _parts(data: Data | Texts) -> tuple[Any, Any]:
    return (data.texts, data.tags) if isinstance(data, Texts) else (data.X, data.rows)


def _write(
    arguments: argparse.Namespace, tuning: Tuning, data: Data | Texts, last: dict[str, Any]
) -> None:
    with shown_warnings(quiet=arguments.quiet):
        model = tuning.fit(*_parts(data), verbose=int(not arguments.quiet), **last)
    if arguments.quantize:
        model.quantize()
    with show_stage("writing", quiet=arguments.quiet):
        model.save(arguments.output)


def _report(found: dict[str, Any], tuning: Tuning) -> list[tuple[str, str]]:
    best, default = tuning.best, tuning.default
    gain = f"{best.score:.4f}, default {default.score:.4f}"
    return [
        ("best", " ".join(written_options(best.settings)) or "default settings"),
        (tuning.metric, f"{gain}, on {tuning.n_validation:,} held-out rows"),
        ("searched", f"{len(tuning.trials)} trials in {format_seconds(tuning.seconds)}"),
        ("written", f"{found['written']}, {format_bytes(found['n_bytes'])}, trained on all rows"),
        ("time", format_seconds(found["seconds"])),
    ]

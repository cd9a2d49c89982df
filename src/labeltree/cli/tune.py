"""`labeltree tune`: the best settings found within a time limit, and a model trained with them."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path
from typing import Any

from labeltree.cli.inputs import Data, Texts, UsageError, add_data_arguments, read_examples
from labeltree.cli.models import check_model_file
from labeltree.cli.options import add_option_arguments, given_options, written_options
from labeltree.cli.train import aligned
from labeltree.data.files import open_write
from labeltree.progress import show_progress
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="output file for the model")
    parser.add_argument(
        "--dry-run", action="store_true", help="print the train command instead of writing a model"
    )
    parser.add_argument(
        "--time",
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


def run(arguments: argparse.Namespace) -> int:
    """Search, print the trials, train with the best settings and write the model."""
    start = time.monotonic()
    _check(arguments)
    data = read_examples(arguments)
    if isinstance(data, Data) and data.X is None:
        raise UsageError("tuning needs features; add --x X.npz")
    fixed = given_options(arguments, data)
    last = {name: fixed.pop(name) for name in _LAST_FIT_ONLY if name in fixed}
    seed = fixed.pop("random_state")
    with show_progress(quiet=arguments.quiet) as progress:
        tuning = tune(
            *_parts(data),
            time=arguments.time,
            metric=arguments.metric,
            holdout=arguments.holdout,
            n_settings=arguments.n_settings,
            random_state=seed,
            progress=progress,
            **fixed,
        )
    if arguments.trials is not None:
        with open_write(arguments.trials) as stream:
            is_csv = Path(arguments.trials).suffix == ".csv"
            stream.write((tuning.to_csv() if is_csv else tuning.to_json()).encode())
    if not arguments.quiet:
        print(f"{tuning}\n")
        if tuning.why_ended == "stopped":
            print("labeltree: interrupted; training with the best settings so far", file=sys.stderr)
    if arguments.dry_run:
        print(command(arguments, tuning))
        return 0
    _write(arguments, tuning, data, last)
    if not arguments.quiet:
        print(aligned(_report(arguments, tuning, time.monotonic() - start)))
    return 0


def command(arguments: argparse.Namespace, tuning: Tuning) -> str:
    """Return the command that trains with the best settings."""
    words = ["labeltree", "train"]
    words += [arguments.data] if arguments.data is not None else []
    for name in ("x", "y", "format", "label_field"):
        value = getattr(arguments, name)
        words += ["--" + name.replace("_", "-"), value] if value is not None else []
    words += ["--text-field", arguments.text_field] if arguments.text_field != "text" else []
    words += ["--separator", arguments.separator] if arguments.separator != "," else []
    words += ["--tags-first"] * arguments.tags_first + ["--no-header"] * arguments.no_header
    for name in ("hierarchy", "hierarchy_separator", "language"):
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
    verbose = int(not arguments.quiet and sys.stderr.isatty())
    model = tuning.fit(*_parts(data), verbose=verbose, **last)
    if arguments.quantize:
        model.quantize()
    model.save(arguments.output)


def _report(arguments: argparse.Namespace, tuning: Tuning, seconds: float) -> list[tuple[str, str]]:
    best, default = tuning.best, tuning.default
    size = format_bytes(Path(arguments.output).stat().st_size)
    gain = f"{best.score:.4f}, default {default.score:.4f}"
    return [
        ("best", " ".join(written_options(best.settings)) or "default settings"),
        (tuning.metric, f"{gain}, on {tuning.n_validation:,} held-out rows"),
        ("searched", f"{len(tuning.trials)} trials in {format_seconds(tuning.seconds)}"),
        ("written", f"{arguments.output}, {size}, trained on all rows"),
        ("time", format_seconds(seconds)),
    ]

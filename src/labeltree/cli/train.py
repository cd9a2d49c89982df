"""`labeltree train`: a model from texts with tags, or from features with labels."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from labeltree import PLTClassifier, TextTagger, cost
from labeltree.cli.cluster import add_cluster_arguments, given_executor
from labeltree.cli.inputs import Data, Texts, UsageError, add_data_arguments, read_examples
from labeltree.cli.models import Evaluation, check_model_file
from labeltree.cli.options import (
    add_json_argument,
    add_option_arguments,
    given_options,
    print_json,
    shown_warnings,
)
from labeltree.cli.shards import shard_figures, take_shards, train_shards
from labeltree.data import as_labels
from labeltree.data.feature_pairs import shown_pairs
from labeltree.progress import show_stage
from labeltree.text.descriptions import DESCRIPTION_WEIGHT
from labeltree.training.effort import written
from labeltree.units import format_bytes, format_seconds

SUMMARY = "train a model and write it to a file"
EXAMPLES = """\
  labeltree train docs.jsonl -o model.lt
  labeltree train docs.csv --text-field body --label-field topics --separator ';' -o model.lt
  labeltree train folder-of-texts -o model.lt --holdout 0.2
  zcat docs.jsonl.gz | labeltree train - --format jsonl -o model.lt
  labeltree train --x X.npz --y Y.npz -o model.lt --effort best
  labeltree train docs.jsonl -o model.lt --hierarchy taxonomy.tsv --collapse
  labeltree train docs.jsonl -o model.lt --descriptions tags.jsonl
  labeltree train --x X.npz --y Y.npz -o model.lt --ray 10.0.0.1:6379 --checkpoint-dir parts
  labeltree train 'docs-*.parquet' -o model.lt --ray 10.0.0.1:6379 --shared-dir /mnt/shared

A share of the rows is held out: half of them calibrate probabilities, the other half evaluate the
model. Several files, a pattern or an address such as s3://bucket/docs.jsonl are read one file at a
time, by the workers of a cluster if there is one, and nothing is held out.
"""
HOLDOUT = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data_arguments(parser, several=True)
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="output file for the model"
    )
    part = parser.add_mutually_exclusive_group()
    part.add_argument(
        "--holdout",
        type=float,
        help=f"share of rows held out for calibration and evaluation (default: {HOLDOUT}, or none "
        "of several files)",
    )
    part.add_argument(
        "--no-holdout", action="store_true", help="train on all rows, without evaluation"
    )
    parser.add_argument(
        "--descriptions",
        metavar="FILE",
        help="texts about tags, with fields and options like the data; tags without other texts "
        "become predictable, too",
    )
    parser.add_argument(
        "--description-weight",
        type=float,
        metavar="WEIGHT",
        help=f"weight of descriptions relative to texts (default: {DESCRIPTION_WEIGHT})",
    )
    add_option_arguments(parser)
    add_cluster_arguments(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Train, evaluate, write the model and print the report."""
    start = time.monotonic()
    check_model_file(arguments.output)
    if arguments.holdout is not None and not 0 < arguments.holdout < 1:
        raise UsageError(f"--holdout must be above 0 and below 1, but is {arguments.holdout:g}")
    shards = take_shards(arguments)
    model: PLTClassifier | TextTagger
    if shards is None:
        model, figures_of = _train_file(arguments)
    else:
        model = train_shards(arguments, shards)
        figures_of = partial(shard_figures, model)
    if arguments.quantize:
        model.quantize()
    with show_stage("writing", quiet=arguments.quiet):
        model.save(arguments.output)
    if arguments.quiet and not arguments.json:
        return 0
    found = figures_of() | written_figures(arguments.output, time.monotonic() - start)
    if arguments.json:
        print_json(found)
    else:
        print(aligned(report(found)))
    return 0


def _train_file(
    arguments: argparse.Namespace,
) -> tuple[PLTClassifier | TextTagger, Callable[[], dict[str, Any]]]:
    """Return a model of one file or pair of files, and a function that evaluates it."""
    if arguments.data == "-" and arguments.format is None:
        raise UsageError("standard input has no suffix; add --format jsonl, tsv, csv or xmc")
    quiet, executor = arguments.quiet, given_executor(arguments)
    with show_stage("reading", quiet=quiet):
        data = read_examples(arguments)
        descriptions = read_descriptions(arguments, data)
    if isinstance(data, Data) and data.X is None:
        raise UsageError("training needs features; add --x X.npz")
    share = HOLDOUT if arguments.holdout is None else arguments.holdout
    training, calibration, evaluation = hold_out(
        data, 0.0 if arguments.no_holdout else share, arguments.random_state
    )
    every = _every(training, descriptions)
    options = {**given_options(arguments, every), "executor": executor}
    with shown_warnings(quiet=quiet):
        model = train_model(
            options, training, calibration, _described(arguments, descriptions), quiet=quiet
        )

    def evaluated() -> dict[str, Any]:
        with show_stage("evaluating", quiet=quiet or evaluation is None):
            return figures(model, every, evaluation)

    return model, evaluated


def read_descriptions(arguments: argparse.Namespace, data: Data | Texts) -> Texts | None:
    """Return the descriptions of tags, which are read like the data; None if none are given."""
    if arguments.descriptions is None:
        if arguments.description_weight is not None:
            raise UsageError("--description-weight needs descriptions; add --descriptions FILE")
        return None
    if isinstance(data, Data):
        raise UsageError("--descriptions applies to texts, but the data has numeric features")
    if arguments.descriptions == "-":
        raise UsageError("--descriptions must be a file, but is standard input")
    given = {**vars(arguments), "data": arguments.descriptions, "format": None}
    descriptions = read_examples(argparse.Namespace(**given))
    if isinstance(descriptions, Data):
        raise UsageError(
            f"--descriptions must be a file of texts and tags, such as .jsonl or .tsv, but is "
            f"{arguments.descriptions}"
        )
    return descriptions


def hold_out(
    data: Data | Texts, share: float, seed: int
) -> tuple[Data | Texts, Data | Texts | None, Data | Texts | None]:
    """Return rows for training, calibration and evaluation; the latter two None if too few."""
    n_held = round(share * data.n_rows)
    if n_held < 2:
        return data, None, None
    order = np.random.default_rng(seed).permutation(data.n_rows)
    half = n_held // 2
    parts = (order[n_held:], order[:half], order[half:n_held])
    training, calibration, evaluation = (data.select(np.sort(part)) for part in parts)
    return (training, calibration, evaluation) if training.has_labels else (data, None, None)


def train_model(
    options: dict[str, Any],
    data: Data | Texts,
    calibration: Data | Texts | None,
    described: dict[str, Any] | None = None,
    *,
    quiet: bool,
) -> PLTClassifier | TextTagger:
    """Return a calibrated tagger fitted to texts, or a classifier fitted to features.

    `described` has the arguments of `TextTagger.fit` for descriptions.
    """
    verbose = int(not quiet)
    model: PLTClassifier | TextTagger
    if isinstance(data, Texts):
        model = TextTagger(verbose=verbose, **options).fit(
            data.texts, data.tags, **(described or {})
        )
    else:
        model = PLTClassifier(verbose=verbose, **options).fit(data.X, data.rows)
    if calibration is not None:
        with show_stage("calibrating", quiet=quiet):
            _calibrate(model, calibration)
    return model


def figures(
    model: PLTClassifier | TextTagger, training: Data | Texts, evaluation: Data | Texts | None
) -> dict[str, Any]:
    """Return the report on a model as values by name, ready for JSON."""
    classifier = model.classifier_ if isinstance(model, TextTagger) else model
    rows = as_labels(training.tags) if isinstance(training, Texts) else training.rows
    n_trees = len(classifier.trees_)
    return {
        "n_rows": rows.n_rows,
        "n_evaluation_rows": 0 if evaluation is None else evaluation.n_rows,
        "n_labels": rows.n_labels,
        "labels_per_row": len(rows.indices) / rows.n_rows,
        "n_features": int(classifier.n_features_in_),
        "n_interactions": len(classifier.interactions_),
        "metrics": None if evaluation is None else Evaluation.of(model, evaluation).figures(),
        "n_trees": n_trees,
        "settings": classifier.settings_,
        "cost_per_row": classifier.training_cost_ / rows.n_rows / n_trees,
        "lower_bound_per_row": cost.lower_bound(rows) / rows.n_rows,
    }


def written_figures(path: str, seconds: float) -> dict[str, Any]:
    """Return the figures of a model file and the time that it took."""
    return {"written": path, "n_bytes": Path(path).stat().st_size, "seconds": seconds}


def report(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return figures as (name, text) lines."""
    lines = [
        ("rows", f"{found['n_rows']:,} training, {found['n_evaluation_rows']:,} evaluation"),
        ("labels", f"{found['n_labels']:,}{_per_row(found)}"),
        ("features", f"{found['n_features']:,}{shown_pairs(found['n_interactions'])}"),
    ]
    if (at := found.get("metrics")) is not None:
        precision = " / ".join(f"{100 * at[f'P@{k}']:.1f} %" for k in (1, 3, 5))
        lines.append(("P@1 / 3 / 5", precision))
        lines.append(("ECE@5", f"{at['ECE@5']:.3f}, expected calibration error"))
    if found["settings"]:
        lines.append(("settings", written(found["settings"])))
    lines.append(("cost", _cost(found)))
    if "written" in found:
        lines.append(("written", f"{found['written']}, {format_bytes(found['n_bytes'])}"))
        lines.append(("time", format_seconds(found["seconds"])))
    return lines


def _per_row(found: dict[str, Any]) -> str:
    return f", {found['labels_per_row']:.1f} per row" if "labels_per_row" in found else ""


def _cost(found: dict[str, Any]) -> str:
    """Return the cost of training, beside the lower bound where the labels of rows are known."""
    per_row = found["cost_per_row"]
    text = f"{per_row:.1f} nodes per row{' and tree' * (found['n_trees'] > 1)}"
    if "lower_bound_per_row" not in found:
        return text
    return f"{text}, {per_row / found['lower_bound_per_row']:.2f} times the lower bound of any tree"


def aligned(lines: list[tuple[str, str]]) -> str:
    """Return (name, text) lines as two aligned columns."""
    return "\n".join(f"{name:<14} {text}" for name, text in lines)


def _every(training: Data | Texts, descriptions: Texts | None) -> Data | Texts:
    """Return what is learned from, in which all labels of the model occur."""
    if descriptions is None or isinstance(training, Data):
        return training
    return training.plus(descriptions)


def _described(arguments: argparse.Namespace, descriptions: Texts | None) -> dict[str, Any]:
    if descriptions is None:
        return {}
    weight = arguments.description_weight
    given = {} if weight is None else {"description_weight": weight}
    return {"descriptions": descriptions.by_tag(), **given}


def _calibrate(model: PLTClassifier | TextTagger, data: Data | Texts) -> None:
    held_out = Evaluation.of(model, data)
    known = held_out.truth.to_csr()[:, : len(held_out.classifier.classes_)]
    if known.nnz:
        held_out.classifier.calibrate(held_out.X, known)

"""`labeltree update`: an existing model updated with new rows."""

from __future__ import annotations

import argparse
import errno
import os
from pathlib import Path
from typing import Any

from labeltree import PLTClassifier, TextTagger
from labeltree.cli.inputs import Data, Texts, UsageError, add_data_arguments, read_examples
from labeltree.cli.models import add_encoder_argument, check_model_file, open_model
from labeltree.cli.options import add_json_argument, print_json
from labeltree.serve.feedback_records import read_records

SUMMARY = "update a model with new rows and labels, without retraining from scratch"
EXAMPLES = """\
  labeltree update model.lt new.jsonl
  labeltree update model.lt new.jsonl -o newer.lt --rebuild-tree
  labeltree update model.lt --x X.npz --y Y.npz
  labeltree update model.lt --warm --feedback feedback.jsonl

Without -o, the command replaces the model file, once the new one is completely written. -o can
name the model file, but not a file with data. --warm fits all nodes again, starting from their
weights: it is more accurate for many rows than learning each row once, but adds no labels.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file written by labeltree train, update or stream")
    add_data_arguments(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="output file for the model (default: replace it)"
    )
    parser.set_defaults(replaces_model=True)
    parser.add_argument(
        "--feedback",
        dest="feedback_data",
        metavar="FILE",
        help="learn the feedback that labeltree serve has collected",
    )
    parser.add_argument(
        "--warm", action="store_true", help="fit again from the weights of the model"
    )
    add_encoder_argument(parser)
    parser.add_argument("--rebuild-tree", action="store_true", help="rebuild the tree afterwards")
    parser.add_argument("--n-jobs", type=int, help="number of threads (default: as in the model)")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Learn the rows, write the model and report its cost."""
    target = arguments.output or arguments.model
    check_model_file(target)
    if arguments.warm and arguments.rebuild_tree:
        raise UsageError("--warm keeps the tree, but --rebuild-tree replaces it; choose one")
    model = open_model(arguments.model, arguments.encoder)
    data = _read(arguments)
    _check_kinds(model, data)
    classifier = model.classifier_ if isinstance(model, TextTagger) else model
    if arguments.n_jobs is not None:
        classifier.n_jobs = arguments.n_jobs
    n_known, n_left_out = len(model.classes_), 0
    if arguments.warm:
        data, n_left_out = _known_only(model, data)
    _learn(model, data, warm=arguments.warm)
    if arguments.rebuild_tree:
        model.rebuild_tree()
    model.save(target)
    _report(arguments, model, data, len(model.classes_) - n_known, n_left_out)
    return 0


def _read(arguments: argparse.Namespace) -> Data | Texts:
    if arguments.feedback_data is None:
        return read_examples(arguments)
    if arguments.data is not None or arguments.x is not None:
        raise UsageError("learn either data or --feedback, but both are given")
    if not Path(arguments.feedback_data).exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), arguments.feedback_data)
    records, _ = read_records(arguments.feedback_data)
    if not records:
        raise ValueError(
            f"{arguments.feedback_data}: no feedback has a right label, so none is learned"
        )
    return Texts(
        [record["text"] for record in records],
        [[str(tag) for tag in record["tags"]] for record in records],
    )


def _check_kinds(model: TextTagger | PLTClassifier, data: Data | Texts) -> None:
    if isinstance(data, Data):
        if isinstance(model, TextTagger):
            raise UsageError("the model was trained on texts, but the data has numeric features")
        if data.X is None:
            raise UsageError("learning needs features; add --x X.npz")
    elif not isinstance(model, TextTagger):
        raise UsageError("the model was trained on numeric features, but the data has texts")


def _known_only(model: TextTagger | PLTClassifier, data: Data | Texts) -> tuple[Data | Texts, int]:
    """Return the texts with the tags that the model knows, and how many others there are."""
    if isinstance(data, Data):
        return data, 0
    known = set(model.classes_.tolist())
    kept = [[tag for tag in tags if tag in known] for tags in data.tags]
    unknown = {tag for tags in data.tags for tag in tags} - known
    numbers = [i for i, tags in enumerate(kept) if tags]
    if not numbers:
        raise ValueError("no row has a label of the model, and --warm adds none; leave it out")
    return Texts([data.texts[i] for i in numbers], [kept[i] for i in numbers]), len(unknown)


def _learn(model: TextTagger | PLTClassifier, data: Data | Texts, *, warm: bool) -> None:
    X: Any
    Y: Any
    X, Y = (data.X, data.rows) if isinstance(data, Data) else (data.texts, data.tags)
    if not warm:
        model.partial_fit(X, Y)
        return
    name = "classifier__warm_start" if isinstance(model, TextTagger) else "warm_start"
    before = model.get_params()[name]
    model.set_params(**{name: True}).fit(X, Y).set_params(**{name: before})
    if isinstance(model, TextTagger):
        model.classifier_.warm_start = before  # the file has the parameters of the fitted one


def _report(
    arguments: argparse.Namespace,
    model: TextTagger | PLTClassifier,
    data: Data | Texts,
    n_new: int,
    n_left_out: int,
) -> None:
    target = arguments.output or arguments.model
    figures: dict[str, Any] = {
        "n_rows": data.n_rows,
        "n_new_labels": n_new,
        "n_labels": len(model.classes_),
    }
    if arguments.warm:
        figures["n_labels_left_out"] = n_left_out
        cost = "the tree is as before"
    else:
        found = model.tree_cost_
        figures |= {"cost_per_row": found.cost, "lower_bound_per_row": found.lower_bound}
        bound = f"lower bound {found.lower_bound:.1f} for any tree"
        cost = f"{found.cost:.1f} nodes per row, {bound}"
    if arguments.json:
        print_json({**figures, "written": target})
    elif not arguments.quiet:
        print(f"learned {data.n_rows:,} rows and {n_new:,} new labels; {cost}")
        if n_left_out:
            print(f"{n_left_out:,} new labels were left out; update without --warm adds them")
        print(f"written to {target}")

"""`labeltree update`: more rows for a model that is there already."""

from __future__ import annotations

import argparse

from labeltree import TextTagger, load
from labeltree.cli.inputs import Data, UsageError, add_data_arguments, read_examples
from labeltree.cli.models import check_model_file

SUMMARY = "learn more rows, and labels never seen before, without training again"
EXAMPLES = """\
  labeltree update model.lt new.jsonl
  labeltree update model.lt new.jsonl -o newer.lt --rebuild_tree
  labeltree update model.lt --x X.npz --y Y.npz

the model is replaced once the new one is on the disk
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="a file that labeltree train, update or stream wrote")
    add_data_arguments(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the model here; over the old one by default"
    )
    parser.add_argument("--rebuild_tree", action="store_true", help="then build a cheap tree anew")
    parser.add_argument("--n-jobs", type=int, help="threads (as the model has it)")


def run(arguments: argparse.Namespace) -> int:
    """Learn the rows, write the model and say what it costs."""
    target = arguments.output or arguments.model
    check_model_file(target)
    model = load(arguments.model)
    data = read_examples(arguments)
    classifier = model.classifier_ if isinstance(model, TextTagger) else model
    if arguments.n_jobs is not None:
        classifier.n_jobs = arguments.n_jobs
    n_known = len(model.classes_)
    if isinstance(data, Data):
        if isinstance(model, TextTagger):
            raise UsageError("the model was trained on texts, but data has rows of numbers")
        if data.X is None:
            raise UsageError("learning needs features; name them with --x X.npz")
        model.partial_fit(data.X, data.rows)
    else:
        if not isinstance(model, TextTagger):
            raise UsageError("the model was trained on rows of numbers, but data has texts")
        model.partial_fit(data.texts, data.tags)
    if arguments.rebuild_tree:
        model.rebuild_tree()
    model.save(target)
    if not arguments.quiet:
        cost = model.tree_cost_
        print(
            f"learnt {data.n_rows:,} rows and {len(model.classes_) - n_known:,} new labels; "
            f"{cost.cost:.1f} nodes a row, at least {cost.lower_bound:.1f} with any tree"
        )
        print(f"written to {target}")
    return 0

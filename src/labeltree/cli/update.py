"""`labeltree update`: an existing model updated with new rows."""

from __future__ import annotations

import argparse

from labeltree import TextTagger, load
from labeltree.cli.inputs import Data, UsageError, add_data_arguments, read_examples
from labeltree.cli.models import check_model_file

SUMMARY = "update a model with new rows and labels, without retraining from scratch"
EXAMPLES = """\
  labeltree update model.lt new.jsonl
  labeltree update model.lt new.jsonl -o newer.lt --rebuild-tree
  labeltree update model.lt --x X.npz --y Y.npz

The model file is replaced only after the new one is completely written.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file written by labeltree train, update or stream")
    add_data_arguments(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="output file for the model (default: replace it)"
    )
    parser.add_argument("--rebuild-tree", action="store_true", help="rebuild the tree afterwards")
    parser.add_argument("--n-jobs", type=int, help="number of threads (default: as in the model)")


def run(arguments: argparse.Namespace) -> int:
    """Learn the rows, write the model and report its cost."""
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
            raise UsageError("the model was trained on texts, but the data has numeric features")
        if data.X is None:
            raise UsageError("learning needs features; add --x X.npz")
        model.partial_fit(data.X, data.rows)
    else:
        if not isinstance(model, TextTagger):
            raise UsageError("the model was trained on numeric features, but the data has texts")
        model.partial_fit(data.texts, data.tags)
    if arguments.rebuild_tree:
        model.rebuild_tree()
    model.save(target)
    if not arguments.quiet:
        cost = model.tree_cost_
        print(
            f"learned {data.n_rows:,} rows and {len(model.classes_) - n_known:,} new labels; "
            f"{cost.cost:.1f} nodes per row, lower bound {cost.lower_bound:.1f} for any tree"
        )
        print(f"written to {target}")
    return 0

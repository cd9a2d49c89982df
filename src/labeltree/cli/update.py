"""`labeltree update`: an existing model updated with new rows."""

from __future__ import annotations

import argparse

from labeltree import TextTagger, load
from labeltree.cli.inputs import Data, UsageError, add_data_arguments, read_examples
from labeltree.cli.models import check_model_file
from labeltree.cli.options import add_json_argument, print_json

SUMMARY = "update a model with new rows and labels, without retraining from scratch"
EXAMPLES = """\
  labeltree update model.lt new.jsonl
  labeltree update model.lt new.jsonl -o newer.lt --rebuild-tree
  labeltree update model.lt --x X.npz --y Y.npz

Without -o, the command replaces the model file, once the new one is completely written. -o can
name the model file, but not a file with data.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file written by labeltree train, update or stream")
    add_data_arguments(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="output file for the model (default: replace it)"
    )
    parser.set_defaults(replaces_model=True)
    parser.add_argument("--rebuild-tree", action="store_true", help="rebuild the tree afterwards")
    parser.add_argument("--n-jobs", type=int, help="number of threads (default: as in the model)")
    add_json_argument(parser)


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
    cost, n_new = model.tree_cost_, len(model.classes_) - n_known
    if arguments.json:
        counts = {"n_rows": data.n_rows, "n_new_labels": n_new, "n_labels": len(model.classes_)}
        costs = {"cost_per_row": cost.cost, "lower_bound_per_row": cost.lower_bound}
        print_json({**counts, **costs, "written": target})
    elif not arguments.quiet:
        print(
            f"learned {data.n_rows:,} rows and {n_new:,} new labels; "
            f"{cost.cost:.1f} nodes per row, lower bound {cost.lower_bound:.1f} for any tree"
        )
        print(f"written to {target}")
    return 0

"""`labeltree evaluate`: the metrics of a model on labeled data."""

from __future__ import annotations

import argparse
import csv
import io
import json

import numpy as np

from labeltree import load
from labeltree.cli.inputs import UsageError, add_data_arguments, read_examples
from labeltree.cli.models import Evaluation
from labeltree.data.files import open_write

SUMMARY = "evaluate a model on labeled data"
EXAMPLES = """\
  labeltree evaluate model.lt test.jsonl
  labeltree evaluate model.lt test.jsonl --per-label report.csv --plot reliability.png
  labeltree evaluate model.lt --x X.npz --y Y.npz --json
"""
_KS = (1, 3, 5)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file written by labeltree train")
    add_data_arguments(parser)
    parser.add_argument("--per-label", metavar="FILE", help="write metrics per label to a CSV file")
    parser.add_argument("--plot", metavar="FILE", help="save a reliability diagram")
    parser.add_argument("--json", action="store_true", help="print metrics as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the metrics, and write the requested files."""
    if arguments.data == "-" and arguments.format is None:
        raise UsageError("standard input has no suffix; add --format jsonl, tsv, csv or xmc")
    model = load(arguments.model)
    evaluation = Evaluation.of(model, read_examples(arguments))
    figures = evaluation.figures()
    written = []
    if arguments.plot is not None:
        _draw(evaluation, arguments.plot)
        written.append(arguments.plot)
    if arguments.per_label is not None:
        with open_write(arguments.per_label) as stream:
            stream.write(_per_label(evaluation).encode())
        written.append(arguments.per_label)
    if arguments.json:
        print(json.dumps({"n_rows": evaluation.truth.n_rows, **figures}, indent=2))
        return 0
    print(_table(evaluation.truth.n_rows, figures))
    if written and not arguments.quiet:
        print("written:", *written)
    return 0


def _table(n_rows: int, figures: dict[str, float]) -> str:
    lines = [f"{n_rows:,} rows".ljust(12) + "".join(f"{'@' + str(k):>10}" for k in _KS)]
    for name in dict.fromkeys(name.partition("@")[0] for name in figures):
        values = [figures[f"{name}@{k}"] for k in _KS]
        lines.append(f"{name:<12}" + "".join(f"{value:>10.4f}" for value in values))
    return "\n".join(lines)


def _draw(evaluation: Evaluation, path: str) -> None:
    from labeltree import plot

    labels, probabilities = evaluation.top
    plot.reliability(evaluation.truth, labels, probabilities).savefig(path)


def _per_label(evaluation: Evaluation) -> str:
    """Return CSV with one line per label: true rows, predicted rows, and rows that are both."""
    classifier, truth = evaluation.classifier, evaluation.truth.to_csr()
    names = classifier.classes_.tolist()
    if classifier.label_kind_ == "classes":
        best = classifier.top_k(evaluation.X, 1)[0][:, 0]
        predicted = np.bincount(best, minlength=truth.shape[1])
        is_correct = np.asarray(truth[np.arange(truth.shape[0]), best]).ravel() > 0
        correct = np.bincount(best[is_correct], minlength=truth.shape[1])
    else:
        found = classifier.predict(evaluation.X)
        found.resize(truth.shape)
        predicted = np.asarray(found.sum(axis=0, dtype=np.int64))
        correct = np.asarray(truth.multiply(found).sum(axis=0, dtype=np.int64))
    true = evaluation.truth.counts
    made = io.StringIO()
    table = csv.writer(made, lineterminator="\n")
    table.writerow(["label", "rows", "predicted", "correct", "precision", "recall", "f1"])
    for j, name in enumerate(names):
        shares = (
            correct[j] / max(predicted[j], 1),
            correct[j] / max(true[j], 1),
            2 * correct[j] / max(predicted[j] + true[j], 1),
        )
        counts = (true[j], predicted[j], correct[j])
        table.writerow([name, *counts, *(f"{share:.4f}" for share in shares)])
    return made.getvalue()

"""`labeltree evaluate`: how good a model is on data."""

from __future__ import annotations

import argparse
import csv
import io
import json

import numpy as np

from labeltree import load
from labeltree.cli.inputs import UsageError, add_data_arguments, read_examples
from labeltree.cli.models import Judged
from labeltree.data.files import open_write

SUMMARY = "judge a model by data with known labels"
EXAMPLES = """\
  labeltree evaluate model.lt test.jsonl
  labeltree evaluate model.lt test.jsonl --per-label report.csv --plot reliability.png
  labeltree evaluate model.lt --x X.npz --y Y.npz --json
"""
_KS = (1, 3, 5)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="a file that labeltree train wrote")
    add_data_arguments(parser)
    parser.add_argument("--per-label", metavar="FILE", help="write a table of all labels as CSV")
    parser.add_argument("--plot", metavar="FILE", help="save a picture of what probabilities mean")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the metrics, and write what was asked for."""
    if arguments.data == "-" and arguments.format is None:
        raise UsageError("standard input has no suffix; say --format jsonl, tsv, csv or xmc")
    model = load(arguments.model)
    judged = Judged.of(model, read_examples(arguments))
    figures = judged.figures()
    written = []
    if arguments.plot is not None:
        _draw(judged, arguments.plot)
        written.append(arguments.plot)
    if arguments.per_label is not None:
        with open_write(arguments.per_label) as stream:
            stream.write(_per_label(judged).encode())
        written.append(arguments.per_label)
    if arguments.json:
        print(json.dumps({"n_rows": judged.truth.n_rows, **figures}, indent=2))
        return 0
    print(_table(judged.truth.n_rows, figures))
    if written and not arguments.quiet:
        print("written:", *written)
    return 0


def _table(n_rows: int, figures: dict[str, float]) -> str:
    lines = [f"{n_rows:,} rows".ljust(12) + "".join(f"{'@' + str(k):>10}" for k in _KS)]
    for name in dict.fromkeys(name.partition("@")[0] for name in figures):
        values = [figures[f"{name}@{k}"] for k in _KS]
        lines.append(f"{name:<12}" + "".join(f"{value:>10.4f}" for value in values))
    return "\n".join(lines)


def _draw(judged: Judged, path: str) -> None:
    from labeltree import plot

    labels, probabilities = judged.top
    plot.reliability(judged.truth, labels, probabilities).savefig(path)


def _per_label(judged: Judged) -> str:
    """Return CSV with a line for each label: rows that have it, that were given it, and both."""
    classifier, truth = judged.classifier, judged.truth.to_csr()
    names = classifier.classes_.tolist()
    if classifier.label_kind_ == "classes":
        best = classifier.top_k(judged.X, 1)[0][:, 0]
        given = np.bincount(best, minlength=truth.shape[1])
        is_right = np.asarray(truth[np.arange(truth.shape[0]), best]).ravel() > 0
        right = np.bincount(best[is_right], minlength=truth.shape[1])
    else:
        found = classifier.predict(judged.X)
        found.resize(truth.shape)
        given = np.asarray(found.sum(axis=0, dtype=np.int64))
        right = np.asarray(truth.multiply(found).sum(axis=0, dtype=np.int64))
    there = judged.truth.counts
    made = io.StringIO()
    table = csv.writer(made, lineterminator="\n")
    table.writerow(["label", "rows", "predicted", "right", "precision", "recall", "f1"])
    for j, name in enumerate(names):
        shares = (
            right[j] / max(given[j], 1),
            right[j] / max(there[j], 1),
            2 * right[j] / max(given[j] + there[j], 1),
        )
        counts = (there[j], given[j], right[j])
        table.writerow([name, *counts, *(f"{share:.4f}" for share in shares)])
    return made.getvalue()

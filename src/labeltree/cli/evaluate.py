"""`labeltree evaluate`: the metrics of a model on labeled data."""

from __future__ import annotations

import argparse
import csv
import io
import json
import time
from typing import Any

import numpy as np

from labeltree.cli.formats import Sizes
from labeltree.cli.inputs import UsageError, add_data_arguments, check_folder, read_examples
from labeltree.cli.models import Evaluation, K, add_encoder_argument, open_model
from labeltree.data.files import open_write
from labeltree.units import format_seconds

SUMMARY = "evaluate a model on labeled data"
EXAMPLES = """\
  labeltree evaluate model.lt test.jsonl
  labeltree evaluate model.lt test.jsonl --per-label report.csv --plot reliability.png
  labeltree evaluate model.lt --x X.npz --y Y.npz --json

Labels that the model does not know cannot be predicted: they count as misses in recall and nDCG,
and the command reports how many there are.
"""
_KS = (1, 3, 5)
_MAX_TIMED = 10_000  # rows
_N_TIMED = 5  # other programs make some of the searches slower


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file written by labeltree train")
    add_data_arguments(parser)
    add_encoder_argument(parser)
    parser.add_argument("--per-label", metavar="FILE", help="write metrics per label to a CSV file")
    parser.add_argument("--plot", metavar="FILE", help="save a reliability diagram")
    parser.add_argument("--json", action="store_true", help="print metrics as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the metrics, and write the requested files."""
    if arguments.data == "-" and arguments.format is None:
        raise UsageError("standard input has no suffix; add --format jsonl, tsv, csv or xmc")
    for path in (arguments.per_label, arguments.plot):
        check_folder(path)
    model = open_model(arguments.model, arguments.encoder)
    sizes = Sizes(model.n_features_in_, len(model.classes_))
    evaluation = Evaluation.of(model, read_examples(arguments, sizes=sizes))
    figures = evaluation.figures()
    per_row = _search_seconds(evaluation)
    written = []
    if arguments.plot is not None:
        _draw(evaluation, arguments.plot)
        written.append(arguments.plot)
    if arguments.per_label is not None:
        with open_write(arguments.per_label) as stream:
            stream.write(_per_label(evaluation).encode())
        written.append(arguments.per_label)
    if arguments.json:
        counts = {**_counts(evaluation), "seconds_per_row": per_row}
        print(json.dumps({**counts, **figures}, indent=2))
        return 0
    print(_table(evaluation.truth.n_rows, figures))
    print(f"search      {format_seconds(per_row):>10} per row")
    if evaluation.n_unknown[0]:
        print(_unknown(*evaluation.n_unknown))
    if written and not arguments.quiet:
        print("written:", *written)
    return 0


def _counts(evaluation: Evaluation) -> dict[str, int]:
    n_labels, n_rows = evaluation.n_unknown
    return {
        "n_rows": evaluation.truth.n_rows,
        "n_unknown_labels": n_labels,
        "n_rows_with_unknown_labels": n_rows,
    }


def _unknown(n_labels: int, n_rows: int) -> str:
    """Return the note on labels that the model does not know.

    Examples
    --------
    >>> _unknown(1, 2)
    'unknown: 1 label in 2 rows is not in the model; it counts as a miss in recall'
    """
    labels, rows = (
        f"{n_labels:,} label{'s' * (n_labels > 1)}",
        f"{n_rows:,} row{'s' * (n_rows > 1)}",
    )
    if n_labels == 1:
        return f"unknown: {labels} in {rows} is not in the model; it counts as a miss in recall"
    return f"unknown: {labels} in {rows} are not in the model; they count as misses in recall"


def _search_seconds(evaluation: Evaluation) -> float:
    """Return the time per row of a search, the fastest of a few, with the weights in memory."""
    X = evaluation.X[:_MAX_TIMED]
    seconds = []
    for _ in range(_N_TIMED):
        start = time.perf_counter()
        evaluation.classifier.top_k(X, K)
        seconds.append(time.perf_counter() - start)
    return min(seconds) / int(X.shape[0])


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
        found: Any = classifier._predicted(evaluation.X)
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

"""`labeltree predict`: labels for texts or numeric features, row by row."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any

from labeltree import TextTagger, load
from labeltree.cli.inputs import UsageError, kind_of
from labeltree.cli.options import add_hierarchy_arguments, read_hierarchy
from labeltree.data import read_csv, read_jsonl, read_npz, read_xmc
from labeltree.data.files import open_write
from labeltree.data.text import numbered_lines
from labeltree.estimators.ancestors import THRESHOLD, Ancestry

SUMMARY = "predict labels and their probabilities"
EXAMPLES = """\
  echo 'eigenvalues of a sparse matrix' | labeltree predict model.lt
  labeltree predict model.lt texts.txt --k 3
  labeltree predict model.lt docs.jsonl --threshold 0.5 --output-format jsonl -o tags.jsonl
  labeltree predict model.lt docs.jsonl --output-format csv | head
  labeltree predict model.lt --x X.npz
  labeltree predict model.lt docs.jsonl --threshold 0.5 --ancestors taxonomy.tsv

A model of texts reads one text per line, JSONL or CSV; a model of numeric features reads XMC text
or --x. The output has the order of the input. The text format has one line per row, with
label:probability pairs separated by tabs. Ancestors must reach the threshold, by default 0.5.
"""
_K = 5
_CHUNK = 4096

Prediction = list[tuple[Any, float]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file written by labeltree train")
    parser.add_argument("data", nargs="?", default="-", help="input file (default: standard input)")
    parser.add_argument("--x", metavar="X.npz", help="features, saved by scipy.sparse.save_npz")
    parser.add_argument(
        "--format",
        choices=("lines", "jsonl", "csv", "xmc"),
        help="input format (default: from the suffix, else lines or xmc)",
    )
    parser.add_argument(
        "--text-field",
        metavar="FIELD",
        default="text",
        help="field or column of the text in JSONL and CSV (default: %(default)s)",
    )
    parser.add_argument("--no-header", action="store_true", help="XMC text has no header line")
    parser.add_argument(
        "-k",
        "--k",
        type=int,
        help=f"maximum number of labels per row (default: {_K}; no limit with --threshold)",
    )
    parser.add_argument("--threshold", type=float, help="minimum probability of a label")
    add_hierarchy_arguments(
        parser,
        "--ancestors",
        "also predict ancestors, from the hierarchy the model was trained with",
    )
    parser.add_argument(
        "--output-format",
        choices=_WRITERS,
        default="text",
        help="output format; csv has one line per label (default: %(default)s)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="output file (default: standard output)"
    )
    parser.add_argument(
        "--chunk",
        type=int,
        default=_CHUNK,
        help="number of rows to predict at once (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Predict chunk by chunk."""
    if arguments.chunk < 1:
        raise UsageError(f"--chunk must be at least 1, but is {arguments.chunk}")
    model = load(arguments.model)
    k = arguments.k
    if k is None and arguments.threshold is None:
        k = _K
    if k is not None and k < 1:
        raise UsageError(f"--k must be at least 1, but is {k}")
    ancestry = None
    if arguments.ancestors is not None:
        ancestry = Ancestry(model, read_hierarchy(arguments, arguments.ancestors))
    chunks: Iterator[Any]
    chunks = _texts(arguments) if isinstance(model, TextTagger) else _rows(arguments, model)
    write = _WRITERS[arguments.output_format]
    with open_write(arguments.output) as stream:
        if arguments.output_format == "csv":
            stream.write(b"row,rank,label,probability\n")
        n_rows = 0
        for chunk in chunks:
            predictions = _predictions(model, chunk, k, arguments.threshold)
            if ancestry is not None:
                _add_ancestors(predictions, ancestry, chunk, arguments.threshold)
            lines = (write(n_rows + i, row) for i, row in enumerate(predictions))
            stream.write("".join(lines).encode())
            stream.flush()
            n_rows += len(predictions)
        source = arguments.data if arguments.x is None else arguments.x
        if n_rows == 0 and source != "-":  # an empty pipe is fine, an empty file is a mistake
            raise ValueError(f"{source}: the data has no rows")
    return 0


def _texts(arguments: argparse.Namespace) -> Iterator[list[str]]:
    kind = arguments.format or _kind(arguments.data, "lines")
    if arguments.x is not None or kind == "xmc":
        raise UsageError("the model was trained on texts, but the data has numeric features")
    texts: Iterator[str]
    if kind == "jsonl":
        texts = (
            text
            for text, _ in read_jsonl(
                arguments.data, text_field=arguments.text_field, label_field=None
            )
        )
    elif kind == "csv":
        texts = (
            text
            for text, _ in read_csv(
                arguments.data, text_field=arguments.text_field, label_field=None
            )
        )
    else:
        texts = (line for _, line in numbered_lines(arguments.data))
    while chunk := list(islice(texts, arguments.chunk)):
        yield chunk


def _rows(arguments: argparse.Namespace, model: Any) -> Iterator[Any]:
    if arguments.x is None and (arguments.format or _kind(arguments.data, "xmc")) != "xmc":
        raise UsageError("the model was trained on numeric features, but the data has texts")
    if arguments.x is not None:
        X = read_npz(arguments.x)
    else:
        n_features = model.n_features_in_ if arguments.no_header else None
        header = not arguments.no_header
        X, _ = read_xmc(arguments.data, header=header, n_features=n_features)
    for first in range(0, X.shape[0], arguments.chunk):
        yield X[first : first + arguments.chunk]


def _predictions(
    model: Any, chunk: Any, k: int | None, threshold: float | None
) -> list[Prediction]:
    if isinstance(model, TextTagger):
        return model.tag(chunk, k, threshold)
    found: list[Prediction] = model._ranked(model._checked(model._fitted, chunk), k, threshold)
    return found


def _add_ancestors(
    predictions: list[Prediction], ancestry: Ancestry, chunk: Any, threshold: float | None
) -> None:
    """Add ancestors to the labels of each row; for a label among them, the ancestor is kept."""
    concepts, found = ancestry.proba(chunk, THRESHOLD if threshold is None else threshold)
    for i, (begin, end) in enumerate(pairwise(found.indptr.tolist())):
        named = (concepts[j] for j in found.indices[begin:end].tolist())
        above = dict(zip(named, found.data[begin:end].tolist(), strict=True))
        others = ((label, p) for label, p in predictions[i] if label not in above)
        predictions[i] = sorted([*above.items(), *others], key=lambda pair: -pair[1])


def _kind(path: str, otherwise: str) -> str:
    kind = kind_of(path)
    return kind if kind in ("jsonl", "csv") else otherwise


def _as_text(row: int, prediction: Prediction) -> str:
    cells = (f"{' '.join(str(label).split())}:{p:.4f}" for label, p in prediction)
    return "\t".join(cells) + "\n"


def _as_json(row: int, prediction: Prediction) -> str:
    labels, probabilities = [label for label, _ in prediction], [round(p, 6) for _, p in prediction]
    fields = {"labels": labels, "probabilities": probabilities}
    return json.dumps(fields, ensure_ascii=False) + "\n"


def _as_csv(row: int, prediction: Prediction) -> str:
    made = io.StringIO()
    lines = ([row, rank, label, f"{p:.6f}"] for rank, (label, p) in enumerate(prediction, 1))
    csv.writer(made, lineterminator="\n").writerows(lines)
    return made.getvalue()


_WRITERS: dict[str, Callable[[int, Prediction], str]] = {
    "text": _as_text,
    "jsonl": _as_json,
    "csv": _as_csv,
}

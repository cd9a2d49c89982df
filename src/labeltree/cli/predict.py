"""`labeltree predict`: labels for texts, line by line."""

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

SUMMARY = "give labels with probabilities for texts or rows"
EXAMPLES = """\
  echo 'eigenvalues of a sparse matrix' | labeltree predict model.lt
  labeltree predict model.lt texts.txt --k 3
  labeltree predict model.lt docs.jsonl --threshold 0.5 --output-format jsonl -o tags.jsonl
  labeltree predict model.lt docs.jsonl --output-format csv | head
  labeltree predict model.lt --x X.npz
  labeltree predict model.lt docs.jsonl --threshold 0.5 --ancestors taxonomy.tsv

a model of texts reads one text a line, JSONL or CSV; any other XMC text or --x. Answers come in the
order of the input; as text they are label:probability with tabs between, a line for each row.
Ancestors are those of at least the threshold, 0.5 if there is none
"""
_TOP_K = 5
_CHUNK = 4096

Answer = list[tuple[Any, float]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="a file that labeltree train wrote")
    parser.add_argument("data", nargs="?", default="-", help="file; standard input by default")
    parser.add_argument("--x", metavar="X.npz", help="features as scipy.sparse.save_npz wrote them")
    parser.add_argument(
        "--format",
        choices=("lines", "jsonl", "csv", "xmc"),
        help="of the input; by its suffix if not given, and lines or xmc without",
    )
    parser.add_argument(
        "--text-field",
        "--text-field",
        metavar="FIELD",
        default="text",
        help="where the text is in JSONL and CSV (%(default)s)",
    )
    parser.add_argument("--no-header", action="store_true", help="XMC text has no line of sizes")
    parser.add_argument(
        "--k", type=int, help=f"labels a row at most ({_TOP_K}; any number with --threshold)"
    )
    parser.add_argument("--threshold", type=float, help="labels of at least this probability")
    add_hierarchy_arguments(
        parser, "--ancestors", "add what stands above labels in the hierarchy the model has as tree"
    )
    parser.add_argument(
        "--output-format",
        choices=_WRITERS,
        default="text",
        help="%(default)s by default; csv has a line for each label",
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="instead of the screen")
    parser.add_argument("--chunk", type=int, default=_CHUNK, help="rows at once (%(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Answer chunk by chunk."""
    if arguments.chunk < 1:
        raise UsageError(f"--chunk must be at least 1, but is {arguments.chunk}")
    model = load(arguments.model)
    top_k = arguments.k
    if top_k is None and arguments.threshold is None:
        top_k = _TOP_K
    if top_k is not None and top_k < 1:
        raise UsageError(f"--k must be at least 1, but is {top_k}")
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
            answers = _answers(model, chunk, top_k, arguments.threshold)
            if ancestry is not None:
                _add_ancestors(answers, ancestry, chunk, arguments.threshold)
            stream.write("".join(write(n_rows + i, row) for i, row in enumerate(answers)).encode())
            stream.flush()
            n_rows += len(answers)
        source = arguments.data if arguments.x is None else arguments.x
        if n_rows == 0 and source != "-":  # an empty pipe is fine, an empty file a mistake
            raise ValueError(f"{source}: there are no rows")
    return 0


def _texts(arguments: argparse.Namespace) -> Iterator[list[str]]:
    kind = arguments.format or _kind(arguments.data, "lines")
    if arguments.x is not None or kind == "xmc":
        raise UsageError("the model was trained on texts, but data has rows of numbers")
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
        raise UsageError("the model was trained on rows of numbers, but data has texts")
    if arguments.x is not None:
        X = read_npz(arguments.x)
    else:
        n_features = model.n_features_in_ if arguments.no_header else None
        header = not arguments.no_header
        X, _ = read_xmc(arguments.data, header=header, n_features=n_features)
    for first in range(0, X.shape[0], arguments.chunk):
        yield X[first : first + arguments.chunk]


def _answers(model: Any, chunk: Any, top_k: int | None, threshold: float | None) -> list[Answer]:
    if isinstance(model, TextTagger):
        return model.tag(chunk, top_k, threshold)
    found: list[Answer] = model._ranked(model._checked(model._fitted, chunk), top_k, threshold)
    return found


def _add_ancestors(
    answers: list[Answer], ancestry: Ancestry, chunk: Any, threshold: float | None
) -> None:
    """Add concepts to the labels of each row; one that is a label, too, is there as a concept."""
    concepts, found = ancestry.proba(chunk, THRESHOLD if threshold is None else threshold)
    for i, (begin, end) in enumerate(pairwise(found.indptr.tolist())):
        named = (concepts[j] for j in found.indices[begin:end].tolist())
        above = dict(zip(named, found.data[begin:end].tolist(), strict=True))
        both = [*above.items(), *((label, p) for label, p in answers[i] if label not in above)]
        answers[i] = sorted(both, key=lambda pair: -pair[1])


def _kind(path: str, otherwise: str) -> str:
    kind = kind_of(path)
    return kind if kind in ("jsonl", "csv") else otherwise


def _as_text(row: int, answer: Answer) -> str:
    cells = (f"{' '.join(str(label).split())}:{p:.4f}" for label, p in answer)
    return "\t".join(cells) + "\n"


def _as_json(row: int, answer: Answer) -> str:
    labels, probabilities = [label for label, _ in answer], [round(p, 6) for _, p in answer]
    fields = {"labels": labels, "probabilities": probabilities}
    return json.dumps(fields, ensure_ascii=False) + "\n"


def _as_csv(row: int, answer: Answer) -> str:
    made = io.StringIO()
    lines = ([row, rank, label, f"{p:.6f}"] for rank, (label, p) in enumerate(answer, 1))
    csv.writer(made, lineterminator="\n").writerows(lines)
    return made.getvalue()


_WRITERS: dict[str, Callable[[int, Answer], str]] = {
    "text": _as_text,
    "jsonl": _as_json,
    "csv": _as_csv,
}

"""`labeltree predict`: labels for texts or numeric features, row by row."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labeltree import TextTagger
from labeltree.cli.cluster import add_cluster_arguments, given_executor
from labeltree.cli.formats import FORMATS, Format, Sizes, format_by_suffix
from labeltree.cli.inputs import (
    UsageError,
    add_format_arguments,
    add_id_argument,
    check_folder,
    check_parquet_output,
    input_format,
    text_rows,
)
from labeltree.cli.label_files import add_subset_arguments, read_subset
from labeltree.cli.models import add_encoder_argument, open_model
from labeltree.cli.options import add_hierarchy_arguments, read_hierarchy
from labeltree.cli.prediction_lines import Identifier, Prediction
from labeltree.cli.prediction_output import OUTPUT_FORMATS, Part, formatted, open_output
from labeltree.cli.terminal import is_terminal, visible
from labeltree.data.parquet_features import parquet_feature_parts
from labeltree.estimators.ancestors import THRESHOLD, Ancestry
from labeltree.estimators.label_subsets import Subset
from labeltree.execution.executor import Threads, in_order
from labeltree.storage.hub_files import is_hub_address
from labeltree.trees import Hierarchy

SUMMARY = "predict labels and their probabilities"
EXAMPLES = """\
  echo 'eigenvalues of a sparse matrix' | labeltree predict model.lt
  labeltree predict model.lt texts.txt --k 3
  labeltree predict model.lt docs.jsonl --id-field id --threshold 0.5 -o tags.jsonl
  labeltree predict model.lt folder-of-texts -o tags.csv
  labeltree predict model.lt docs.parquet --id-field id -o tags.parquet
  zcat docs.csv.gz | labeltree predict model.lt - --format csv --output-format tsv | head
  labeltree predict model.lt --x X.npz
  labeltree predict model.lt docs.jsonl --exclude-labels retired.txt
  labeltree predict model.lt docs.jsonl --threshold 0.5 --ancestors taxonomy.tsv
  labeltree predict model.lt docs.jsonl -o tags.jsonl --ray 10.0.0.1:6379

The data has the same formats as for train and evaluate; its labels are ignored. Standard input, and
a file whose suffix is unknown, has one text per line, or XMC text if the model has numeric
features. The output has the order of the input. The text format has one line per row, with
label:probability pairs separated by tabs, after the identifier if there is one. CSV and TSV have
one line per label. Parquet has one row per row, with lists of labels and probabilities. Ancestors
must reach the threshold, by default 0.5. With --ray, all nodes must be able to read the model file.
"""
_K = 5
_CHUNK = 4096


@dataclass(frozen=True)
class Chunk:
    """Rows to predict at once."""

    rows: Any  # texts, or a matrix
    ids: list[Identifier]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file written by labeltree train")
    parser.add_argument(
        "data", nargs="?", default="-", help="input file or folder (default: standard input)"
    )
    group = parser.add_argument_group("data")
    group.add_argument("--x", metavar="X.npz", help="features, saved by scipy.sparse.save_npz")
    group.add_argument("--y", metavar="Y.npz", help="labels, which are not used")
    add_format_arguments(group, tuple(name for name in FORMATS if name != "npz"))
    add_id_argument(group)
    parser.add_argument(
        "-k",
        "--k",
        type=int,
        help=f"maximum number of labels per row (default: {_K}; no limit with --threshold)",
    )
    parser.add_argument("--threshold", type=float, help="minimum probability of a label")
    add_subset_arguments(parser)
    add_hierarchy_arguments(
        parser,
        "--ancestors",
        "also predict ancestors, from the hierarchy the model was trained with",
    )
    parser.add_argument(
        "--output-format",
        choices=OUTPUT_FORMATS,
        help="output format (default: from the suffix of the output file, else text)",
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON object per row: --output-format jsonl"
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
    parser.add_argument(
        "--beam",
        type=int,
        help="number of nodes to continue with on each level; faster for flat probabilities, but "
        "may miss labels (default: exact search)",
    )
    add_encoder_argument(parser)
    parser.add_argument("--n-jobs", type=int, help="number of threads (default: all cores)")
    add_cluster_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Predict chunk by chunk."""
    if arguments.chunk < 1:
        raise UsageError(f"--chunk must be at least 1, but is {arguments.chunk}")
    check_folder(arguments.output)
    model = open_model(arguments.model, arguments.encoder)
    k = arguments.k
    if k is None and arguments.threshold is None:
        k = _K
    if k is not None and k < 1:
        raise UsageError(f"--k must be at least 1, but is {k}")
    if arguments.threshold is not None and not 0 <= arguments.threshold <= 1:
        raise UsageError(f"--threshold must be from 0 to 1, but is {arguments.threshold:g}")
    executor = given_executor(arguments)
    n_jobs = arguments.n_jobs if executor is None else executor.n_threads
    hierarchy = None
    if arguments.ancestors is not None:
        hierarchy = read_hierarchy(arguments, arguments.ancestors)
    form = _format(arguments, model)
    chunks = (_texts if form.has_texts else _rows)(arguments, form, model)
    output_format = _output_format(arguments)
    check_parquet_output(arguments.output, output_format)
    subset = read_subset(arguments, model.classes_)
    if subset is not None and hierarchy is not None:
        raise UsageError("--ancestors needs all labels; leave out --labels and --exclude-labels")
    query = _Query(k, arguments.threshold, arguments.beam, hierarchy, subset)
    path = arguments.model
    if not is_hub_address(path):
        path = str(Path(path).resolve())
    predictor = _Predictor(path, arguments.encoder, query, output_format, n_jobs)
    predictor.__dict__["model"] = _with_threads(model, n_jobs)
    shown = visible if is_terminal(arguments.output) else str
    with_ids = form.name == "folder" or arguments.id_field is not None
    int_labels = hierarchy is None and np.asarray(model.classes_).dtype.kind in "iu"
    with open_output(
        arguments.output, output_format, with_ids=with_ids, int_labels=int_labels, shown=shown
    ) as write:
        n_rows = n_unknown = 0
        for answers in in_order((executor or Threads()).run(predictor, _numbered(chunks))):
            n_unknown += answers.n_unknown
            n_rows += answers.n_rows
            write(answers.part)
        source = arguments.data if arguments.x is None else arguments.x
        if n_rows == 0 and source != "-":  # an empty pipe is fine, an empty file is a mistake
            raise ValueError(f"{source}: the data has no rows")
    if n_unknown and not arguments.quiet:
        print(
            f"labeltree: {n_unknown:,} of {n_rows:,} texts have no word that the model knows; "
            "their labels are those of texts in general",
            file=sys.stderr,
        )
    return 0


class _Query(NamedTuple):
    """What is predicted for each row."""

    k: int | None
    threshold: float | None
    beam: int | None
    hierarchy: Hierarchy | None
    subset: Subset | None


class _Answers(NamedTuple):
    """The output for one chunk."""

    part: Part
    n_rows: int
    n_unknown: int  # texts without known words


@dataclass(frozen=True, eq=False)
class _Predictor:
    """Predicts chunks; a worker that it is sent to opens the model file itself."""

    path: str
    encoder: str | None
    query: _Query
    output_format: str
    n_jobs: int | None

    @cached_property
    def model(self) -> Any:
        return _with_threads(open_model(self.path, self.encoder), self.n_jobs)

    @cached_property
    def ancestry(self) -> Ancestry | None:
        hierarchy = self.query.hierarchy
        return None if hierarchy is None else Ancestry(self.model, hierarchy)

    def __call__(self, job: tuple[int, Chunk]) -> _Answers:
        first, chunk = job
        predictions, n_unknown = _predictions(self.model, chunk.rows, self.query)
        if self.ancestry is not None:
            _add_ancestors(predictions, self.ancestry, chunk.rows, self.query.threshold)
        part = formatted(self.output_format, chunk.ids, predictions, first)
        return _Answers(part, len(predictions), n_unknown)

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}


def _with_threads(model: Any, n_jobs: int | None) -> Any:
    if n_jobs is not None:
        (model.classifier_ if isinstance(model, TextTagger) else model).n_jobs = n_jobs
    return model


def _numbered(chunks: Iterator[Chunk]) -> Iterator[tuple[int, Chunk]]:
    """Yield each chunk after the number of its first row."""
    first = 0
    for chunk in chunks:
        yield first, chunk
        first += len(chunk.ids)


def _format(arguments: argparse.Namespace, model: Any) -> Format:
    """Return the format of the data, which has to suit the model."""
    if arguments.x is not None and arguments.data != "-":
        raise UsageError("the data must be one file, or --x, but both are given")
    if arguments.x is None and arguments.y is not None:
        raise UsageError("--y has labels only; add features with --x X.npz")
    has_texts = isinstance(model, TextTagger)
    if arguments.x is not None:
        form = FORMATS["npz"]
    else:
        form = input_format(arguments, "lines" if has_texts else "xmc", needs_labels=False)
    if has_texts and not form.has_texts:
        raise UsageError("the model was trained on texts, but the data has numeric features")
    if form.has_texts and not has_texts:
        raise UsageError("the model was trained on numeric features, but the data has texts")
    return form


def _output_format(arguments: argparse.Namespace) -> str:
    if arguments.json:
        if arguments.output_format not in (None, "jsonl"):
            raise UsageError(f"--json is JSONL, but --output-format is {arguments.output_format}")
        return "jsonl"
    if arguments.output_format is not None:
        return str(arguments.output_format)
    known = None if arguments.output == "-" else format_by_suffix(arguments.output)
    return known.name if known is not None and known.name in OUTPUT_FORMATS else "text"


def _texts(arguments: argparse.Namespace, form: Format, _: Any) -> Iterator[Chunk]:
    rows = text_rows(arguments, form, with_labels=False)
    while chunk := list(islice(rows, arguments.chunk)):
        yield Chunk([row.text for row in chunk], [row.id for row in chunk])


def _rows(arguments: argparse.Namespace, form: Format, model: Any) -> Iterator[Chunk]:
    n_features = model.n_features_in_
    parts: Iterator[Any]
    if form.name == "parquet-features":
        parts = (X for X, _ in parquet_feature_parts(arguments.data, n_features=n_features))
    else:
        parts = iter([form.read(arguments, Sizes(n_features))[0]])
    for X in parts:
        for first in range(0, X.shape[0], arguments.chunk):
            part = X[first : first + arguments.chunk]
            yield Chunk(part, [None] * part.shape[0])


def _predictions(model: Any, chunk: Any, query: _Query) -> tuple[list[Prediction], int]:
    """Return the labels of each row, best first, and the number of texts without known words."""
    if isinstance(model, TextTagger):
        X = model.features_.transform(chunk)
        n_empty = int((np.diff(X.indptr) == 0).sum())
        classifier = model.classifier_
    else:
        X, n_empty, classifier = model._checked(model._fitted, chunk), 0, model
    found = classifier._ranked(X, query.k, query.threshold, subset=query.subset, beam=query.beam)
    return found, n_empty


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

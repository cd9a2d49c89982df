"""`labeltree stream`: predict each line, then learn from it, until the input ends."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from labeltree import TextTagger, load
from labeltree.cli.formats import FORMATS, Format
from labeltree.cli.inputs import (
    UsageError,
    add_format_arguments,
    add_id_argument,
    input_format,
    text_fields,
)
from labeltree.cli.models import check_model_file
from labeltree.cli.prediction_lines import Identifier, Prediction, json_fields
from labeltree.cli.terminal import visible
from labeltree.data.fields import BadRow, Fields, TextRow
from labeltree.data.files import file_name, open_read, raw_lines
from labeltree.data.text import decoded_line, json_object, json_row
from labeltree.trees.outline import counted

SUMMARY = "predict tags line by line and update the model after each line"
EXAMPLES = """\
  tail -F docs.jsonl | labeltree stream model.lt
  labeltree stream new-model.lt docs.jsonl --save-rows 10000 > predictions.jsonl

Each line is predicted before the model learns from it, so the reported precision is that on unseen
lines (progressive validation). A line without tags, or with null, is only predicted. A bad
line is reported on standard error, and its output line has no labels but an error; with --strict,
and at a bad file of a folder, the command stops there. If the model file does not exist, a new
model is created. If it exists, the command replaces it, atomically and at intervals: kill -9 loses
only the lines since the last save. The exit code is 1 if all lines are bad.
"""
_N_FEATURES = 2**18
_FORMATS = tuple(name for name, form in FORMATS.items() if form.has_texts and name != "lines")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(replaces_model=True)
    parser.add_argument("model", help="model file to replace, created if it does not exist")
    parser.add_argument(
        "data", nargs="?", default="-", help="file or folder of texts (default: standard input)"
    )
    group = parser.add_argument_group("data")
    add_format_arguments(group, _FORMATS)
    add_id_argument(group)
    parser.add_argument(
        "-k", "--k", type=int, default=5, help="number of tags per line (default: %(default)s)"
    )
    parser.add_argument(
        "--chunk", type=int, default=1, help="number of lines at once (default: %(default)s)"
    )
    parser.add_argument(
        "--save-rows",
        type=int,
        default=10_000,
        help="save after this number of rows (default: %(default)s)",
    )
    parser.add_argument(
        "--save-seconds",
        type=float,
        default=60.0,
        help="save after this number of seconds (default: %(default)s)",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the summary on standard error as a JSON object; predictions are JSON anyway",
    )
    parser.add_argument(
        "--strict", action="store_true", help="stop at the first bad line, with exit code 1"
    )


def run(arguments: argparse.Namespace) -> int:
    """Predict, learn and save until the input ends."""
    for name in ("k", "chunk", "save_rows"):
        if getattr(arguments, name) < 1:
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} must be at least 1, but is {getattr(arguments, name)}")
    form = input_format(arguments, "jsonl")
    check_model_file(arguments.model)
    model = _open(arguments.model)
    tally = Tally(arguments.k)
    saver = Saver(model, tally, arguments.model, arguments.save_rows, arguments.save_seconds)
    lines = read_lines(arguments, form)
    before = signal.signal(signal.SIGTERM, _interrupt)  # the signal that stops a service
    try:
        while chunk := list(islice(lines, arguments.chunk)):
            for line, prediction in predict_then_fit(model, chunk, arguments.k):
                tally.add(line, prediction)
                _write(line, prediction, strict=arguments.strict)
            sys.stdout.flush()
            saver.save_if_due()
    finally:
        saver.save()
        signal.signal(signal.SIGTERM, before)
    if arguments.json:
        print(json.dumps(tally.figures()), file=sys.stderr)
    elif not arguments.quiet:
        print(tally.report(), file=sys.stderr)
    return 1 if tally.n_bad and not tally.n_good else 0


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@dataclass(frozen=True)
class Line:
    """One line of the input; if it is bad, `error` says why."""

    where: str
    text: str = ""
    tags: tuple[str, ...] = ()
    id: Identifier = None
    error: str | None = None

    @classmethod
    def of(cls, where: str, row: TextRow) -> Line:
        """Return a line that was read."""
        return cls(where, row.text, tuple(row.tags), row.id)


def read_lines(arguments: argparse.Namespace, form: Format) -> Iterator[Line]:
    """Iterate over all lines that are not empty, also over bad ones."""
    name = file_name(arguments.data)
    if form.name != "jsonl":
        for number, row in enumerate(form.read(arguments, text_fields(arguments)), start=1):
            where = f"{name}: row {number}"
            is_bad = isinstance(row, BadRow)
            yield Line(where, error=row.reason) if is_bad else Line.of(where, row)
        return
    fields = text_fields(arguments)
    with open_read(arguments.data) as stream:
        for number, raw in enumerate(raw_lines(stream), start=1):
            where = f"{name}: line {number}"
            try:
                content = decoded_line(where, raw, is_first=number == 1)
                if content.strip():
                    yield _parsed(where, json_object(where, content), fields)
            except ValueError as error:
                yield Line(where, error=str(error))


def _parsed(where: str, found: dict[str, Any], fields: Fields) -> Line:
    """Return a line whose tags may be missing or null."""
    given = {name: value for name, value in found.items() if value is not None}
    with_labels = any(name in given for name in fields.labels)
    return Line.of(where, json_row(where, given, replace(fields, with_labels=with_labels)))


def _write(line: Line, prediction: Prediction, *, strict: bool) -> None:
    """Print one prediction; also for bad lines, so that output and input stay in step."""
    if line.error is not None and strict:
        sys.stdout.flush()
        raise ValueError(line.error)
    fields = json_fields(line.id, prediction)
    if line.error is not None:
        fields["error"] = line.error
        print(f"labeltree: {visible(line.error)}", file=sys.stderr)
    print(json.dumps(fields, ensure_ascii=False))


class Tally:
    """Number of lines of each kind, and the precision of the predictions for lines with tags."""

    def __init__(self, max_k: int) -> None:
        self.ks = [k for k in (1, 3, 5) if k <= max_k]
        self.n_good = self.n_bad = self.n_learned = 0
        self.hits = dict.fromkeys(self.ks, 0)

    def add(self, line: Line, prediction: Prediction) -> None:
        """Count one line."""
        if line.error is not None:
            self.n_bad += 1
            return
        self.n_good += 1
        if line.tags:
            self.n_learned += 1
            for k in self.ks:
                self.hits[k] += len({tag for tag, _ in prediction[:k]} & set(line.tags))

    def figures(self) -> dict[str, float]:
        """Return the counts and P@k by name."""
        n_rows = max(self.n_learned, 1)
        counts = {"n_good": self.n_good, "n_learned": self.n_learned, "n_bad": self.n_bad}
        return counts | {f"P@{k}": self.hits[k] / (k * n_rows) for k in self.ks}

    def report(self) -> str:
        """Return P@k over all rows, each predicted before the model learned from it."""
        found = self.figures()
        parts = [f"P@{k} {100 * found[f'P@{k}']:.1f} %" for k in self.ks]
        return (
            f"learned {counted(self.n_learned, 'row')}; predicted before learning: "
            f"{', '.join(parts)}; {counted(self.n_good - self.n_learned, 'line')} without tags, "
            f"{counted(self.n_bad, 'bad line')}"
        )


class Saver:
    """Saves the model after a number of rows or seconds."""

    def __init__(
        self, model: TextTagger, tally: Tally, path: str, n_rows: int, seconds: float
    ) -> None:
        self.model, self.tally = model, tally
        self.path, self.n_rows, self.seconds = path, n_rows, seconds
        self._n_saved = 0
        self._last = time.monotonic()

    def save_if_due(self) -> None:
        """Save the model if it is time."""
        is_late = time.monotonic() - self._last >= self.seconds
        if is_late or self.tally.n_learned - self._n_saved >= self.n_rows:
            self.save()

    def save(self) -> None:
        """Save the model if it has learned since the last save."""
        if self.tally.n_learned > self._n_saved:
            self.model.save(self.path)
        self._n_saved, self._last = self.tally.n_learned, time.monotonic()


def predict_then_fit(
    model: TextTagger, chunk: list[Line], k: int
) -> Iterator[tuple[Line, Prediction]]:
    """Yield lines and their predictions in order; the model then learns from those with tags."""
    if len(chunk) > 1 and all(line.tags for line in chunk):
        try:
            predictions = model.predict_then_fit(
                [line.text for line in chunk], _targets(model, chunk), k
            )
        except ValueError:  # nothing is learned; find the bad line one by one
            pass
        else:
            yield from zip(chunk, predictions, strict=True)
            return
    for line in chunk:
        yield _one(model, line, k)


def _one(model: TextTagger, line: Line, k: int) -> tuple[Line, Prediction]:
    if line.error is not None:
        return line, []
    try:
        if line.tags:
            return line, model.predict_then_fit([line.text], _targets(model, [line]), k)[0]
        return line, model.tag([line.text], k)[0] if model.__sklearn_is_fitted__() else []
    except ValueError as error:  # such as two tags for a model of one class per text
        return replace(line, error=f"{line.where}: {error}"), []


def _targets(model: TextTagger, chunk: list[Line]) -> list[Any]:
    """Return the tags of lines in the form that the model was trained with."""
    if not model.__sklearn_is_fitted__() or model.label_kind_ != "classes":
        return [line.tags for line in chunk]
    for line in chunk:
        if len(line.tags) > 1:
            raise ValueError(f"the model has one class per text, but the line has {len(line.tags)}")
    return [line.tags[0] for line in chunk]


def _open(path: str) -> TextTagger:
    if not Path(path).exists():
        return TextTagger(n_features=_N_FEATURES)
    model = load(path)
    if not isinstance(model, TextTagger):
        raise UsageError("stream needs a model of texts, but this one has numeric features")
    return model

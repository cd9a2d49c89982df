"""`labeltree stream`: predict each line, then learn from it, until the input ends."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from labeltree import TextTagger, load
from labeltree.cli.inputs import UsageError, tagged_texts
from labeltree.cli.models import check_model_file

SUMMARY = "predict tags line by line and update the model after each line"
EXAMPLES = """\
  tail -F docs.jsonl | labeltree stream model.lt
  labeltree stream new-model.lt docs.jsonl --save-rows 10000 > predictions.jsonl

Each line is predicted before the model learns from it, so the reported precision is that on unseen
lines (progressive validation). A line without tags is only predicted. If the model file does not
exist, a new model is created. The file is replaced atomically at intervals: kill -9 loses only the
lines since the last save.
"""
_N_FEATURES = 2**18


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file, created if it does not exist")
    parser.add_argument("data", nargs="?", default="-", help="JSONL file (default: standard input)")
    parser.add_argument(
        "--text-field",
        metavar="FIELD",
        default="text",
        help="field of the text (default: %(default)s)",
    )
    parser.add_argument(
        "--label-field", metavar="FIELD", help="field of the tags (default: tags or labels)"
    )
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


def run(arguments: argparse.Namespace) -> int:
    """Predict, learn and save until the input ends."""
    for name in ("k", "chunk", "save_rows"):
        if getattr(arguments, name) < 1:
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} must be at least 1, but is {getattr(arguments, name)}")
    check_model_file(arguments.model)
    model = _open(arguments.model)
    saver = Saver(model, arguments.model, arguments.save_rows, arguments.save_seconds)
    tally = Tally(arguments.k)
    lines = tagged_texts(arguments, "jsonl")
    before = signal.signal(signal.SIGTERM, _interrupt)  # the signal that stops a service
    try:
        while chunk := list(islice(lines, arguments.chunk)):
            for prediction in predict_then_fit(model, chunk, arguments.k, tally):
                fields = {"labels": [tag for tag, _ in prediction]}
                fields["probabilities"] = [round(p, 6) for _, p in prediction]
                print(json.dumps(fields, ensure_ascii=False))
            sys.stdout.flush()
            saver.add(sum(bool(tags) for _, tags in chunk))
    finally:
        saver.save()
        signal.signal(signal.SIGTERM, before)
    if not arguments.quiet:
        print(tally.report(), file=sys.stderr)
    return 0


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


class Tally:
    """Precision of the predictions for rows with tags."""

    def __init__(self, max_k: int) -> None:
        self.ks = [k for k in (1, 3, 5) if k <= max_k]
        self.n_rows = 0
        self.hits = dict.fromkeys(self.ks, 0)

    def add(self, prediction: list[tuple[Any, float]], tags: list[str]) -> None:
        """Count one row."""
        self.n_rows += 1
        for k in self.ks:
            self.hits[k] += len({tag for tag, _ in prediction[:k]} & set(tags))

    def report(self) -> str:
        """Return P@k over all rows, each predicted before the model learned from it."""
        n_rows = max(self.n_rows, 1)
        parts = [f"P@{k} {100 * self.hits[k] / (k * n_rows):.1f} %" for k in self.ks]
        return f"learned {self.n_rows:,} rows; predicted before learning: {', '.join(parts)}"


class Saver:
    """Saves the model after a number of rows or seconds."""

    def __init__(self, model: TextTagger, path: str, n_rows: int, seconds: float) -> None:
        self.model, self.path, self.n_rows, self.seconds = model, path, n_rows, seconds
        self._unsaved = 0
        self._last = time.monotonic()

    def add(self, n_rows: int) -> None:
        """Count learned rows, and save if it is time."""
        self._unsaved += n_rows
        if self._unsaved >= self.n_rows or time.monotonic() - self._last >= self.seconds:
            self.save()

    def save(self) -> None:
        """Save the model if it has learned since the last save."""
        if self._unsaved:
            self.model.save(self.path)
        self._unsaved, self._last = 0, time.monotonic()


def predict_then_fit(
    model: TextTagger, chunk: list[tuple[str, list[str]]], k: int, tally: Tally
) -> list[list[tuple[Any, float]]]:
    """Return the predictions for lines in order; the model then learns from those with tags."""
    if all(tags for _, tags in chunk):
        predictions = model.predict_then_fit(
            [text for text, _ in chunk], [tags for _, tags in chunk], k
        )
        for prediction, (_, tags) in zip(predictions, chunk, strict=True):
            tally.add(prediction, tags)
        return predictions
    if len(chunk) > 1:
        return [one for line in chunk for one in predict_then_fit(model, [line], k, tally)]
    return model.tag([chunk[0][0]], k) if model.__sklearn_is_fitted__() else [[]]


def _open(path: str) -> TextTagger:
    if not Path(path).exists():
        return TextTagger(n_features=_N_FEATURES)
    model = load(path)
    if not isinstance(model, TextTagger):
        raise UsageError("stream needs a model of texts, but this one has numeric features")
    return model

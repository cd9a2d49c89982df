"""`labeltree stream`: answer each line, then learn from it, for ever."""

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

SUMMARY = "answer texts line by line and learn from each, for ever"
EXAMPLES = """\
  tail -F docs.jsonl | labeltree stream model.lt
  labeltree stream new-model.lt docs.jsonl --save-rows 10000 > answers.jsonl

each line is answered before it is learnt, so that what is told in the end is an honest measure; a
line without tags is only answered. Without a model of that name, learning starts from nothing. The
file is replaced as a whole every so often: kill -9 loses what came after that, and nothing else
"""
_N_FEATURES = 2**18


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file, which is made if there is none")
    parser.add_argument("data", nargs="?", default="-", help="JSONL; standard input by default")
    parser.add_argument("--text-field", metavar="FIELD", default="text", help="(%(default)s)")
    parser.add_argument("--label-field", metavar="FIELD", help="(tags or labels)")
    parser.add_argument("--k", type=int, default=5, help="tags to answer (%(default)s)")
    parser.add_argument("--chunk", type=int, default=1, help="lines at once (%(default)s)")
    parser.add_argument("--save-rows", type=int, default=10_000, help="save after (%(default)s)")
    parser.add_argument(
        "--save-seconds", type=float, default=60.0, help="or after so long (%(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer, learn and save until the input ends."""
    for name in ("k", "chunk", "save_rows"):
        if getattr(arguments, name) < 1:
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} must be at least 1, but is {getattr(arguments, name)}")
    check_model_file(arguments.model)
    model = _open(arguments.model)
    saver = Saver(model, arguments.model, arguments.save_rows, arguments.save_seconds)
    tally = Tally(arguments.k)
    lines = tagged_texts(arguments, "jsonl")
    before = signal.signal(signal.SIGTERM, _interrupt)  # what a service is stopped with
    try:
        while chunk := list(islice(lines, arguments.chunk)):
            for answer in answered(model, chunk, arguments.k, tally):
                fields = {"labels": [tag for tag, _ in answer]}
                fields["probabilities"] = [round(p, 6) for _, p in answer]
                print(json.dumps(fields, ensure_ascii=False))
            sys.stdout.flush()
            saver.learnt(sum(bool(tags) for _, tags in chunk))
    finally:
        saver.save()
        signal.signal(signal.SIGTERM, before)
    if not arguments.quiet:
        print(tally.report(), file=sys.stderr)
    return 0


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


class Tally:
    """How good answers were, of rows that had tags."""

    def __init__(self, top_k: int) -> None:
        self.ks = [k for k in (1, 3, 5) if k <= top_k]
        self.n_rows = 0
        self.hits = dict.fromkeys(self.ks, 0)

    def add(self, answer: list[tuple[Any, float]], tags: list[str]) -> None:
        """Count one row."""
        self.n_rows += 1
        for k in self.ks:
            self.hits[k] += len({tag for tag, _ in answer[:k]} & set(tags))

    def report(self) -> str:
        """Return P@k over all rows, each before it was learnt."""
        n_rows = max(self.n_rows, 1)
        parts = [f"P@{k} {100 * self.hits[k] / (k * n_rows):.1f} %" for k in self.ks]
        return f"learnt {self.n_rows:,} rows; before each: {', '.join(parts)}"


class Saver:
    """Writes the model when so many rows or seconds have passed."""

    def __init__(self, model: TextTagger, path: str, n_rows: int, seconds: float) -> None:
        self.model, self.path, self.n_rows, self.seconds = model, path, n_rows, seconds
        self._unsaved = 0
        self._last = time.monotonic()

    def learnt(self, n_rows: int) -> None:
        """Count rows, and save if it is time."""
        self._unsaved += n_rows
        if self._unsaved >= self.n_rows or time.monotonic() - self._last >= self.seconds:
            self.save()

    def save(self) -> None:
        """Save what has been learnt since."""
        if self._unsaved:
            self.model.save(self.path)
        self._unsaved, self._last = 0, time.monotonic()


def answered(
    model: TextTagger, chunk: list[tuple[str, list[str]]], top_k: int, tally: Tally
) -> list[list[tuple[Any, float]]]:
    """Return the answers for lines in their order; those with tags are learnt afterwards."""
    if all(tags for _, tags in chunk):
        answers = model.predict_then_fit(
            [text for text, _ in chunk], [tags for _, tags in chunk], top_k
        )
        for answer, (_, tags) in zip(answers, chunk, strict=True):
            tally.add(answer, tags)
        return answers
    if len(chunk) > 1:
        return [answer for line in chunk for answer in answered(model, [line], top_k, tally)]
    return model.tag([chunk[0][0]], top_k) if model.__sklearn_is_fitted__() else [[]]


def _open(path: str) -> TextTagger:
    if not Path(path).exists():
        return TextTagger(n_features=_N_FEATURES)
    model = load(path)
    if not isinstance(model, TextTagger):
        raise UsageError("stream is for models of texts, but the model has rows of numbers")
    return model

"""Predictions as lines of text, JSONL, CSV or TSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

Prediction = list[tuple[Any, float]]
Identifier = str | int | None

_COLUMNS = ("rank", "label", "probability")


def as_text(identifier: Identifier, prediction: Prediction, _number: int = 0) -> str:
    """Return one line: the identifier, if there is one, and label:probability pairs.

    Examples
    --------
    >>> as_text("a.txt", [("tea", 0.75), ("hot drink", 0.5)])
    'a.txt\\ttea:0.7500\\thot drink:0.5000\\n'
    """
    cells = [] if identifier is None else [_on_one_line(identifier)]
    cells += [f"{_on_one_line(label)}:{p:.4f}" for label, p in prediction]
    return "\t".join(cells) + "\n"


def as_json(identifier: Identifier, prediction: Prediction, _number: int = 0) -> str:
    """Return one JSON object.

    Examples
    --------
    >>> as_json(17, [("tea", 0.75)])
    '{"id": 17, "labels": ["tea"], "probabilities": [0.75]}\\n'
    """
    return json.dumps(json_fields(identifier, prediction), ensure_ascii=False) + "\n"


def json_fields(identifier: Identifier, prediction: Prediction) -> dict[str, Any]:
    """Return the fields of a JSON object."""
    fields: dict[str, Any] = {} if identifier is None else {"id": identifier}
    fields["labels"] = [label for label, _ in prediction]
    fields["probabilities"] = [round(p, 6) for _, p in prediction]
    return fields


def as_csv(identifier: Identifier, prediction: Prediction, number: int = 0) -> str:
    """Return one line per label: row number, identifier if there is one, rank and probability."""
    return _table(identifier, prediction, number, ",")


def as_tsv(identifier: Identifier, prediction: Prediction, number: int = 0) -> str:
    """Return one line per label, as `as_csv` does, with tabs."""
    return _table(identifier, prediction, number, "\t")


def header(format_name: str, *, with_ids: bool) -> str:
    """Return the first line of a file, which is empty unless it is a table."""
    if format_name not in DELIMITERS:
        return ""
    return DELIMITERS[format_name].join(["row", *["id"] * with_ids, *_COLUMNS]) + "\n"


def _table(identifier: Identifier, prediction: Prediction, number: int, delimiter: str) -> str:
    made = io.StringIO()
    first = [number] if identifier is None else [number, identifier]
    lines = ([*first, rank, label, f"{p:.6f}"] for rank, (label, p) in enumerate(prediction, 1))
    csv.writer(made, lineterminator="\n", delimiter=delimiter).writerows(lines)
    return made.getvalue()


def _on_one_line(value: Any) -> str:
    return " ".join(str(value).split())


DELIMITERS = {"csv": ",", "tsv": "\t"}

#: Functions from identifier, prediction and row number to lines, by the name of the format.
WRITERS: dict[str, Callable[[Identifier, Prediction, int], str]] = {
    "text": as_text,
    "jsonl": as_json,
    "csv": as_csv,
    "tsv": as_tsv,
}

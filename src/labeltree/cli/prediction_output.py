"""The output file of predictions: lines of text, or a Parquet table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from labeltree.arguments import shown as shown_value
from labeltree.cli.prediction_lines import WRITERS, Identifier, Prediction, header
from labeltree.data.arrow_arrays import pyarrow
from labeltree.data.files import open_write
from labeltree.data.parquet import ParquetRows

PARQUET = "parquet"
#: Names of the formats.
OUTPUT_FORMATS = (*WRITERS, PARQUET)

#: What is written for some rows: lines, or rows of a table.
Part = str | list[tuple[Identifier, Prediction]]


def formatted(
    format_name: str, ids: list[Identifier], predictions: list[Prediction], first: int
) -> Part:
    """Return the output for some rows, of which the first has this number."""
    if format_name == PARQUET:
        return list(zip(ids, predictions, strict=True))
    numbers = range(first, first + len(predictions))
    return "".join(map(WRITERS[format_name], ids, predictions, numbers))


@contextmanager
def open_output(
    path: str,
    format_name: str,
    *,
    with_ids: bool,
    int_labels: bool = False,
    shown: Callable[[str], str] = str,
) -> Iterator[Callable[[Any], None]]:
    """A function that writes parts to a file, which takes its place if the block succeeds.

    `shown` changes lines before they are written.
    """
    with open_write(path) as stream:
        if format_name == PARQUET:
            with _Table(stream, with_ids=with_ids, int_labels=int_labels) as table:
                yield table.write
            return
        stream.write(header(format_name, with_ids=with_ids).encode())

        def write(lines: str) -> None:
            stream.write(shown(lines).encode())
            stream.flush()

        yield write


class _Table:
    """Columns labels and probabilities, after a column of identifiers if there are any.

    Identifiers are integers if those of the first rows are, else strings.
    """

    def __init__(self, stream: IO[bytes], *, with_ids: bool, int_labels: bool) -> None:
        self._stream, self._with_ids = stream, with_ids
        self._int_labels, self._int_ids = int_labels, False
        self._rows: ParquetRows | None = None

    def write(self, part: list[tuple[Identifier, Prediction]]) -> None:
        rows = self._opened([identifier for identifier, _ in part])
        for identifier, prediction in part:
            labels = [label if self._int_labels else str(label) for label, _ in prediction]
            row: tuple[Any, ...] = (labels, [p for _, p in prediction])
            if self._with_ids:
                row = (self._id(identifier), *row)
            rows.add(row, 16 + 32 * len(labels))

    def _id(self, identifier: Identifier) -> str | int:
        if not self._int_ids:
            return str(identifier)
        if not isinstance(identifier, int):
            raise ValueError(
                "identifiers in Parquet must be all integers or all strings, but the first is an "
                f"integer and another is {shown_value(identifier)}; set another id_field"
            )
        return identifier

    def _opened(self, ids: list[Identifier]) -> ParquetRows:
        if self._rows is None:
            self._int_ids = bool(ids) and all(isinstance(value, int) for value in ids)
            arrow = pyarrow()
            types = {True: arrow.int64(), False: arrow.string()}
            fields = [("id", types[self._int_ids])] * self._with_ids
            fields.append(("labels", arrow.list_(types[self._int_labels])))
            fields.append(("probabilities", arrow.list_(arrow.float32())))
            self._rows = ParquetRows(self._stream, arrow.schema(fields))
        return self._rows

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, kind: Any, *others: object) -> None:
        if kind is None:
            self._opened([])
        if self._rows is not None:
            self._rows.__exit__(kind, *others)

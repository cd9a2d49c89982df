"""Texts and tags in CSV files."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from labeltree.data.fields import LABEL_FIELDS, BadRow, Columns, Fields, TextRow, strict
from labeltree.data.files import Source, file_name
from labeltree.data.limits import MAX_LINE
from labeltree.data.text import TaggedText, tried_lines

_DELIMITERS = (",", ";", "\t", "|")


def read_csv(
    path: Source,
    *,
    text_field: str = "text",
    label_field: str | Sequence[str] | None = LABEL_FIELDS,
    separator: str = ",",
    delimiter: str | None = None,
) -> Iterator[TaggedText]:
    """Iterate over the (text, tags) pairs of a CSV file whose first row names the columns.

    Quoted fields may contain delimiters and line breaks.

    Parameters
    ----------
    path
        File name (.gz and .zst are decompressed), "-" for standard input, or an open binary file.
    text_field
        Column that holds the text.
    label_field
        Column that holds the tags, or several names, of which the first that exists is used. None
        if the texts have no tags.
    separator
        Separator between the tags of a field.
    delimiter
        Character between fields. By default, it is a comma, a semicolon, a tab or a vertical bar,
        depending on the first row.

    Raises
    ------
    ValueError
        If a column is missing, a row has the wrong number of fields, or the file is not valid
        UTF-8. The message names path and line.

    Examples
    --------
    >>> import io
    >>> list(read_csv(io.BytesIO(b'text,tags\\n"green, hot tea","tea,hot"\\n')))
    [('green, hot tea', ['tea', 'hot'])]
    >>> list(read_csv(io.BytesIO(b"id;text;category\\n17;green, hot tea;tea\\n")))
    [('green, hot tea', ['tea'])]
    """
    fields = Fields.of(text_field, label_field)
    for row in strict(csv_rows(path, fields, separator=separator, delimiter=delimiter)):
        yield row.text, row.tags


def csv_rows(
    path: Source, fields: Fields, *, separator: str = ",", delimiter: str | None = None
) -> Iterator[TextRow | BadRow]:
    """Iterate over the rows of a CSV file and the errors of bad rows; see `read_csv`."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ValueError(
            "delimiter must be one character other than a quotation mark or a line break, but is "
            f"{delimiter!r}"
        )
    name = file_name(path)
    csv.field_size_limit(MAX_LINE + 1)  # 128 kB by default
    lines = _Lines(path)
    if (first := next(lines, None)) is None:
        return
    if delimiter is None:
        delimiter = _found_delimiter(first, fields)
    reader = csv.reader(chain([first], lines), strict=True, delimiter=delimiter)
    header = _next_cells(name, reader) or []
    columns = Columns.of(name, header, fields)
    row: TextRow | BadRow
    while True:
        lines.n_characters = 0
        try:
            if (cells := _next_cells(name, reader)) is None:
                return
            if not cells:
                continue
            where = f"{name}: line {reader.line_num}"
            if len(cells) != columns.n_columns:
                raise ValueError(
                    f"{where}: a row must have {columns.n_columns} fields like the first row, but "
                    f"has {len(cells)}; set delimiter if it is not {delimiter!r}"
                )
            row = columns.row(where, cells, separator)
        except ValueError as error:
            if lines.has_failed:
                raise
            row = BadRow(str(error))
        yield row


def _next_cells(name: str, reader: Any) -> list[str] | None:
    """Return the fields of the next row; None at the end. After an error, it is the row below."""
    try:
        return next(reader, None)
    except csv.Error as error:
        problem = str(error)
        if problem.startswith("new-line character"):
            problem = "a carriage return without a line feed; quote the field or convert line ends"
        raise ValueError(f"{name}: line {reader.line_num}: broken CSV: {problem}") from None


class _Lines:
    """The lines of a file; a row may span several, but not without end."""

    def __init__(self, path: Source) -> None:
        self._lines = tried_lines(path)
        self.n_characters = 0  # of the row so far
        self.has_failed = False  # whether the file itself cannot be read further

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            where, line = next(self._lines)
        except ValueError:
            self.has_failed = True
            raise
        if isinstance(line, BadRow):
            raise ValueError(line.reason)
        self.n_characters += len(line) + 1
        if self.n_characters > MAX_LINE + 1:
            raise ValueError(
                f"{where}: a row must have at most {MAX_LINE >> 20} MiB, but this one has more; "
                "close its quotation mark"
            )
        return line + "\n"


def _found_delimiter(line: str, fields: Fields) -> str:
    """Return the delimiter that separates the wanted columns, or the most columns.

    Examples
    --------
    >>> _found_delimiter("text|tags, if any", Fields()), _found_delimiter("text", Fields())
    ('|', ',')
    """
    headers = {mark: _cells(line, mark) for mark in _DELIMITERS}
    for is_header in (fields.are_named_in, lambda cells: fields.text in cells):
        named = [mark for mark, cells in headers.items() if is_header(cells)]
        if named:
            return named[0]
    return max(headers, key=lambda mark: len(headers[mark]))


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []

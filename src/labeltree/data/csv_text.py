"""Texts and tags in CSV files."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from labeltree.data.files import Source, file_name
from labeltree.data.text import TaggedText, numbered_lines, split_tags

_MAX_FIELD = 1 << 30  # the csv module refuses fields above 128 kB by default


def read_csv(
    path: Source,
    *,
    text_field: str = "text",
    label_field: str | Sequence[str] | None = "tags",
    separator: str = ",",
) -> Iterator[TaggedText]:
    """Iterate over the (text, tags) pairs of a CSV file whose first row names the columns.

    Quoted fields may contain commas and line breaks.

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
    """
    name = file_name(path)
    lines = (line + "\n" for _, line in numbered_lines(path))
    csv.field_size_limit(_MAX_FIELD)
    reader = csv.reader(lines, strict=True)
    try:
        if (header := next(reader, None)) is None:
            return
        at_text = _column(name, header, [text_field])
        wanted = [label_field] if isinstance(label_field, str) else label_field
        at_tags = None if wanted is None else _column(name, header, wanted)
        for row in reader:
            if not row:
                continue
            where = f"{name}: line {reader.line_num}"
            if len(row) != len(header):
                raise ValueError(
                    f"{where}: a row must have {len(header)} fields like the first row, but has "
                    f"{len(row)}"
                )
            listed = [] if at_tags is None else split_tags(row[at_tags], separator)
            if "" in listed:
                raise ValueError(f"{where}: tags must not be empty, but one of {listed!r} is")
            yield row[at_text], listed
    except csv.Error as error:
        raise ValueError(f"{name}: line {reader.line_num}: broken CSV: {error}") from None


def _column(name: str, header: list[str], wanted: Sequence[str]) -> int:
    for column in wanted:
        if column in header:
            return header.index(column)
    found = ", ".join(f'"{column}"' for column in header)
    raise ValueError(f'{name}: line 1: column "{wanted[0]}" is missing; columns are {found}')

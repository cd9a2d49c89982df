"""Texts with their tags in a CSV table."""

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
    """Iterate over (text, tags) of a CSV file whose first row names the columns.

    Fields may be quoted, and quoted ones may hold commas and line breaks.

    Parameters
    ----------
    path
        File name (.gz and .zst are unpacked), "-" for standard input, or an open binary file.
    text_field
        Column that holds the text.
    label_field
        Column that holds the tags, or names of which the first that is there counts; None if the
        texts have no tags.
    separator
        What stands between two tags of a field.

    Raises
    ------
    ValueError
        With path and line, for a missing column, a row of another length or broken UTF-8.

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
        header = next(reader, None)
        if header is None:
            return
        at_text = _column(name, header, [text_field])
        wanted = [label_field] if isinstance(label_field, str) else label_field
        at_tags = None if wanted is None else _column(name, header, wanted)
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise ValueError(
                    f"{name}: line {reader.line_num}: a row must have {len(header)} fields as the "
                    f"first one has, but has {len(row)}"
                )
            listed = [] if at_tags is None else split_tags(row[at_tags], separator)
            if "" in listed:
                where = f"{name}: line {reader.line_num}"
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

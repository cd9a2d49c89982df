"""Texts and tags, one pair per line: JSONL and TSV."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from labeltree.data.fields import (
    LABEL_FIELDS,
    BadRow,
    Columns,
    Fields,
    TextRow,
    checked_tags,
    listed_names,
    split_tags,
    strict,
)
from labeltree.data.files import Source, file_name, open_read, open_write, raw_lines
from labeltree.data.json_text import parsed_json
from labeltree.data.limits import MAX_LINE

TaggedText = tuple[str, list[str]]


def read_jsonl(
    path: Source,
    *,
    text_field: str = "text",
    label_field: str | Sequence[str] | None = LABEL_FIELDS,
) -> Iterator[TaggedText]:
    """Iterate over the (text, tags) pairs of a file with one JSON object per line.

    Empty lines are skipped.

    Parameters
    ----------
    path
        File name (.gz and .zst are decompressed), "-" for standard input, or an open binary file.
    text_field
        Field that holds the text.
    label_field
        Field that holds the tags: a list of strings or integers, or one of them. With several
        names, the first one that exists is used. None if the texts have no tags.

    Raises
    ------
    ValueError
        If a line is not valid JSON or UTF-8, or if a field is missing or has the wrong type. The
        message names path and line.

    Examples
    --------
    >>> import io
    >>> list(read_jsonl(io.BytesIO(b'{"text": "green tea", "tags": ["tea"]}')))
    [('green tea', ['tea'])]
    """
    for row in jsonl_rows(path, Fields.of(text_field, label_field)):
        yield row.text, row.tags


def jsonl_rows(path: Source, fields: Fields) -> Iterator[TextRow]:
    """Iterate over the texts, tags and identifiers of a file with one JSON object per line."""
    for where, line in numbered_lines(path):
        if line.strip():
            yield json_row(where, json_object(where, line), fields)


def json_row(where: str, found: dict[str, Any], fields: Fields) -> TextRow:
    """Return the text, tags and identifier of a JSON object."""
    content = _field(where, found, fields.text, "text_field")
    if not isinstance(content, str):
        raise ValueError(
            f'{where}: field "{fields.text}" must be a string, but is '
            f"{_json_kind(content)}; set text_field"
        )
    tags = _json_tags(where, found, fields.labels) if fields.with_labels else []
    return TextRow(content, tags, _json_id(where, found, fields.id))


def write_jsonl(
    path: Source,
    rows: Iterable[tuple[str, Iterable[str]]],
    *,
    text_field: str = "text",
    label_field: str = "tags",
) -> None:
    """Write (text, tags) pairs as one JSON object per line.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_jsonl(file, [("green tea", ["tea"])])
    >>> file.getvalue()
    b'{"text": "green tea", "tags": ["tea"]}\\n'
    """
    with open_write(path) as stream:
        for i, row in enumerate(rows):
            content, row_tags = checked_row(i, row)
            line = json.dumps({text_field: content, label_field: row_tags}, ensure_ascii=False)
            stream.write(encoded(i, line) + b"\n")


def read_tsv(
    path: Source,
    *,
    separator: str = ",",
    tags_first: bool = False,
    header: bool | None = None,
    text_field: str = "text",
    label_field: str | Sequence[str] | None = LABEL_FIELDS,
) -> Iterator[TaggedText]:
    """Iterate over the (text, tags) pairs of a file with lines ``text<TAB>tag1,tag2``.

    There is no quoting or escaping. Whitespace around a tag is removed. The tag side of the tab is
    empty for a row without tags. If the first line names the fields, lines have as many fields as
    that line, in its order; otherwise, every line has exactly one tab.

    Parameters
    ----------
    path
        File name (.gz and .zst are decompressed), "-" for standard input, or an open binary file.
    separator
        Separator between tags.
    tags_first
        Whether lines are ``tag1,tag2<TAB>text`` instead, in a file without a header.
    header
        Whether the first line names the fields. By default, it does if it has both `text_field`
        and `label_field`.
    text_field, label_field
        Fields that hold the text and the tags in a file with a header, as in `read_csv`.

    Raises
    ------
    ValueError
        If a line has the wrong number of tabs, has an empty tag, or is not valid UTF-8. The message
        names path and line.

    Examples
    --------
    >>> import io
    >>> list(read_tsv(io.BytesIO(b"green tea\\ttea, green\\nwater\\t\\n")))
    [('green tea', ['tea', 'green']), ('water', [])]
    >>> list(read_tsv(io.BytesIO(b"id\\tlabel\\ttext\\n17\\ttea\\tgreen tea\\n")))
    [('green tea', ['tea'])]
    """
    fields = Fields.of(text_field, label_field)
    rows = tsv_rows(path, fields, separator=separator, tags_first=tags_first, header=header)
    for row in strict(rows):
        yield row.text, row.tags


def tsv_rows(
    path: Source,
    fields: Fields,
    *,
    separator: str = ",",
    tags_first: bool = False,
    header: bool | None = None,
) -> Iterator[TextRow | BadRow]:
    """Iterate over the rows of a TSV file and the errors of bad rows; see `read_tsv`."""
    _check_separator(separator)
    columns = None
    for number, (where, line) in enumerate(tried_lines(path)):
        if isinstance(line, BadRow):
            yield line
            continue
        cells = line.split("\t")
        if number == 0 and (fields.are_named_in(cells) if header is None else header):
            columns = Columns.of(file_name(path), cells, fields)
            continue
        row: TextRow | BadRow
        try:
            if columns is None:
                row = _two_cells(where, cells, fields, separator, tags_first=tags_first)
            else:
                row = _row_like_header(where, cells, columns, separator)
        except ValueError as error:
            row = BadRow(str(error))
        yield row


def _row_like_header(where: str, cells: list[str], columns: Columns, separator: str) -> TextRow:
    if len(cells) != columns.n_columns:
        raise ValueError(
            f"{where}: a line must have {columns.n_columns} fields like the first line, but has "
            f"{len(cells)}"
        )
    return columns.row(where, cells, separator)


def _two_cells(
    where: str, cells: list[str], fields: Fields, separator: str, *, tags_first: bool
) -> TextRow:
    """Return the row of a line without a header, which may lack the tags if none are wanted."""
    if fields.id is not None:
        raise ValueError(
            f"{where}: identifiers need a first line that names the fields, but it is {cells!r}; "
            "set header if it does"
        )
    if len(cells) == 1 and not fields.with_labels:
        return TextRow(cells[0], [])
    if len(cells) != 2:
        raise ValueError(
            f"{where}: a line must have one tab, but has {len(cells) - 1}; set header if the first "
            "line names the fields, or use read_csv for other delimiters"
        )
    listed, content = cells if tags_first else reversed(cells)
    return TextRow(content, checked_tags(where, listed, separator) if fields.with_labels else [])


def write_tsv(
    path: Source,
    rows: Iterable[tuple[str, Iterable[str]]],
    *,
    separator: str = ",",
    tags_first: bool = False,
) -> None:
    """Write (text, tags) pairs as lines that `read_tsv` reads back.

    Raises
    ------
    ValueError
        If a text or tag contains a tab or line break, a tag contains the separator or has
        whitespace around it, or the first line would be read as a header. TSV cannot represent
        these; use `write_jsonl` instead.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_tsv(file, [("green tea", ["tea", "green"])])
    >>> file.getvalue()
    b'green tea\\ttea,green\\n'
    """
    _check_separator(separator)
    with open_write(path) as stream:
        for i, row in enumerate(rows):
            content, row_tags = checked_row(i, row)
            for part in (content, *row_tags):
                if any(mark in part for mark in "\t\n\r\ufeff"):
                    raise ValueError(
                        f"row {i}: TSV cannot represent a tab, line break or byte order mark, "
                        f"but {part!r} has one; use write_jsonl"
                    )
            listed = separator.join(row_tags)
            if "" in row_tags or split_tags(listed, separator) != row_tags:
                raise ValueError(
                    f"row {i}: TSV cannot represent the tags {row_tags!r}, since one is empty, "
                    f"contains {separator!r} or has whitespace around it; use write_jsonl"
                )
            if i == 0 and Fields().are_named_in([content, listed]):
                raise ValueError(
                    f"row 0: the text {content!r} with the tag {listed!r} would be read as the "
                    "header of a TSV file; use write_jsonl"
                )
            line = f"{listed}\t{content}" if tags_first else f"{content}\t{listed}"
            stream.write(encoded(i, line) + b"\n")


def numbered_lines(path: Source) -> Iterator[tuple[str, str]]:
    """Yield the position of each line, such as "path: line 17", and the line itself."""
    for where, line in tried_lines(path):
        if isinstance(line, BadRow):
            raise ValueError(line.reason)
        yield where, line


def tried_lines(path: Source) -> Iterator[tuple[str, str | BadRow]]:
    """Yield the position of each line, and the line or the error of a bad one."""
    name = file_name(path)
    with open_read(path) as stream:
        for number, raw in enumerate(raw_lines(stream), start=1):
            where = f"{name}: line {number}"
            line: str | BadRow
            try:
                line = decoded_line(where, raw, is_first=number == 1)
            except ValueError as error:
                line = BadRow(str(error))
            yield where, line


def decoded_line(where: str, line: bytes, *, is_first: bool) -> str:
    """Return a line without its end; the first line may begin with a byte order mark."""
    if len(line) > MAX_LINE and not line.endswith(b"\n"):
        raise ValueError(
            f"{where}: a line must have at most {MAX_LINE >> 20} MiB, but this one has more; split "
            "it"
        )
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return line.decode("utf-8-sig" if is_first else "utf-8")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{line[error.start]:02x} at position {error.start}"
        raise ValueError(f"{where}: not UTF-8: {byte}; convert the file to UTF-8") from None


def json_object(where: str, line: str) -> dict[str, Any]:
    """Return the JSON object of a line."""
    try:
        fields = parsed_json(line)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if not isinstance(fields, dict):
        raise ValueError(
            f"{where}: expected a JSON object, but found {_json_kind(fields)}; write one object "
            "per line"
        )
    return fields


def _field(where: str, fields: dict[str, Any], name: str, parameter: str) -> Any:
    if name not in fields:
        found = listed_names(fields) or "none"
        remedy = f"; set {parameter} to one of them" * bool(fields)
        raise ValueError(f'{where}: field "{name}" is missing; fields are {found}{remedy}')
    return fields[name]


def _json_id(where: str, fields: dict[str, Any], name: str | None) -> str | int | None:
    if name is None:
        return None
    value = _field(where, fields, name, "id_field")
    if not _is_name(value):
        raise ValueError(
            f'{where}: field "{name}" must be a string or an integer, but is {_json_kind(value)}'
        )
    return value  # type: ignore[no-any-return]  # checked above


def _json_tags(where: str, fields: dict[str, Any], names: Sequence[str]) -> list[str]:
    name = next((name for name in names if name in fields), names[0])
    tags = _field(where, fields, name, "label_field")
    if _is_name(tags):
        return [str(tags)]
    if not isinstance(tags, list):
        raise ValueError(
            f'{where}: field "{name}" must be a string, an integer or a list of them, '
            f"but is {_json_kind(tags)}; set label_field"
        )
    for tag in tags:
        if not _is_name(tag):
            raise ValueError(
                f'{where}: field "{name}" must hold strings or integers, but holds '
                f"{_json_kind(tag)}"
            )
    return [str(tag) for tag in tags]


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _json_kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")


def _check_separator(separator: str) -> None:
    if not separator or any(mark in separator for mark in "\t\n\r"):
        raise ValueError(
            f"separator must be nonempty, without tabs or line breaks, but is {separator!r}"
        )


def checked_row(i: int, row: tuple[str, Iterable[str]]) -> TaggedText:
    """Return row i of an output file, whose text and tags must be strings."""
    content, tags = row
    tags = [tags] if isinstance(tags, str) else list(tags)
    for part in (content, *tags):
        if not isinstance(part, str):
            raise TypeError(
                f"row {i}: text and tags must be strings, but one is {type(part).__name__}"
            )
    return content, tags


def encoded(i: int, text: str) -> bytes:
    """Return the bytes of a text in row i of an output file."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"row {i}: cannot be written as UTF-8: {error.reason}") from None

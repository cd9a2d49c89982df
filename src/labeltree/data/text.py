"""Texts and tags, one pair per line: JSONL and TSV."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from labeltree.data.files import Source, file_name, open_read, open_write

TaggedText = tuple[str, list[str]]


def read_jsonl(
    path: Source, *, text_field: str = "text", label_field: str | Sequence[str] | None = "tags"
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
        Field that holds the tags: a list of strings, or one string. With several names, the first
        one that exists is used. None if the texts have no tags.

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
    names = [label_field] if isinstance(label_field, str) else label_field
    for where, line in numbered_lines(path):
        if line.strip():
            fields = _json_object(where, line)
            content = _field(where, fields, text_field)
            if not isinstance(content, str):
                raise ValueError(
                    f'{where}: field "{text_field}" must be a string, but is {_json_kind(content)}'
                )
            yield content, [] if names is None else _json_tags(where, fields, names)


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
            content, row_tags = _checked(i, row)
            line = json.dumps({text_field: content, label_field: row_tags}, ensure_ascii=False)
            stream.write(_encoded(i, line))


def read_tsv(
    path: Source, *, separator: str = ",", tags_first: bool = False
) -> Iterator[TaggedText]:
    """Iterate over the (text, tags) pairs of a file with lines ``text<TAB>tag1,tag2``.

    Every line has exactly one tab. There is no quoting or escaping. Whitespace around a tag is
    removed. The tag side of the tab is empty for a row without tags.

    Parameters
    ----------
    path
        File name (.gz and .zst are decompressed), "-" for standard input, or an open binary file.
    separator
        Separator between tags.
    tags_first
        Whether lines are ``tag1,tag2<TAB>text`` instead.

    Raises
    ------
    ValueError
        If a line does not have exactly one tab, has an empty tag, or is not valid UTF-8. The
        message names path and line.

    Examples
    --------
    >>> import io
    >>> list(read_tsv(io.BytesIO(b"green tea\\ttea, green\\nwater\\t\\n")))
    [('green tea', ['tea', 'green']), ('water', [])]
    """
    _check_separator(separator)
    for where, line in numbered_lines(path):
        n_tabs = line.count("\t")
        if n_tabs != 1:
            raise ValueError(f"{where}: a line must have one tab, but has {n_tabs}")
        content, listed = line.split("\t")
        if tags_first:
            content, listed = listed, content
        row_tags = split_tags(listed, separator)
        if "" in row_tags:
            raise ValueError(f"{where}: tags must not be empty, but one of {listed!r} is")
        yield content, row_tags


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
        If a text or tag contains a tab or line break, or a tag contains the separator or has
        whitespace around it. TSV cannot represent these; use `write_jsonl` instead.

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
            content, row_tags = _checked(i, row)
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
            line = f"{listed}\t{content}" if tags_first else f"{content}\t{listed}"
            stream.write(_encoded(i, line))


def numbered_lines(path: Source) -> Iterator[tuple[str, str]]:
    """Yield the position of each line, such as "path: line 17", and the line itself."""
    name = file_name(path)
    with open_read(path) as stream:
        for number, line in enumerate(stream, start=1):
            where = f"{name}: line {number}"
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            try:
                yield where, line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                byte = f"byte 0x{line[error.start]:02x} at position {error.start}"
                raise ValueError(f"{where}: not UTF-8: {byte}; convert the file to UTF-8") from None


def _json_object(where: str, line: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
        if "\\u" in line:
            json.dumps(fields, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError(f"{where}: broken JSON: half of a surrogate pair") from None
    except json.JSONDecodeError as error:  # its own message always says line 1
        raise ValueError(f"{where}: broken JSON: {error.msg} at character {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: broken JSON: {error}") from None
    if not isinstance(fields, dict):
        raise ValueError(f"{where}: expected a JSON object, but found {_json_kind(fields)}")
    return fields


def _field(where: str, fields: dict[str, Any], name: str) -> Any:
    if name not in fields:
        found = ", ".join(f'"{field}"' for field in fields) or "none"
        raise ValueError(f'{where}: field "{name}" is missing; fields are {found}')
    return fields[name]


def _json_tags(where: str, fields: dict[str, Any], names: Sequence[str]) -> list[str]:
    name = next((name for name in names if name in fields), names[0])
    tags = _field(where, fields, name)
    if isinstance(tags, str):
        return [tags]
    if not isinstance(tags, list):
        raise ValueError(
            f'{where}: field "{name}" must be a string or a list of strings, '
            f"but is {_json_kind(tags)}"
        )
    for tag in tags:
        if not isinstance(tag, str):
            raise ValueError(
                f'{where}: field "{name}" must hold strings, but holds {_json_kind(tag)}'
            )
    return tags


def _json_kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")


def split_tags(listed: str, separator: str) -> list[str]:
    """Return the tags of a field, without whitespace around them."""
    return [tag.strip() for tag in listed.split(separator)] if listed.strip() else []


def _check_separator(separator: str) -> None:
    if not separator or any(mark in separator for mark in "\t\n\r"):
        raise ValueError(
            f"separator must be nonempty, without tabs or line breaks, but is {separator!r}"
        )


def _checked(i: int, row: tuple[str, Iterable[str]]) -> TaggedText:
    content, tags = row
    tags = [tags] if isinstance(tags, str) else list(tags)
    for part in (content, *tags):
        if not isinstance(part, str):
            raise TypeError(
                f"row {i}: text and tags must be strings, but one is {type(part).__name__}"
            )
    return content, tags


def _encoded(i: int, line: str) -> bytes:
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError as error:
        raise ValueError(f"row {i}: cannot be written as UTF-8: {error.reason}") from None

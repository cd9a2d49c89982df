"""Texts and tags in Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from labeltree.data.arrow_arrays import pyarrow
from labeltree.data.fields import LABEL_FIELDS, BadRow, Fields, TextRow, strict
from labeltree.data.files import PACKED, Source, file_name, open_read, open_write
from labeltree.data.limits import (
    MAX_EMPTY,
    MAX_RATIO,
    MAX_SPARSITY,
    MAX_UNPACKED,
    max_unpacked,
)
from labeltree.data.parquet_pages import RowGroup, page_sizes, row_groups
from labeltree.data.tables import BATCH_ROWS, TableColumns
from labeltree.data.text import TaggedText, checked_row, encoded

_BUFFER = 1 << 20  # bytes that are read at once
_GROUP_ROWS = 1 << 16
_GROUP_BYTES = 32 << 20


def read_parquet(
    path: Source,
    *,
    text_field: str = "text",
    label_field: str | Sequence[str] | None = LABEL_FIELDS,
) -> Iterator[TaggedText]:
    """Iterate over the (text, tags) pairs of a Parquet file, a few thousand rows at a time.

    Parameters
    ----------
    path
        File name, or an open binary file that can seek. Needs ``pip install "labeltree[arrow]"``.
    text_field, label_field
        Columns that hold the text and the tags, as in `read_table`.

    Raises
    ------
    ValueError
        If the file is damaged, a column is missing or has the wrong type, or a text is null or not
        valid UTF-8. The message names path and row.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_parquet(file, [("green tea", ["tea"])])
    >>> list(read_parquet(file))
    [('green tea', ['tea'])]
    """
    for row in strict(parquet_rows(path, Fields.of(text_field, label_field))):
        yield row.text, row.tags


def parquet_rows(path: Source, fields: Fields) -> Iterator[TextRow | BadRow]:
    """Iterate over the rows of a Parquet file and the errors of bad rows; see `read_parquet`."""
    name = file_name(path)
    with open_seekable(path) as stream:
        schema = parquet_schema(name, stream)
        columns = TableColumns.of(name, schema.names, schema.types, fields)
        yield from columns.rows(batches_of(name, stream, columns.names))


def parquet_schema(name: str, stream: IO[bytes]) -> Any:
    """Return the names and types of the columns of a Parquet file."""
    with translated_errors(name):
        return _parquet(stream).schema_arrow


@contextmanager
def open_seekable(source: Source) -> Iterator[IO[bytes]]:
    """The bytes of a Parquet file, which is read from its end."""
    if isinstance(source, str | Path) and Path(source).suffix in PACKED:
        raise ValueError(f"{source}: Parquet files are compressed inside; unpack it first")
    with open_read(source) as stream:
        if not stream.seekable():
            raise ValueError(
                f"{file_name(source)}: Parquet is read from its end, so it cannot be a pipe; write "
                "it to a file first"
            )
        yield stream


@contextmanager
def translated_errors(name: str) -> Iterator[None]:
    """Raise ValueError with the name of the file where pyarrow finds damage."""
    arrow = pyarrow()
    try:
        yield
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{name}: not a Parquet file, or damaged: {reason:.100}") from error
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name}: not a Parquet file, or damaged: the name of a column is not UTF-8"
        ) from error


def batches_of(name: str, stream: IO[bytes], columns: Sequence[str]) -> Iterator[Any]:
    """Iterate over record batches with some columns, whose strings are in dictionaries.

    A few bytes of a file can stand for many equal strings, which are not all in memory at once.
    """
    with translated_errors(name):
        schema = _parquet(stream).schema
        leaves = [schema.column(i) for i in range(len(schema))]
        wanted = [i for i, leaf in enumerate(leaves) if _is_below(leaf.path, columns)]
        texts = [leaves[i].path for i in wanted if leaves[i].physical_type == "BYTE_ARRAY"]
        file = _parquet(stream, read_dictionary=texts)
    for number, group in enumerate(_groups(name, stream)):
        _check_sizes(name, stream, group, wanted)
        # Batches end with their row group, because lists of strings have one dictionary each.
        with translated_errors(name):
            batches = file.iter_batches(
                BATCH_ROWS, row_groups=[number], columns=list(columns), use_threads=False
            )
        while (batch := _next_batch(name, batches)) is not None:
            yield batch


def _groups(name: str, stream: IO[bytes]) -> list[RowGroup]:
    try:
        return row_groups(stream)
    except ValueError as error:
        raise ValueError(f"{name}: not a Parquet file, or damaged: {error}") from None


def _next_batch(name: str, batches: Iterator[Any]) -> Any:
    with translated_errors(name):
        return next(batches, None)


def _parquet(stream: IO[bytes], **options: Any) -> Any:
    pyarrow()
    from pyarrow import parquet

    # Without a buffer, a whole row group is read at once.
    return parquet.ParquetFile(stream, buffer_size=_BUFFER, pre_buffer=False, **options)


def _is_below(path: str, columns: Sequence[str]) -> bool:
    """Return whether a leaf of the schema belongs to a column.

    Examples
    --------
    >>> _is_below("tags.list.element", ["tags"]), _is_below("tagset", ["tags"])
    (True, False)
    """
    return any(path == name or path.startswith(f"{name}.") for name in columns)


def _check_sizes(name: str, stream: IO[bytes], group: RowGroup, columns: Sequence[int]) -> None:
    """Refuse a row group that takes far more memory than it has bytes."""
    for column in columns:
        try:
            chunk = group.chunks[column]
            n_bytes, n_values = page_sizes(stream, chunk)
        except (ValueError, IndexError) as error:
            raise ValueError(f"{name}: not a Parquet file, or damaged: {error}") from None
        packed = chunk.n_bytes
        max_values = group.n_rows + max(MAX_EMPTY, MAX_SPARSITY * packed)
        if n_values > max_values:
            raise ValueError(
                f"{name}: a column of {packed} bytes may have at most {max_values} values in a row "
                f"group, but has {n_values}; write smaller row groups"
            )
        if n_bytes > max_unpacked(packed):
            raise ValueError(
                f"{name}: a column of a row group must unpack to at most {MAX_UNPACKED >> 20} MiB "
                f"or {MAX_RATIO} times its size, but one unpacks to {n_bytes >> 20} MiB; write "
                "smaller row groups"
            )


def write_parquet(
    path: Source,
    rows: Iterable[tuple[str, Iterable[str]]],
    *,
    text_field: str = "text",
    label_field: str = "tags",
) -> None:
    """Write (text, tags) pairs as a Parquet file with a column of strings and one of lists.

    Needs ``pip install "labeltree[arrow]"``.

    Examples
    --------
    >>> import io
    >>> import pyarrow.parquet
    >>> file = io.BytesIO()
    >>> write_parquet(file, [("green tea", ["tea"])])
    >>> pyarrow.parquet.read_table(file).to_pylist()
    [{'text': 'green tea', 'tags': ['tea']}]
    """
    arrow = pyarrow()
    tags = arrow.list_(arrow.string())
    schema = arrow.schema([(text_field, arrow.string()), (label_field, tags)])
    with open_write(path) as stream, ParquetRows(stream, schema) as target:
        for i, row in enumerate(rows):
            content, row_tags = checked_row(i, row)
            n_bytes = sum(len(encoded(i, part)) for part in (content, *row_tags))
            target.add((content, row_tags), n_bytes)


class ParquetRows:
    """A Parquet file that rows are added to; a row group is written as soon as it is large."""

    def __init__(self, stream: IO[bytes], schema: Any) -> None:
        pyarrow()
        from pyarrow import parquet

        self._schema = schema
        self._writer = parquet.ParquetWriter(stream, schema, compression="zstd")
        self._rows: list[tuple[Any, ...]] = []
        self._n_bytes = 0

    def add(self, row: tuple[Any, ...], n_bytes: int) -> None:
        """Add a row of about this number of bytes."""
        self._rows.append(row)
        self._n_bytes += n_bytes
        if len(self._rows) >= _GROUP_ROWS or self._n_bytes >= _GROUP_BYTES:
            self._write_group()

    def _write_group(self) -> None:
        arrow = pyarrow()
        columns = zip(*self._rows, strict=True)
        arrays = [
            arrow.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(arrow.Table.from_arrays(arrays, schema=self._schema))
        self._rows, self._n_bytes = [], 0

    def __enter__(self) -> ParquetRows:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None and self._rows:
            self._write_group()
        self._writer.close()

"""Sizes that a Parquet file states, for limits on what pyarrow allocates.

pyarrow takes the memory that the header of a page asks for, whatever the metadata at the end of the
file states, and its objects for metadata end the process if that is damaged. Both are structures of
Thrift's compact protocol.
"""

from __future__ import annotations

import os
from typing import IO, Any, NamedTuple

_FIRST_READ = 1 << 10  # bytes of a header, which may hold long statistics
_MAX_HEADER = 16 << 20
_MAX_DEPTH = 16
_TAIL = 8  # bytes after the metadata: its length, and PAR1

# Types of Thrift's compact protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)

# Fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData.
_ROW_GROUPS, _COLUMNS, _N_ROWS, _METADATA = 4, 1, 3, 3
_CHUNK_BYTES, _DATA_PAGE, _DICTIONARY_PAGE = 7, 9, 11
# Fields of PageHeader.
_UNPACKED, _PACKED = 2, 3
_KINDS = (5, 7, 8)  # data page, dictionary page, data page of version 2
_N_VALUES = 1  # a field of each of them


class Chunk(NamedTuple):
    """Where the pages of a column in a row group are."""

    start: int
    n_bytes: int


class RowGroup(NamedTuple):
    """A row group, with the chunks of all columns in the order of the schema."""

    n_rows: int
    chunks: list[Chunk]


class PageSizes(NamedTuple):
    """What the pages of a column in a row group take."""

    n_bytes: int  # unpacked
    n_values: int


def row_groups(stream: IO[bytes]) -> list[RowGroup]:
    """Return the row groups of a Parquet file.

    Raises
    ------
    ValueError
        If the metadata is damaged.
    """
    end = stream.seek(0, os.SEEK_END) - _TAIL
    stream.seek(max(end, 0))
    length = int.from_bytes(stream.read(4), "little")
    if not 0 < length <= end:
        raise ValueError("its metadata lies outside the file")
    stream.seek(end - length)
    try:
        metadata = _Reader(stream.read(length)).struct(0)
        return [_row_group(group) for group in _list(metadata, _ROW_GROUPS)]
    except IndexError:
        raise ValueError("its metadata is cut off") from None


def _row_group(group: Any) -> RowGroup:
    chunks = []
    for column in _list(group, _COLUMNS):
        found = column.get(_METADATA) if isinstance(column, dict) else None
        start = _integer(found, _DATA_PAGE)
        if isinstance(found, dict) and found.get(_DICTIONARY_PAGE):
            start = min(start, _integer(found, _DICTIONARY_PAGE))
        chunks.append(Chunk(start, _integer(found, _CHUNK_BYTES)))
    return RowGroup(_integer(group, _N_ROWS), chunks)


def page_sizes(stream: IO[bytes], chunk: Chunk) -> PageSizes:
    """Return the sizes that the headers of the pages of a chunk state.

    Raises
    ------
    ValueError
        If a header is damaged.
    """
    at, end = chunk.start, chunk.start + chunk.n_bytes
    n_bytes = n_values = 0
    while at < end:
        header, length = _read_header(stream, at)
        packed, unpacked = (_integer(header, field) for field in (_PACKED, _UNPACKED))
        n_bytes += unpacked
        n_values += sum(_integer(header[kind], _N_VALUES) for kind in _KINDS if kind in header)
        at += length + packed
    return PageSizes(n_bytes, n_values)


def _list(struct: Any, field: int) -> list[Any]:
    value = struct.get(field) if isinstance(struct, dict) else None
    if not isinstance(value, list):
        raise ValueError("its metadata lacks a list")
    return value


def _integer(struct: Any, field: int) -> int:
    value = struct.get(field) if isinstance(struct, dict) else None
    if not isinstance(value, int) or value < 0:
        raise ValueError("its metadata lacks a number")
    return value


def _read_header(stream: IO[bytes], at: int) -> tuple[dict[int, Any], int]:
    """Return the fields of the header at a position, and its length."""
    n_bytes = _FIRST_READ
    while True:
        stream.seek(at)
        content = stream.read(n_bytes)
        try:
            reader = _Reader(content)
            return reader.struct(0), reader.at
        except IndexError:
            if len(content) < n_bytes or n_bytes >= _MAX_HEADER:
                raise ValueError("the header of a page is cut off") from None
            n_bytes *= 16


class _Reader:
    """Values of Thrift's compact protocol, from a position on."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def struct(self, depth: int) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        field = 0
        while byte := self._byte():
            field = field + (byte >> 4) if byte >> 4 else self._zigzag()
            fields[field] = self._value(byte & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise ValueError("its metadata is nested too deeply")
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in _INTEGERS:
            return self._zigzag()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            return self._list(depth)
        lengths = {_BYTE: 1, _DOUBLE: 8}
        return self._skip(self._varint() if kind == _BINARY else lengths.get(kind, -1))

    def _list(self, depth: int) -> list[Any]:
        byte = self._byte()
        length, kind = byte >> 4, byte & 15
        if length == 15:
            length = self._varint()
        if kind in (_TRUE, _FALSE):
            return [self._byte() for _ in range(length)]
        return [self._value(kind, depth + 1) for _ in range(length)]

    def _byte(self) -> int:
        byte = self.content[self.at]
        self.at += 1
        return byte

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("its metadata has a number of too many bytes")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, n_bytes: int) -> None:
        if n_bytes < 0:
            raise ValueError("its metadata has a field of an unknown type")
        self.at += n_bytes
        if self.at > len(self.content):
            raise IndexError

"""Arrays of Arrow as values of Python, and the types that texts and tags may have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from labeltree.data.compressed import pointers
from labeltree.data.limits import MAX_LINE
from labeltree.extras import optional


def pyarrow() -> Any:
    """Return the package pyarrow.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    return optional("pyarrow", "tables and Parquet files need", "arrow")


def values(column: Any) -> list[Any]:
    """Return the values of an Arrow array as strings, integers, lists of them, or None.

    Strings that are not valid UTF-8 stay bytes.
    """
    types = pyarrow().types
    if is_list(column.type):
        lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        flat, ends = values(column.flatten()), pointers(lengths).tolist()
        found: list[Any] = [flat[begin:end] for begin, end in pairwise(ends)]
        for i in _nulls(column):
            found[i] = None
        return found
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_integer(column.type) or types.is_null(column.type):
        return list(column.to_pylist())
    return _strings(column)


def _nulls(column: Any) -> list[int]:
    if not column.null_count:
        return []
    return list(column.is_null().to_numpy(zero_copy_only=False).nonzero()[0].tolist())


def _strings(column: Any) -> list[Any]:
    arrow = pyarrow()
    try:
        return list(column.cast(arrow.large_string()).to_numpy(zero_copy_only=False).tolist())
    except (UnicodeDecodeError, arrow.ArrowException):
        return [_decoded(raw) for raw in column.cast(arrow.large_binary()).to_pylist()]


def _decoded(raw: bytes | None) -> str | bytes | None:
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError:
        return raw


def bounded_parts(batch: Any) -> Iterator[Any]:
    """Split a batch whose strings take more than a row may.

    Few bytes of a dictionary can stand for many long strings.
    """
    if batch.num_rows > 1 and n_string_bytes(batch) > MAX_LINE:
        half = batch.num_rows // 2
        yield from bounded_parts(batch.slice(0, half))
        yield from bounded_parts(batch.slice(half))
    else:
        yield batch


def n_string_bytes(batch: Any) -> int:
    """Return the number of bytes of all strings of a batch."""
    return sum(_string_bytes(column) for column in batch.columns)


def _string_bytes(column: Any) -> int:
    """Return the number of bytes of the strings of an array, with those of repeated ones."""
    types = pyarrow().types
    if is_list(column.type):
        return _string_bytes(column.flatten())
    if types.is_dictionary(column.type):
        if not is_text(column.type.value_type):
            return 4 * len(column)
        lengths = _lengths(column.dictionary)
        used = column.indices.drop_null()
        return int(lengths.take(used).to_numpy(zero_copy_only=False).sum()) + 4 * len(column)
    if not is_text(column.type):
        return 8 * len(column)
    return int(_lengths(column).to_numpy(zero_copy_only=False).sum())


def _lengths(column: Any) -> Any:
    import pyarrow.compute as pc

    arrow = pyarrow()
    return pc.binary_length(column.cast(arrow.large_binary())).fill_null(0)


def is_list(kind: Any) -> bool:
    """Return whether a type is that of lists."""
    types = pyarrow().types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def is_text(kind: Any) -> bool:
    """Return whether a type is that of strings, or of bytes that may be UTF-8."""
    types = pyarrow().types
    if types.is_dictionary(kind):
        return is_text(kind.value_type)
    tests = (types.is_string, types.is_large_string, types.is_string_view)
    bytes_tests = (types.is_binary, types.is_large_binary, types.is_binary_view)
    return any(test(kind) for test in (*tests, *bytes_tests))


def is_name(kind: Any) -> bool:
    """Return whether a type is that of strings or integers."""
    types = pyarrow().types
    if types.is_dictionary(kind):
        return is_name(kind.value_type)
    return bool(is_text(kind) or types.is_integer(kind))


def is_labels(kind: Any) -> bool:
    """Return whether a type is that of one tag per row, or of lists of tags."""
    return is_name(kind.value_type if is_list(kind) else kind) or bool(
        pyarrow().types.is_null(kind)
    )

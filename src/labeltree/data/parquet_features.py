"""Numeric features and labels in Parquet files, as lists of numbers and of their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.data.arrow_arrays import is_list, pyarrow, values
from labeltree.data.compressed import MAX_COLUMNS, pointers, row_of
from labeltree.data.features import FeatureMatrix, as_features
from labeltree.data.fields import LABEL_FIELDS, listed_names
from labeltree.data.files import Source, file_name, open_write
from labeltree.data.labels import MAX_LABELS, LabelRows, as_labels
from labeltree.data.limits import check_size
from labeltree.data.parquet import ParquetRows, batches_of, open_seekable, parquet_schema
from labeltree.data.tables import as_tags

#: Columns of feature numbers and of their values.
INDICES, VALUES = _PARTS = "indices", "values"
# Keys of the metadata of a file, for sizes beyond the largest numbers in it.
_N_FEATURES, _N_LABELS = b"labeltree.n_features", b"labeltree.n_labels"


def read_parquet_features(
    path: Source,
    *,
    label_field: str | Sequence[str] = LABEL_FIELDS,
    n_features: int | None = None,
    n_labels: int | None = None,
) -> tuple[FeatureMatrix, LabelRows | None]:
    """Return features and labels from the columns indices, values and labels of a Parquet file.

    Parameters
    ----------
    path
        File name, or an open binary file that can seek. Needs ``pip install "labeltree[arrow]"``.
    label_field
        Column of lists of label numbers, counted from 0, or of lists of names. With several names,
        the first one that exists is used; without any, there are no labels.
    n_features, n_labels
        Sizes; None for those of `write_parquet_features`, or else one more than the largest number.

    Raises
    ------
    ValueError
        If the file is damaged, a column has the wrong type, or a number is out of bounds. The
        message names path and row.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_parquet_features(file, [[0, 2.5], [1, 0]], [[0], [0, 1]])
    >>> X, rows = read_parquet_features(file)
    >>> X.toarray().tolist(), rows.counts.tolist()
    ([[0.0, 2.5], [1.0, 0.0]], [2, 1])
    """
    with _opened(path, label_field) as (name, stream, columns, stated):
        batches = list(batches_of(name, stream, columns))
    n_features = n_features or stated.n_features
    X = _features(name, batches, n_features)
    if len(columns) == len(_PARTS):
        return X, None
    return X, _labels(name, batches, columns[-1], n_labels or stated.n_labels)


def parquet_feature_parts(
    path: Source, *, label_field: str | Sequence[str] = LABEL_FIELDS, n_features: int | None = None
) -> Iterator[tuple[FeatureMatrix, LabelRows | None]]:
    """Iterate over what `read_parquet_features` returns, a few thousand rows at a time."""
    with _opened(path, label_field) as (name, stream, columns, stated):
        first = 0
        for batch in batches_of(name, stream, columns):
            X = _features(name, [batch], n_features or stated.n_features, first)
            if len(columns) == len(_PARTS):
                yield X, None
            else:
                yield X, _labels(name, [batch], columns[-1], stated.n_labels, first)
            first += X.shape[0]


class _Stated(NamedTuple):
    """Sizes that the metadata of a file has."""

    n_features: int | None
    n_labels: int | None


@contextmanager
def _opened(
    path: Source, label_field: str | Sequence[str]
) -> Iterator[tuple[str, Any, list[str], _Stated]]:
    """Yield the name of a file, the open file, its columns, labels last, and its sizes."""
    name = file_name(path)
    wanted = [label_field] if isinstance(label_field, str) else label_field
    with open_seekable(path) as stream:
        schema = parquet_schema(name, stream)
        types = pyarrow().types
        number = (types.is_integer, types.is_floating)
        _check_lists(name, schema, INDICES, number[:1], "lists of integers")
        _check_lists(name, schema, VALUES, number, "lists of numbers")
        label = next((column for column in wanted if column in schema.names), None)
        columns = [INDICES, VALUES, *([] if label is None else [label])]
        metadata = schema.metadata or {}
        sizes = _Stated(*(_stated(name, metadata, key) for key in (_N_FEATURES, _N_LABELS)))
        yield name, stream, columns, sizes


def has_features(path: Source, text_field: str) -> bool:
    """Return whether a Parquet file has columns of features and none of this name."""
    with open_seekable(path) as stream:
        names = parquet_schema(file_name(path), stream).names
    return text_field not in names and {INDICES, VALUES} <= set(names)


def _check_lists(name: str, schema: Any, column: str, tests: Sequence[Any], rule: str) -> None:
    if column not in schema.names:
        found = listed_names(schema.names) or "none"
        raise ValueError(f'{name}: column "{column}" is missing; columns are {found}')
    kind = schema.field(column).type
    if not (is_list(kind) and any(test(kind.value_type) for test in tests)):
        raise ValueError(f'{name}: column "{column}" must hold {rule}, but holds {kind!s:.60}')


def _stated(name: str, metadata: dict[bytes, bytes], key: bytes) -> int | None:
    if key not in metadata:
        return None
    text = metadata[key]
    if not (text.isdigit() and len(text) < 12):
        raise ValueError(f"{name}: {key.decode()} must be a number, but is {text!r:.40}")
    return int(text)


def _features(
    name: str, batches: list[Any], n_features: int | None, first: int = 0
) -> FeatureMatrix:
    """Return the features of batches whose first row has this number."""
    columns = [_flat(name, [batch.column(part) for batch in batches], part) for part in _PARTS]
    (indptr, indices), (ends, data) = columns
    if (indptr != ends).any():
        row = first + int(np.argmax(np.diff(indptr) != np.diff(ends)))
        raise ValueError(f"{name}: row {row}: indices and values must have the same length")
    size = _checked_size(name, indptr, indices, INDICES, n_features, MAX_COLUMNS, first)
    check_size(name, "features", size, len(indices))
    try:
        return as_features(sparse.csr_array((data, indices, indptr), shape=(len(ends) - 1, size)))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _flat(name: str, columns: list[Any], field: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return where the list of each row begins, and all entries; a null list is empty."""
    filled = [column.value_lengths().fill_null(0) for column in columns]
    lengths = [part.to_numpy(zero_copy_only=False) for part in filled]
    entries = [column.flatten() for column in columns]
    indptr = pointers(np.concatenate([np.zeros(0, np.int64), *lengths]))
    if any(part.null_count for part in entries):
        raise ValueError(f'{name}: entries of column "{field}" must not be null; drop them')
    flat = [part.to_numpy(zero_copy_only=False) for part in entries]
    return indptr, np.concatenate(flat) if flat else np.zeros(0, np.int32)


def _checked_size(
    name: str,
    indptr: NDArray[np.int64],
    numbers: NDArray[Any],
    field: str,
    size: int | None,
    limit: int,
    first: int,
) -> int:
    """Return the number of features or labels, which all numbers must be below."""
    limit = limit if size is None else size
    is_outside = (numbers < 0) | (numbers >= limit)
    if is_outside.any():
        entry = int(np.argmax(is_outside))
        row = first + row_of(indptr, entry)
        raise ValueError(
            f'{name}: row {row}: numbers of column "{field}" must be from 0 to {limit - 1}, but '
            f"one is {numbers[entry]}"
        )
    return int(numbers.max(initial=-1)) + 1 if size is None else size


def _labels(
    name: str, batches: list[Any], field: str, n_labels: int | None, first: int = 0
) -> LabelRows:
    types, columns = pyarrow().types, [batch.column(field) for batch in batches]
    kinds = [column.type for column in columns]
    if all(is_list(kind) and types.is_integer(kind.value_type) for kind in kinds):
        indptr, numbers = _flat(name, columns, field)
        size = _checked_size(name, indptr, numbers, field, n_labels, MAX_LABELS, first)
        check_size(name, "labels", size, len(numbers))
        ones = np.ones(len(numbers), np.uint8)
        return as_labels(sparse.csr_array((ones, numbers, indptr), shape=(len(indptr) - 1, size)))
    try:
        return as_labels([as_tags(row) for column in columns for row in values(column)])
    except (ValueError, TypeError) as error:
        raise ValueError(f'{name}: column "{field}": {error}') from None


def write_parquet_features(path: Source, X: Any, Y: Any) -> None:
    """Write features and labels as columns indices, values and labels of a Parquet file.

    Labels are numbers, or names if Y has names. Needs ``pip install "labeltree[arrow]"``.

    Parameters
    ----------
    path
        File name, or an open binary file.
    X, Y
        Features and labels, as in `as_features` and `as_labels`.
    """
    arrow = pyarrow()
    X, rows = as_features(X), as_labels(Y)
    if X.shape[0] != rows.n_rows:
        raise ValueError(f"X has {X.shape[0]} rows, but Y has {rows.n_rows}")
    sizes = {_N_FEATURES: b"%d" % X.shape[1]}
    names: Any = None if rows.names is None else [str(rows.name(j)) for j in range(rows.n_labels)]
    if names is None:
        sizes[_N_LABELS] = b"%d" % rows.n_labels
    kinds = (arrow.int32(), arrow.float32(), arrow.int32() if names is None else arrow.string())
    fields = zip((INDICES, VALUES, "labels"), map(arrow.list_, kinds), strict=True)
    with (
        open_write(path) as stream,
        ParquetRows(stream, arrow.schema(list(fields), metadata=sizes)) as target,
    ):
        for i in range(rows.n_rows):
            begin, end = X.indptr[i], X.indptr[i + 1]
            labels = rows.row(i) if names is None else [names[j] for j in rows.row(i)]
            row = (X.indices[begin:end], X.data[begin:end], labels)
            target.add(row, 8 * int(end - begin) + 16 * len(labels))

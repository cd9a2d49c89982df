"""Texts and tags in tables: pyarrow, Polars, DuckDB, pandas and Hugging Face datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from labeltree.data.arrow_arrays import (
    bounded_parts,
    is_labels,
    is_list,
    is_name,
    is_text,
    n_string_bytes,
    pyarrow,
    values,
)
from labeltree.data.fields import LABEL_FIELDS, BadRow, Fields, TextRow, listed_names
from labeltree.data.limits import MAX_LINE
from labeltree.data.text import TaggedText

#: Rows that are converted at once.
BATCH_ROWS = 8192


def is_table(value: Any) -> bool:
    """Return whether a value has rows of named columns; a single column is not a table."""
    has_rows = hasattr(value, "__arrow_c_stream__") or _is_frame(value)
    has_names = any(hasattr(value, name) for name in ("columns", "schema"))
    return (has_rows and has_names) or _is_dataset(value)


def _is_frame(value: Any) -> bool:
    """Return whether a value is a DataFrame of pandas, which has Arrow's protocol since 2.2."""
    return hasattr(value, "columns") and hasattr(value, "iloc")


def _is_dataset(value: Any) -> bool:
    """Return whether a value is a Dataset or IterableDataset of Hugging Face."""
    return all(hasattr(value, name) for name in ("column_names", "with_format", "iter"))


def read_table(
    table: Any,
    *,
    text_field: str = "text",
    label_field: str | Sequence[str] | None = LABEL_FIELDS,
) -> Iterator[TaggedText]:
    """Iterate over the (text, tags) pairs of a table, a few thousand rows at a time.

    Parameters
    ----------
    table
        Anything with the method ``__arrow_c_stream__``, such as a Table or RecordBatchReader of
        pyarrow, a DataFrame of Polars or pandas, or a relation of DuckDB; or a dataset of Hugging
        Face. Needs ``pip install "labeltree[arrow]"``.
    text_field
        Column that holds the text.
    label_field
        Column that holds the tags: lists of strings or integers, or one of them. A null is no tag.
        With several names, the first one that exists is used. None if the texts have no tags.

    Raises
    ------
    ValueError
        If a column is missing or has the wrong type, or a text is null or not valid UTF-8. The
        message names the row.

    Examples
    --------
    >>> import pyarrow
    >>> table = pyarrow.table({"text": ["green tea", "water"], "tags": [["tea"], None]})
    >>> list(read_table(table))
    [('green tea', ['tea']), ('water', [])]
    """
    schema, batches = opened_table(table)
    columns = TableColumns.of(
        "table", schema.names, schema.types, Fields.of(text_field, label_field)
    )
    for row in columns.rows(batches):
        if isinstance(row, BadRow):
            raise ValueError(row.reason)
        yield row.text, row.tags


def table_lists(table: Any, *, with_labels: bool) -> tuple[list[str], list[Any]]:
    """Return the texts of a table, and the tags of each as they are: a list, or one tag."""
    schema, batches = opened_table(table)
    fields = Fields(with_labels=with_labels)
    columns = TableColumns.of("table", schema.names, schema.types, fields)
    texts, tags = list[str](), list[Any]()
    for row in columns.values(batches):
        if isinstance(row, BadRow):
            raise ValueError(row.reason)
        texts.append(row[0])
        tags.append(row[1])
    if columns.has_lists:
        tags = [as_tags(listed) for listed in tags]
    return texts, tags


def opened_table(table: Any) -> tuple[Any, Iterator[Any]]:
    """Return the schema of a table and its record batches."""
    arrow = pyarrow()
    if not is_table(table):
        raise TypeError(
            "table must be a table with named columns, such as one of pyarrow, Polars, DuckDB or "
            f"pandas, but is {type(table).__name__}"
        )
    try:
        if _is_dataset(table):
            return _opened_dataset(table)
        if _is_frame(table):
            reader = arrow.Table.from_pandas(table, preserve_index=False).to_reader()
        else:
            reader = arrow.RecordBatchReader.from_stream(table)
    except arrow.ArrowException as error:
        raise ValueError(f"table: cannot be read as Arrow: {_first_line(error)}") from error
    return reader.schema, _sliced(reader)


def _opened_dataset(dataset: Any) -> tuple[Any, Iterator[Any]]:
    tables = dataset.with_format("arrow").iter(batch_size=BATCH_ROWS)
    first = next(tables, None)
    if first is None:
        return pyarrow().schema([]), iter(())

    def batches() -> Iterator[Any]:
        yield from first.to_batches()
        for table in tables:
            yield from table.to_batches()

    return first.schema, batches()


def _sliced(batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        for first in range(0, batch.num_rows, BATCH_ROWS):
            yield batch.slice(first, BATCH_ROWS)


@dataclass(frozen=True)
class TableColumns:
    """Columns of a table that hold the fields of texts."""

    where: str  # the name of the table for error messages
    text: str
    tags: str | None
    id: str | None
    has_lists: bool  # whether a row has a list of tags

    @classmethod
    def of(
        cls, where: str, names: Sequence[str], types: Sequence[Any], fields: Fields
    ) -> TableColumns:
        """Return the columns of the fields.

        Raises
        ------
        ValueError
            If a column is missing, occurs twice or has the wrong type.
        """
        kinds = dict(zip(names, types, strict=True))

        def column(wanted: Sequence[str], parameter: str, is_right: Any, rule: str) -> str:
            name = next((name for name in wanted if name in kinds), None)
            if name is None:
                raise ValueError(
                    f'{where}: column "{wanted[0]}" is missing; columns are '
                    f"{listed_names(names) or 'none'}; set {parameter} to one of them"
                )
            if list(names).count(name) > 1:
                raise ValueError(f'{where}: column "{name}" must be unique; rename the others')
            if not is_right(kinds[name]):
                raise ValueError(
                    f'{where}: column "{name}" must hold {rule}, but holds {kinds[name]!s:.60}; '
                    f"set {parameter}"
                )
            return name

        text = column([fields.text], "text_field", is_text, "strings")
        tags = identifier = None
        if fields.with_labels:
            rule = "strings, integers or lists of them"
            tags = column(fields.labels, "label_field", is_labels, rule)
        if fields.id is not None:
            identifier = column([fields.id], "id_field", is_name, "strings or integers")
        has_lists = tags is not None and is_list(kinds[tags])
        return cls(where, text, tags, identifier, has_lists)

    @property
    def names(self) -> list[str]:
        """Names of the columns that are read."""
        found = (self.text, self.tags, self.id)
        return list(dict.fromkeys(name for name in found if name is not None))

    def rows(self, batches: Iterable[Any]) -> Iterator[TextRow | BadRow]:
        """Iterate over the rows of record batches and the errors of bad rows."""
        for row in self.values(batches):
            if isinstance(row, BadRow):
                yield row
            else:
                text, tags, identifier = row
                yield TextRow(text, [str(tag) for tag in as_tags(tags)], identifier)

    def values(self, batches: Iterable[Any]) -> Iterator[tuple[str, Any, Any] | BadRow]:
        """Iterate over the text, tags and identifier of each row, as they are in the table."""
        first = 0
        for batch in batches:
            with self._arrow_errors():
                parts = list(bounded_parts(batch.select(self.names)))
            for part in parts:
                with self._arrow_errors():
                    rows = list(self._part_values(part, first))
                yield from rows
                first += part.num_rows

    @contextmanager
    def _arrow_errors(self) -> Iterator[None]:
        """Raise ValueError where arrays are inconsistent, as those of damaged files can be."""
        arrow = pyarrow()
        try:
            yield
        except arrow.ArrowException as error:
            raise ValueError(f"{self.where}: damaged: {_first_line(error)}") from error

    def _part_values(self, part: Any, first: int) -> Iterator[tuple[str, Any, Any] | BadRow]:
        if n_string_bytes(part) > MAX_LINE:  # a single row, see `bounded_parts`
            yield BadRow(
                f"{self.where}: row {first}: a row must have at most {MAX_LINE >> 20} MiB, but "
                "this one has more; split it"
            )
            return
        texts = values(part.column(self.text))
        none: list[Any] = [None] * part.num_rows
        tags = none if self.tags is None else values(part.column(self.tags))
        ids = none if self.id is None else values(part.column(self.id))
        for i, row in enumerate(zip(texts, tags, ids, strict=True), start=first):
            reason = self._problem(*row)
            yield row if reason is None else BadRow(f"{self.where}: row {i}: {reason}")

    def _problem(self, text: Any, tags: Any, identifier: Any) -> str | None:
        if not isinstance(text, str):
            return _not_text(self.text, text, "drop the row, or fill it with an empty text")
        for tag in as_tags(tags):
            if tag is None or isinstance(tag, bytes):
                return _not_text(str(self.tags), tag, "drop it from the list")
        if self.id is not None and (identifier is None or isinstance(identifier, bytes)):
            return _not_text(self.id, identifier, "give each row an identifier")
        return None


def as_tags(tags: Any) -> list[Any]:
    """Return the tags of a row, which may be one, several or null."""
    if isinstance(tags, list):
        return tags
    return [] if tags is None else [tags]


def _not_text(column: str, value: Any, remedy: str) -> str:
    if value is None:
        return f'column "{column}" must not be null; {remedy}'
    return f'column "{column}" must be UTF-8, but is {value!r:.40}; convert it to UTF-8'


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0][:100]

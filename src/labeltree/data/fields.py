"""The fields of a text: its content, its tags and its identifier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from labeltree.arguments import shown

#: Names under which tags are found, in this order.
LABEL_FIELDS = ("tags", "labels", "tag", "label", "categories", "category")
_N_NAMED = 10  # columns or fields in an error message


class TextRow(NamedTuple):
    """A text, its tags, and its identifier if there is one."""

    text: str
    tags: list[str]
    id: str | int | None = None


class BadRow(NamedTuple):
    """Why a row cannot be read.

    It is not an exception, whose traceback would keep the reader and its file open.
    """

    reason: str


def strict(rows: Iterable[TextRow | BadRow]) -> Iterator[TextRow]:
    """Iterate over rows up to the first bad one, whose error is raised."""
    for row in rows:
        if isinstance(row, BadRow):
            raise ValueError(row.reason)
        yield row


@dataclass(frozen=True)
class Fields:
    """Names of the fields or columns to read."""

    text: str = "text"
    labels: Sequence[str] = LABEL_FIELDS  # the first one that exists is used
    id: str | None = None
    with_labels: bool = True

    @classmethod
    def of(cls, text_field: str, label_field: str | Sequence[str] | None) -> Fields:
        """Return the fields for the parameters of a reader; a `label_field` of None reads none."""
        labels = [label_field] if isinstance(label_field, str) else label_field
        return cls(text_field, labels or LABEL_FIELDS, with_labels=label_field is not None)

    def are_named_in(self, cells: Sequence[str]) -> bool:
        """Return whether the first line of a table names the fields.

        Examples
        --------
        >>> Fields().are_named_in(["id", "text", "label"]), Fields().are_named_in(["text", "a"])
        (True, False)
        """
        if self.text not in cells:
            return False
        if any(name in cells for name in self.labels):
            return True
        return not self.with_labels and (self.id in cells or len(cells) == 1)


@dataclass(frozen=True)
class Columns:
    """Positions of the fields in a table whose first line names them."""

    n_columns: int
    text: int
    tags: int | None
    id: int | None

    @classmethod
    def of(cls, name: str, header: Sequence[str], fields: Fields) -> Columns:
        """Return the columns of the fields; `name` is that of the file.

        Raises
        ------
        ValueError
            If a column is missing.
        """
        text = _column(name, header, [fields.text], "text_field")
        tags = _column(name, header, fields.labels, "label_field") if fields.with_labels else None
        identifier = None if fields.id is None else _column(name, header, [fields.id], "id_field")
        return cls(len(header), text, tags, identifier)

    def row(self, where: str, cells: Sequence[str], separator: str) -> TextRow:
        """Return the text, tags and identifier of one line, which has `n_columns` cells."""
        tags = [] if self.tags is None else checked_tags(where, cells[self.tags], separator)
        return TextRow(cells[self.text], tags, None if self.id is None else cells[self.id])


def _column(name: str, header: Sequence[str], wanted: Sequence[str], parameter: str) -> int:
    for column in wanted:
        if column in header:
            return header.index(column)
    found = listed_names(header)
    remedy = f"set {parameter} to one of them"
    if len(header) == 1:
        remedy = "set delimiter if it is none of , ; tab |"
    raise ValueError(
        f'{name}: line 1: column "{wanted[0]}" is missing; columns are {found}; {remedy}'
    )


def listed_names(names: Iterable[str]) -> str:
    """Return names for an error message: the first ones, not long.

    Examples
    --------
    >>> listed_names(["text", "tags"])
    '"text", "tags"'
    """
    given = list(names)
    first = ", ".join(f'"{name:.40}"' for name in given[:_N_NAMED])
    return first if len(given) <= _N_NAMED else f"{first}, …"


def split_tags(listed: str, separator: str) -> list[str]:
    """Return the tags of a field, without whitespace around them."""
    return [tag.strip() for tag in listed.split(separator)] if listed.strip() else []


def checked_tags(where: str, listed: str, separator: str) -> list[str]:
    """Return the tags of a field.

    Raises
    ------
    ValueError
        If one of them is empty.
    """
    tags = split_tags(listed, separator)
    if "" in tags:
        raise ValueError(
            f"{where}: tags must not be empty, but one of {shown(listed)} is; set separator if it "
            f"is not {separator!r}"
        )
    return tags

"""Nested lists as Y: a 0/1 table written as lists, or one list of labels per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

_BINARY = frozenset((0, 1))


def form_of_lists(Y: Any) -> Literal["indicator", "sets", "ambiguous"]:
    """Return whether nested lists are a 0/1 table or label lists, or could be both.

    A table has two or more columns and only the numbers 0 and 1. A row of labels has no reason to
    repeat one, so a table in which some row does is not label lists. Sets are always labels.

    Examples
    --------
    >>> form_of_lists([[0, 1, 1], [0, 0, 1]]), form_of_lists([[0, 1], [1]])
    ('indicator', 'sets')
    >>> form_of_lists([[0, 1], [1, 0]])
    'ambiguous'
    """
    if not isinstance(Y, list | tuple | np.ndarray) or len(Y) == 0:
        return "sets"
    if not isinstance(Y[0], list | tuple | np.ndarray) or len(Y[0]) < 2:
        return "sets"
    if not all(_is_binary(row, len(Y[0])) for row in Y):
        return "sets"
    has_repeats = any(len(set(row)) < len(row) for row in Y)
    return "indicator" if has_repeats else "ambiguous"


def table_of_lists(
    Y: Sequence[Any] | npt.NDArray[Any], n_labels: int | None, names: npt.NDArray[Any] | None
) -> npt.NDArray[np.uint8] | None:
    """Return nested lists as a 0/1 table, or None if they are label lists.

    The known labels decide, too: a table has one column for each, and label lists hold no others.
    """
    form = form_of_lists(Y)
    if form == "sets":
        return None
    n_known = n_labels if names is None else len(names)
    if n_known is not None and n_known != len(Y[0]):
        return None
    is_label = names is None or set(names.tolist()) >= _BINARY
    if form == "ambiguous" and is_label:
        return None
    return np.array([list(row) for row in Y]).astype(np.uint8)


def check_form(Y: Any) -> None:
    """Refuse nested lists for training that could be a 0/1 table or label lists.

    Examples
    --------
    >>> check_form([[0, 1, 0], [1, 0, 0]])
    """
    is_table = isinstance(Y, np.ndarray) and Y.ndim == 2
    if not is_table and form_of_lists(Y) == "ambiguous":
        raise ValueError(
            "nested lists Y must be a 0/1 indicator or lists of labels, but each row has 0 and 1 "
            "once, which could be both; pass np.array(Y) for an indicator with two columns, or "
            "sets such as {0, 1} for the labels 0 and 1"
        )


def in_form(Y: Any, kind: str) -> Any:
    """Return Y, with nested lists that could be both converted to the given kind.

    Examples
    --------
    >>> in_form([[0, 1], [1, 0]], "sets")
    [{0, 1}, {0, 1}]
    """
    if form_of_lists(Y) != "ambiguous":
        return Y
    return np.array(Y) if kind == "indicator" else [set(row) for row in Y]


def _is_binary(row: Any, width: int) -> bool:
    """Return whether a row is `width` numbers that are 0 or 1."""
    if not isinstance(row, list | tuple | np.ndarray) or len(row) != width:
        return False
    if isinstance(row, np.ndarray):
        return row.ndim == 1 and row.dtype.kind in "biuf" and bool(np.isin(row, (0, 1)).all())
    try:
        return _BINARY.issuperset(row)
    except TypeError:  # labels must be hashable; as_labels names the one that is not
        return False

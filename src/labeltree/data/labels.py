"""Conversion of any kind of Y to compressed rows of label numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from labeltree.arguments import check_kind, checked, shown
from labeltree.data import naming
from labeltree.data.compressed import (
    CompressedRows,
    compressed_rows,
    dense_rows,
    is_strictly_ascending,
    pointers,
    row_of,
)
from labeltree.data.nested_lists import table_of_lists

#: Maximum number of labels; each takes tens of bytes, also those without a row.
MAX_LABELS = 10**8

Kind = Literal["indicator", "sets", "classes"]
_COLLECTIONS = (list, tuple, set, frozenset, range, np.ndarray)


@dataclass(frozen=True, eq=False)
class LabelRows:
    """The labels of each row, created by `as_labels`.

    Row i has the labels ``indices[indptr[i]:indptr[i + 1]]``, sorted and unique.

    Examples
    --------
    >>> rows = as_labels([["tea", "milk"], [], ["tea"]])
    >>> rows.indices.tolist(), rows.names.tolist(), rows.counts.tolist()
    ([0, 1, 1], ['milk', 'tea'], [1, 2])
    """

    indptr: npt.NDArray[np.int64]  # n_rows + 1
    indices: npt.NDArray[np.int32]
    n_labels: int
    names: npt.NDArray[Any] | None = None  # None if the labels are 0..n_labels - 1
    kind: Kind = "indicator"  # the form of Y, so that predictions can be returned in the same form
    is_dense: bool = False  # whether Y was an indicator that is not sparse

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    @property
    def n_labeled(self) -> int:
        """Number of rows with at least one label."""
        return int(np.count_nonzero(np.diff(self.indptr)))

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of rows of each label."""
        return np.bincount(self.indices, minlength=self.n_labels).astype(np.int64, copy=False)

    @checked
    def row(self, i: int) -> npt.NDArray[np.int32]:
        """Return the label numbers of row i."""
        if not -self.n_rows <= i < self.n_rows:
            raise IndexError(f"rows are 0..{self.n_rows - 1}, but i is {i}")
        i = i % self.n_rows
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    @checked
    def name(self, j: int) -> Any:
        """Return the name of label j as it appears in Y."""
        if not 0 <= j < self.n_labels:
            raise IndexError(f"labels are 0..{self.n_labels - 1}, but j is {j}")
        if self.names is None:
            return int(j)
        name = self.names[j]
        return name.item() if isinstance(name, np.generic) else name

    def select(self, rows: slice | Sequence[int] | npt.NDArray[Any]) -> LabelRows:
        """Return the given rows (indices, a mask or a slice); the set of labels stays the same.

        Examples
        --------
        >>> as_labels([[0], [1], [0, 1]]).select([2, 0]).indices.tolist()
        [0, 1, 0]
        """
        if not isinstance(rows, slice):
            rows = self._numbers(rows)
        lengths = np.diff(self.indptr)[rows]
        indptr = pointers(lengths)
        shift = np.repeat(self.indptr[:-1][rows] - indptr[:-1], lengths)
        indices = self.indices[shift + np.arange(indptr[-1])]
        return replace(self, indptr=indptr, indices=indices)

    def _numbers(self, rows: Sequence[int] | npt.NDArray[Any]) -> npt.NDArray[Any]:
        check_kind("rows", rows, "ArrayLike")
        array = np.asarray(rows)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "biu"):
            raise TypeError(f"rows must be a list of integers or a mask, but is {shown(rows)}")
        if array.size == 0:
            return array.astype(np.int64)
        if array.dtype.kind == "b":
            if len(array) != self.n_rows:
                raise ValueError(f"a mask must have {self.n_rows} entries, but has {len(array)}")
            return array
        if array.max() >= self.n_rows or array.min() < -self.n_rows:
            raise IndexError(f"rows are 0..{self.n_rows - 1}, but {shown(rows)} has others")
        return array

    def to_csr(self) -> sparse.csr_array[np.uint8, tuple[int, int]]:
        """Return the 0/1 indicator matrix of shape (n_rows, n_labels).

        Examples
        --------
        >>> as_labels([[0, 1], [1]]).to_csr().toarray().tolist()
        [[1, 1], [0, 1]]
        """
        ones = np.ones(len(self.indices), np.uint8)
        return sparse.csr_array(
            (ones, self.indices, self.indptr), shape=(self.n_rows, self.n_labels)
        )


@checked
def as_labels(Y: Any, *, n_labels: int | None = None, names: Any = None) -> LabelRows:
    """Return the labels of each row from an indicator matrix, label lists or classes.

    Parameters
    ----------
    Y
        One of: a 0/1 indicator (a sparse matrix in any format, a two-dimensional array, or a
        DataFrame, whose column names become label names); one list, tuple or set of hashable
        labels per row; one class per row (a one-dimensional array, a list or a Series). Nested
        lists of the same length, at least 2, with only 0 and 1 are an indicator, like
        ``Y.tolist()``; other nested lists are label lists. ``[[0, 1], [1, 0]]``, where each row has
        0 and 1 once, could be both and is refused. Duplicate labels in a row count once. LabelRows
        are returned unchanged.
    n_labels
        Number of labels. Labels must be integers in 0..n_labels - 1; an indicator must have
        n_labels columns.
    names
        The known labels: label j is names[j]. Every label of Y must be one of them.

    Raises
    ------
    ValueError
        If an indicator has entries other than 0 and 1, nested lists could be an indicator or label
        lists, a label is unknown or missing, or index arrays are inconsistent.
    TypeError
        If Y does not hold labels.

    Examples
    --------
    >>> as_labels(["b", "a", "b"]).indices.tolist()
    [1, 0, 1]
    >>> as_labels([[3], [1, 3]], n_labels=5).counts.tolist()
    [0, 1, 0, 2, 0]
    """
    known = _known_names(names, n_labels)
    if known is not None:
        n_labels = None
    if n_labels is not None and not 0 <= n_labels <= MAX_LABELS:
        raise ValueError(f"n_labels must lie in 0..{MAX_LABELS}, but is {n_labels}")
    if isinstance(Y, LabelRows):
        return _fit_known(Y, n_labels, known)
    if sparse.issparse(Y):
        return _fit_known(_indicator(compressed_rows(Y, "Y")), n_labels, known)
    if hasattr(Y, "columns") and hasattr(Y, "to_numpy"):
        return _fit_known(_frame(Y), n_labels, known)
    if not isinstance(Y, list | tuple):
        Y = _array(Y)
        if Y.ndim == 2:
            return _fit_known(_dense(Y), n_labels, known)
    table = table_of_lists(Y, n_labels, known)
    if table is not None:
        return _fit_known(_dense(table), n_labels, known)
    return _listed(Y, n_labels, known)


def _known_names(names: Any, n_labels: int | None) -> npt.NDArray[Any] | None:
    if names is None:
        return None
    check_kind("names", names, "Iterable[Hashable]")
    known = names if isinstance(names, np.ndarray) else naming.name_array(list(names))
    if n_labels is not None and len(known) != n_labels:
        raise ValueError(f"names must have n_labels = {n_labels} entries, but has {len(known)}")
    return known


def _array(Y: Any) -> npt.NDArray[Any]:
    if not hasattr(Y, "__array__"):
        raise TypeError(
            "Y must be an indicator matrix, one label list for each row or one class for each row, "
            f"but is {type(Y).__name__}"
        )
    array = np.asarray(Y)
    if array.ndim not in (1, 2):
        raise ValueError(f"Y must have 1 or 2 dimensions, but has {array.ndim}")
    return array


def _frame(Y: Any) -> LabelRows:
    # hasattr(Y, "sparse") is True only if all columns of the DataFrame are sparse.
    rows = (
        _indicator(compressed_rows(Y.sparse.to_coo(), "Y"))
        if hasattr(Y, "sparse")
        else _dense(Y.to_numpy())
    )
    names = naming.name_array(list(Y.columns))
    naming.name_positions(names)
    return replace(_named(rows.indptr, rows.indices, names, "indicator"), is_dense=rows.is_dense)


def _dense(Y: npt.NDArray[Any]) -> LabelRows:
    if Y.dtype.kind not in "biufO":
        raise TypeError(f"an indicator Y must be 0/1 numbers, but has dtype {Y.dtype}")
    return replace(_indicator(dense_rows(Y, "Y")), is_dense=True)


def _indicator(rows: CompressedRows) -> LabelRows:
    if rows.n_columns > MAX_LABELS:
        raise ValueError(f"Y must have at most {MAX_LABELS} labels, but has {rows.n_columns}")
    if rows.data.dtype.kind not in "biufO":
        raise TypeError(f"an indicator Y must be 0/1 numbers, but has dtype {rows.data.dtype}")
    one = np.asarray(rows.data == 1)
    indptr = rows.indptr.astype(np.int64, copy=False)
    if one.all():
        if is_strictly_ascending(rows):
            indices = rows.indices.astype(np.int32, copy=False)
            return LabelRows(indptr, np.asarray(indices), rows.n_columns)
    else:
        wrong = ~one & np.asarray(rows.data != 0)
        if wrong.any():
            entry = int(np.argmax(wrong))
            row, column = rows.where(entry)
            raise ValueError(
                f"an indicator Y must be 0 or 1, but row {row}, column {column} is "
                f"{rows.data[entry]}"
            )
    row = np.repeat(np.arange(rows.n_rows), np.diff(indptr))[one]
    indptr, indices = _from_pairs(row, rows.indices[one], rows.n_rows, rows.n_columns)
    return LabelRows(indptr, indices, rows.n_columns)


def _listed(
    Y: Sequence[Any] | npt.NDArray[Any], n_labels: int | None, known: npt.NDArray[Any] | None
) -> LabelRows:
    """Return the rows of Y, which holds either label lists or classes."""
    kind: Kind = "classes"
    flat: Sequence[Any] | npt.NDArray[Any] = Y
    indptr = np.arange(len(Y) + 1, dtype=np.int64)
    if not isinstance(Y, np.ndarray) or Y.dtype.kind == "O":
        _check_rows(Y)
        if len(Y) == 0 or isinstance(Y[0], _COLLECTIONS):
            kind = "sets"
            indptr = pointers(np.fromiter(map(len, Y), np.int64, len(Y)))
            flat = [label for row in Y for label in row]

    def where(entry: int) -> str:
        return f"row {row_of(indptr, entry)} of Y"

    names = known
    if known is not None:
        codes = naming.look_up(flat, known, where)
    elif n_labels is not None:
        codes = naming.checked_numbers(flat, n_labels, where)
    else:
        codes, names = naming.number_labels(flat, where)
    n_names = n_labels if names is None else len(names)
    assert n_names is not None
    if kind == "sets":
        row = np.repeat(np.arange(len(Y)), np.diff(indptr))
        indptr, codes = _from_pairs(row, codes, len(Y), n_names)
    if names is None:
        return LabelRows(indptr, codes, n_names, None, kind)
    return _named(indptr, codes, names, kind)


def _check_rows(Y: Sequence[Any] | npt.NDArray[Any]) -> None:
    kinds = set(map(type, Y))
    if len(kinds) == 1 and not kinds & {type(None), dict, np.ndarray}:
        return
    for i, row in enumerate(Y):
        if row is None or isinstance(row, dict):
            raise TypeError(
                f"Y must hold one label list or one class for each row, but row {i} is {shown(row)}"
            )
        if isinstance(row, _COLLECTIONS) != isinstance(Y[0], _COLLECTIONS):
            raise TypeError(
                "Y must hold label lists or classes, not both, but row 0 is "
                f"{type(Y[0]).__name__} and row {i} is {type(row).__name__}"
            )
        if isinstance(row, np.ndarray) and row.ndim != 1:
            raise ValueError(
                f"the labels of a row must have 1 dimension, but row {i} of Y has {row.ndim}"
            )


def _named(
    indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], names: naming.Names, kind: Kind
) -> LabelRows:
    return LabelRows(
        indptr, indices, len(names), None if naming.are_positions(names) else names, kind
    )


def _fit_known(rows: LabelRows, n_labels: int | None, known: npt.NDArray[Any] | None) -> LabelRows:
    """Return the same rows, renumbered to match the known labels."""
    if n_labels is not None and rows.n_labels != n_labels:
        raise ValueError(f"Y has {rows.n_labels} labels, but {n_labels} are expected")
    if known is None:
        return rows
    if rows.names is None and rows.kind == "indicator":
        if rows.n_labels != len(known):
            raise ValueError(f"Y has {rows.n_labels} labels, but {len(known)} are expected")
        named = _named(rows.indptr, rows.indices, known, rows.kind)
        return replace(named, is_dense=rows.is_dense)
    position = naming.name_positions(known)
    new = np.array([position.get(rows.name(j), -1) for j in range(rows.n_labels)], np.int32)
    codes = new[rows.indices]
    if (codes < 0).any():
        entry = int(np.argmax(codes < 0))
        raise ValueError(
            f"row {row_of(rows.indptr, entry)} of Y has label "
            f"{shown(rows.name(int(rows.indices[entry])))}, which is not among the {len(known)} "
            "known labels"
        )
    row = np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr))
    indptr, indices = _from_pairs(row, codes, rows.n_rows, len(known))
    return replace(_named(indptr, indices, known, rows.kind), is_dense=rows.is_dense)


def _from_pairs(
    row: npt.NDArray[Any], label: npt.NDArray[Any], n_rows: int, n_labels: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return compressed rows of (row, label) pairs, sorted and without duplicates."""
    width = max(n_labels, 1)
    keys = row.astype(np.int64) * width + label
    if (keys[1:] <= keys[:-1]).any():
        keys.sort()
        keys = keys[np.append(True, keys[1:] > keys[:-1])]
    indptr = pointers(np.bincount(keys // width, minlength=n_rows))
    return indptr, (keys % width).astype(np.int32)

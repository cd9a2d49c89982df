"""Sparse matrices of any format as validated compressed rows.

scipy does not validate the index arrays that it is given, and its C++ code reads out of bounds if
they are wrong. Every matrix is therefore checked here before scipy or a kernel reads it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

MAX_COLUMNS = int(np.iinfo(np.int32).max)
_BLOCK = 1 << 17  # entries of a dense array that are converted at once
_AT_ONCE = 1 << 22  # indices that are compared or counted, because X may be larger than memory


class CompressedRows(NamedTuple):
    """Compressed rows with indices in range, not yet sorted or unique."""

    indptr: npt.NDArray[np.integer[Any]]
    indices: npt.NDArray[np.integer[Any]]
    data: npt.NDArray[Any]
    n_columns: int

    @property
    def n_rows(self) -> int:
        return len(self.indptr) - 1

    def where(self, entry: int) -> tuple[int, int]:
        """Return the row and column of a stored entry."""
        return row_of(self.indptr, entry), int(self.indices[entry])


def row_of(indptr: npt.NDArray[np.integer[Any]], entry: int) -> int:
    """Return the row of a stored entry."""
    return int(np.searchsorted(indptr, entry, side="right")) - 1


def compressed_rows(matrix: Any, name: str) -> CompressedRows:
    """Return the rows of a scipy.sparse matrix or array, without a copy if it is already CSR."""
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have 2 dimensions, but has {matrix.ndim}")
    n_rows, n_columns = (int(size) for size in matrix.shape)
    if n_columns > MAX_COLUMNS:
        raise ValueError(f"{name} must have at most {MAX_COLUMNS} columns, but has {n_columns}")
    if matrix.format == "bsr":
        height, width = matrix.blocksize
        blocks = (n_rows // height, n_columns // width)
        _check_compressed(matrix, name, blocks, ("block row", "block column"))
        matrix = matrix.tocsr()
    elif matrix.format == "csc":
        _check_compressed(matrix, name, (n_columns, n_rows), ("column", "row"))
        matrix = matrix.tocsr()
    elif matrix.format != "csr":
        return _from_coordinates(matrix.tocoo(copy=False), name)
    _check_compressed(matrix, name, (n_rows, n_columns), ("row", "column"))
    nnz = int(matrix.indptr[-1])
    return CompressedRows(matrix.indptr, matrix.indices[:nnz], matrix.data[:nnz], n_columns)


def dense_rows(array: npt.NDArray[Any], name: str) -> CompressedRows:
    """Return the nonzero entries of a two-dimensional array.

    If it is contiguous and has no zeros, its values are not copied.
    """
    n_rows, n_columns = array.shape
    if n_columns > MAX_COLUMNS:
        raise ValueError(f"{name} must have at most {MAX_COLUMNS} columns, but has {n_columns}")
    lengths = np.count_nonzero(array, axis=1)
    indptr = pointers(lengths)
    if indptr[-1] == array.size:
        every = np.tile(np.arange(n_columns, dtype=np.int32), n_rows)
        return CompressedRows(indptr, every, array.reshape(-1), n_columns)
    indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], array.dtype)
    block = max(1, _BLOCK // max(1, n_columns))
    for first in range(0, n_rows, block):
        part = array[first : first + block]
        into = slice(indptr[first], indptr[min(first + block, n_rows)])
        row, indices[into] = np.nonzero(part)
        data[into] = part[row, indices[into]]
    return CompressedRows(indptr, indices, data, n_columns)


def pointers(lengths: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the offset at which each row starts, and the end of the last row."""
    indptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    return indptr


def column_counts(indices: npt.NDArray[np.integer[Any]], n_columns: int) -> npt.NDArray[np.int64]:
    """Return the number of entries of each column.

    Examples
    --------
    >>> column_counts(np.array([0, 2, 0], np.int32), 3).tolist()
    [2, 0, 1]
    """
    counts = np.zeros(n_columns, np.int64)
    step = max(_AT_ONCE, n_columns)
    for begin in range(0, len(indices), step):  # bincount copies its argument as 64-bit integers
        counts += np.bincount(indices[begin : begin + step], minlength=n_columns)
    return counts


def is_strictly_ascending(rows: CompressedRows) -> bool:
    """Return whether the indices of each row are sorted and unique."""
    starts = rows.indptr[1:-1]
    for first in range(0, len(rows.indices) - 1, _AT_ONCE):
        part = rows.indices[first : first + _AT_ONCE + 1]
        rising = part[1:] > part[:-1]
        own = slice(*np.searchsorted(starts, (first + 1, first + len(part))))
        rising[starts[own] - first - 1] = True
        if not rising.all():
            return False
    return True


def _check_compressed(
    matrix: Any, name: str, sizes: tuple[int, int], words: tuple[str, str]
) -> None:
    indptr, indices = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    for array, part in ((indptr, "indptr"), (indices, "indices")):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(
                f"{name}.{part} must be a one-dimensional integer array, but is "
                f"{array.ndim}-dimensional {array.dtype}"
            )
    _check_indptr(indptr, name, sizes[0], words[0])
    nnz = int(indptr[-1])
    for part, length in (("indices", len(indices)), ("data", len(matrix.data))):
        if nnz > length:
            raise ValueError(
                f"{name}.indptr ends with {nnz}, but {name}.{part} has {length} entries"
            )
    bad = _first_outside(indices[:nnz], sizes[1])
    if bad is not None:
        raise ValueError(
            f"{name} has {words[1]} index {indices[bad]} in {words[0]} {row_of(indptr, bad)}, "
            f"but its {words[1]}s are {_range(sizes[1])}"
        )


def _check_indptr(indptr: npt.NDArray[Any], name: str, size: int, word: str) -> None:
    if len(indptr) != size + 1:
        raise ValueError(
            f"{name}.indptr must have {size + 1} entries, one more than the number of {word}s, "
            f"but has {len(indptr)}"
        )
    if indptr[0] != 0:
        raise ValueError(f"{name}.indptr must start with 0, but starts with {indptr[0]}")
    falling = indptr[1:] < indptr[:-1]
    if falling.any():
        raise ValueError(
            f"{name}.indptr must not decrease, but does at {word} {int(np.argmax(falling))}"
        )


def _from_coordinates(matrix: Any, name: str) -> CompressedRows:
    n_rows, n_columns = (int(size) for size in matrix.shape)
    row, column, data = (np.asarray(part) for part in (matrix.row, matrix.col, matrix.data))
    if not len(row) == len(column) == len(data):
        raise ValueError(
            f"{name}.row, {name}.col and {name}.data must have the same length, but have "
            f"{len(row)}, {len(column)} and {len(data)} entries"
        )
    for indices, size, word in ((row, n_rows, "row"), (column, n_columns, "column")):
        if indices.dtype.kind not in "iu":
            raise ValueError(f"{name} must have integer {word} indices, but has {indices.dtype}")
        bad = _first_outside(indices, size)
        if bad is not None:
            raise ValueError(
                f"{name} has {word} index {indices[bad]}, but its {word}s are {_range(size)}"
            )
    indptr = pointers(np.bincount(row, minlength=n_rows))
    if (row[1:] < row[:-1]).any():
        order = np.argsort(row, kind="stable")
        column, data = column[order], data[order]
    return CompressedRows(indptr, column, data, n_columns)


def _first_outside(indices: npt.NDArray[Any], size: int) -> int | None:
    if len(indices) == 0 or (indices.min() >= 0 and indices.max() < size):
        return None
    return int(np.argmax((indices < 0) | (indices >= size)))


def _range(size: int) -> str:
    return f"0..{size - 1}" if size else "none"

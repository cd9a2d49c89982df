"""Features and labels in a folder of NumPy files, which are mapped instead of read.

The folder has the arrays of compressed rows, X.data.npy, X.indices.npy, X.indptr.npy, Y.indices.npy
and Y.indptr.npy, and sizes.json with the numbers of features and labels, or the names of labels.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.data.compressed import MAX_COLUMNS, pointers
from labeltree.data.features import FeatureMatrix, as_features
from labeltree.data.json_text import parsed_json
from labeltree.data.labels import MAX_LABELS, LabelRows, as_labels
from labeltree.data.limits import check_size
from labeltree.data.replacing import TEMPORARY

#: One part of the rows: features and labels.
Part = tuple[Any, Any]

_SIZES = "sizes.json"
_TYPES: dict[str, Any] = {
    "X.data": np.float32,
    "X.indices": np.int32,
    "X.indptr": np.int64,
    "Y.indices": np.int32,
    "Y.indptr": np.int64,
}
_AT_ONCE = 1 << 16  # rows that are selected at once


def read_mapped(path: str | os.PathLike[str]) -> tuple[FeatureMatrix, LabelRows]:
    """Return features and labels that are mapped from the files of `write_mapped`.

    They are checked, which reads them once, but the system can take back the memory.

    Raises
    ------
    ValueError
        If a file is damaged or does not fit the others. The message names the folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_mapped(f"{folder}/rows", [([[0, 2.5]], [[0]]), ([[1, 0]], [[0, 1]])])
    ...     X, rows = read_mapped(f"{folder}/rows")
    ...     X.toarray().tolist(), rows.counts.tolist()
    ([[0.0, 2.5], [1.0, 0.0]], [2, 1])
    """
    folder = Path(path)
    sizes = _read_sizes(folder)
    arrays = {name: _map(folder / f"{name}.npy", kind) for name, kind in _TYPES.items()}
    names, n_labels = sizes["names"], sizes["n_labels"]
    try:
        X = as_features(_csr(arrays, "X", sizes["n_features"], arrays["X.data"]))
        check_size(str(folder), "features", X.shape[1], X.nnz)
        check_size(str(folder), "labels", n_labels, len(arrays["Y.indices"]))
        ones = np.broadcast_to(np.uint8(1), arrays["Y.indices"].shape)
        rows = as_labels(_csr(arrays, "Y", n_labels, ones), names=names)
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from None
    if X.shape[0] != rows.n_rows:
        raise ValueError(f"{folder}: X has {X.shape[0]} rows, but Y has {rows.n_rows}")
    return X, rows if names is None else replace(rows, kind="sets")


class MappedSizes(NamedTuple):
    """Sizes of the rows in a folder."""

    n_rows: int
    n_features: int
    n_labels: int

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Self:
        """Return the sizes of the rows in a folder, without reading the rows."""
        sizes = _read_sizes(Path(path))
        n_rows = len(_map(Path(path, "X.indptr.npy"), np.int64)) - 1
        return cls(n_rows, sizes["n_features"], sizes["n_labels"])


def has_mapped(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder has the files of `write_mapped`."""
    return Path(path, _SIZES).is_file() and Path(path, "X.indptr.npy").is_file()


def write_mapped(
    path: str | os.PathLike[str],
    parts: Iterable[Part],
    *,
    n_features: int = 0,
    n_labels: int = 0,
) -> None:
    """Write features and labels to a new folder, part by part; `read_mapped` maps it.

    The folder is written completely or not at all.

    Parameters
    ----------
    path
        The folder, which must not exist.
    parts
        Pairs of features and labels of some rows, as in `as_features` and `as_labels`. Labels are
        numbers, counted from 0, or strings in all parts.
    n_features, n_labels
        Minimum numbers of features and labels, for those that occur in no row.
    """
    folder = Path(path)
    if folder.exists():
        raise FileExistsError(f"{folder} must not exist, but does; remove it, or choose another")
    beside = folder.with_name(f".{folder.name}{TEMPORARY}")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    try:
        with ExitStack() as stack:
            files = {
                name: stack.enter_context(_growing(beside / f"{name}.npy", kind))
                for name, kind in _TYPES.items()
            }
            writer = _Writer(files, n_features, n_labels)
            for X, Y in parts:
                writer.add(as_features(X), as_labels(Y))
        (beside / _SIZES).write_text(json.dumps(writer.sizes()))
        beside.replace(folder)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def select_mapped(
    X: FeatureMatrix, rows: LabelRows, numbers: NDArray[np.int64]
) -> tuple[FeatureMatrix, LabelRows]:
    """Return the rows with these numbers, mapped from files that are removed at exit."""
    folder = Path(tempfile.mkdtemp(prefix="labeltree-rows-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write_mapped(
        folder / "rows",
        selected_parts(X, rows, numbers),
        n_features=X.shape[1],
        n_labels=rows.n_labels,
    )
    chosen, labels = read_mapped(folder / "rows")
    return chosen, replace(labels, n_labels=rows.n_labels, names=rows.names, kind=rows.kind)


def selected_parts(
    X: FeatureMatrix, rows: LabelRows, numbers: NDArray[np.int64]
) -> Iterator[tuple[FeatureMatrix, LabelRows]]:
    """Iterate over the rows with these numbers, some at a time."""
    for first in range(0, len(numbers), _AT_ONCE):
        some = numbers[first : first + _AT_ONCE]
        begin, entries = _entries(X.indptr, some)
        arrays = (X.data[entries], X.indices[entries], begin)
        part = sparse.csr_array(arrays, shape=(len(some), X.shape[1]))
        begin, entries = _entries(rows.indptr, some)
        yield part, LabelRows(begin, rows.indices[entries], rows.n_labels)


def _entries(
    indptr: NDArray[Any], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where chosen rows begin once they are alone, and the places of their entries."""
    lengths = indptr[numbers + 1] - indptr[numbers]
    begin = pointers(lengths)
    shift = np.repeat(indptr[numbers] - begin[:-1], lengths)
    return begin, shift + np.arange(begin[-1])


class _Writer:
    """Adds rows to the files, and knows how many features and labels there are."""

    def __init__(self, files: Mapping[str, _Growing], n_features: int, n_labels: int) -> None:
        self._files = files
        self._n_features, self._n_labels = n_features, n_labels
        self._numbers: dict[Any, int] = {}  # of label names
        self._n_added = 0
        for name in ("X.indptr", "Y.indptr"):
            files[name].append(np.zeros(1, np.int64))

    def add(self, X: FeatureMatrix, rows: LabelRows) -> None:
        if X.shape[0] != rows.n_rows:
            raise ValueError(f"X has {X.shape[0]} rows, but Y has {rows.n_rows}")
        self._n_features = max(self._n_features, X.shape[1])
        labels = self._labels(rows)
        arrays: dict[str, NDArray[Any]] = {
            "X.data": X.data,
            "X.indices": X.indices,
            "Y.indices": labels,
        }
        for name, indptr in (("X", X.indptr), ("Y", rows.indptr)):
            before = self._files[f"{name}.indices"].size
            arrays[f"{name}.indptr"] = indptr[1:].astype(np.int64) + before
        for name, array in arrays.items():
            self._files[name].append(array)

    def _labels(self, rows: LabelRows) -> NDArray[np.int32]:
        """Return label numbers that are the same in all parts, sorted in each row."""
        is_named = rows.names is not None and rows.names.dtype.kind not in "iu"
        if is_named != bool(self._numbers) and self._n_added:
            raise ValueError("labels must be numbers in all parts, or strings in all parts")
        self._n_added += rows.n_rows
        if rows.names is None:
            self._n_labels = max(self._n_labels, rows.n_labels)
            return rows.indices
        names = (rows.name(j) for j in range(rows.n_labels))
        number = [self._number(name) for name in names] if is_named else rows.names
        labels = np.asarray(number, np.int64)[rows.indices]
        if labels.min(initial=0) < 0 or labels.max(initial=0) >= MAX_LABELS:
            raise ValueError(f"numbers of labels must lie in 0..{MAX_LABELS - 1}, but one does not")
        self._n_labels = max(self._n_labels, int(labels.max(initial=-1)) + 1)
        row = np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr))
        return labels[np.lexsort((labels, row))].astype(np.int32)

    def _number(self, name: Any) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def sizes(self) -> dict[str, Any]:
        """Return the content of the file of sizes."""
        names = list(self._numbers) or None
        n_labels = self._n_labels if names is None else len(names)
        return {"n_features": self._n_features, "n_labels": n_labels, "names": names}


class _Growing:
    """A .npy file of one dimension that arrays are added to."""

    def __init__(self, stream: IO[bytes], kind: Any) -> None:
        self._stream, self._kind = stream, np.dtype(kind)
        self.size = 0
        self.write_header()

    def append(self, array: NDArray[Any]) -> None:
        self._stream.write(np.ascontiguousarray(array, self._kind).data)
        self.size += len(array)

    def write_header(self) -> None:
        """Write the header for the current size; its length does not depend on the size."""
        header = {"descr": self._kind.str, "fortran_order": False, "shape": (self.size,)}
        self._stream.seek(0)
        np.lib.format.write_array_header_1_0(self._stream, header)


@contextmanager
def _growing(path: Path, kind: Any) -> Iterator[_Growing]:
    with path.open("wb") as stream:
        file = _Growing(stream, kind)
        yield file
        file.write_header()
        stream.flush()
        os.fsync(stream.fileno())


def _map(path: Path, kind: Any) -> NDArray[Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path}: not a NumPy file, or damaged: {error!s:.100}") from error
    if array.ndim != 1 or array.dtype != np.dtype(kind):
        found = f"{array.ndim} dimensions of {array.dtype}"
        raise ValueError(f"{path}: must have one dimension of {np.dtype(kind)}, but has {found}")
    return np.asarray(array)


def _csr(arrays: Mapping[str, Any], name: str, n_columns: int, data: Any) -> Any:
    indptr = arrays[f"{name}.indptr"]
    n_rows = len(indptr) - 1
    if n_rows < 0:
        raise ValueError(f"{name}.indptr must have one number at least, but is empty")
    csr = sparse.csr_array((n_rows, n_columns), dtype=data.dtype)
    # Set one by one, because scipy's constructor copies arrays to make their types the same.
    csr.data, csr.indices, csr.indptr = data, arrays[f"{name}.indices"], indptr
    return csr


def _read_sizes(folder: Path) -> dict[str, Any]:
    path = folder / _SIZES
    try:
        sizes = parsed_json(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path}: not JSON: {error!s:.100}") from None
    if not isinstance(sizes, dict) or sizes.keys() != {"n_features", "n_labels", "names"}:
        raise ValueError(f"{path}: must have n_features, n_labels and names, but has others")
    for name, limit in (("n_features", MAX_COLUMNS), ("n_labels", MAX_LABELS)):
        value = sizes[name]
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= limit:
            raise ValueError(f"{path}: {name} must lie in 0..{limit}, but is {value!r:.40}")
    names = sizes["names"]
    if names is not None and not (
        isinstance(names, list) and len(names) == sizes["n_labels"] == len(set(map(str, names)))
    ):
        raise ValueError(f"{path}: names must be a list of n_labels different names, or null")
    return sizes

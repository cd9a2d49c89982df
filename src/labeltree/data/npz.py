"""Sparse matrices in scipy's npz files."""

from __future__ import annotations

import zipfile
import zlib
from typing import Any

import numpy as np
from scipy import sparse

from labeltree.data.features import as_features
from labeltree.data.files import Source, file_name, open_read, open_write
from labeltree.data.labels import LabelRows, as_labels

# Raised by numpy, scipy and zipfile for files that are damaged or hold something else.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    RuntimeError,
)


def read_npz(path: Source) -> sparse.csr_array[np.float32, tuple[int, int]]:
    """Return features from a file written by scipy.sparse.save_npz.

    Pickled objects are never loaded.

    Raises
    ------
    ValueError
        If the file is damaged or `as_features` rejects its content. The message names the path.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_npz(file, as_features([[0, 1.5]]))
    >>> _ = file.seek(0)
    >>> read_npz(file).toarray().tolist()
    [[0.0, 1.5]]
    """
    matrix = _load(path)
    try:
        return as_features(matrix)
    except ValueError as error:
        raise ValueError(f"{file_name(path)}: {error}") from None


def read_npz_labels(path: Source) -> LabelRows:
    """Return labels from a 0/1 indicator matrix written by scipy.sparse.save_npz.

    Pickled objects are never loaded.

    Raises
    ------
    ValueError
        If the file is damaged or `as_labels` rejects its content. The message names the path.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_npz(file, as_labels([[0, 1], [1]]))
    >>> _ = file.seek(0)
    >>> read_npz_labels(file).counts.tolist()
    [1, 2]
    """
    matrix = _load(path)
    try:
        return as_labels(matrix)
    except ValueError as error:
        raise ValueError(f"{file_name(path)}: {error}") from None


def write_npz(path: Source, rows: Any) -> None:
    """Write features, or the indicator matrix of LabelRows, in scipy.sparse.save_npz format.

    Label names are not saved.

    Examples
    --------
    >>> import io
    >>> from scipy import sparse
    >>> file = io.BytesIO()
    >>> write_npz(file, as_labels([[0, 1], [1]]))
    >>> _ = file.seek(0)
    >>> sparse.load_npz(file).toarray().tolist()
    [[1, 1], [0, 1]]
    """
    matrix = rows.to_csr() if isinstance(rows, LabelRows) else as_features(rows)
    with open_write(path) as stream:
        sparse.save_npz(stream, matrix)


def _load(path: Source) -> Any:
    with open_read(path) as stream:
        try:
            return sparse.load_npz(stream)
        except _BROKEN as error:
            raise ValueError(
                f"{file_name(path)}: not a sparse matrix in npz format: {error}"
            ) from error

"""Sparse matrices in scipy's npz files."""

from __future__ import annotations

import errno
import math
import os
import struct
import zipfile
import zlib
from typing import IO, Any

import numpy as np
from scipy import sparse

from labeltree.arguments import shown
from labeltree.data.features import as_features
from labeltree.data.files import Source, file_name, open_read, open_write
from labeltree.data.labels import LabelRows, as_labels
from labeltree.data.limits import (
    MAX_EMPTY_ROWS,
    MAX_RATIO,
    MAX_UNPACKED,
    check_size,
    max_unpacked,
)

# Raised by numpy, scipy and zipfile for files that are damaged or hold something else.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    RuntimeError,
    struct.error,
)
# Numbers of rows and columns; scipy would round others.
_POSITIONS = frozenset(f"{name}.npy" for name in ("row", "col", "indices", "indptr", "offsets"))
# Raised where they do not expect what a file holds.
_UNEXPECTED = (TypeError, LookupError, AttributeError, OverflowError)


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
        X = as_features(matrix)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{file_name(path)}: {error}") from None
    check_size(file_name(path), "features", X.shape[1], X.nnz)
    return X


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
        rows = as_labels(matrix)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{file_name(path)}: {error}") from None
    check_size(file_name(path), "labels", rows.n_labels, len(rows.indices))
    return rows


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
    name = file_name(path)
    with open_read(path) as stream:
        try:
            n_bytes = _check_members(stream)
            matrix = sparse.load_npz(stream)
        except _BROKEN as error:
            raise ValueError(
                f"{name}: not a sparse matrix in npz format: {error!s:.100}"
            ) from error
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            raise ValueError(
                f"{name}: not a sparse matrix in npz format: its parts lie outside the file; copy "
                "it again"
            ) from error
        except _UNEXPECTED as error:
            raise ValueError(
                f"{name}: not a sparse matrix in npz format: an array is missing or has another "
                "type; write the file with scipy.sparse.save_npz"
            ) from error
    limit = max(MAX_EMPTY_ROWS, n_bytes)
    if matrix.shape[0] > limit:
        raise ValueError(
            f"{name}: a matrix of {n_bytes} bytes may have at most {limit} rows, but has "
            f"{matrix.shape[0]}"
        )
    return matrix


def _check_members(stream: IO[bytes]) -> int:
    """Return the unpacked size of an npz file; refuse one that asks for more memory than it has.

    numpy takes the memory of an array before it reads the array, and scipy that of rows and columns
    that have no entries.
    """
    packed = stream.seek(0, os.SEEK_END)
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
        unpacked = sum(member.file_size for member in members)
        if unpacked > max_unpacked(packed):
            raise ValueError(
                f"it must unpack to at most {MAX_UNPACKED >> 20} MiB or {MAX_RATIO} times its "
                f"size, but unpacks to {unpacked >> 20} MiB"
            )
        for member in members:
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{member.filename} must be stored or deflated, but is neither")
            with archive.open(member) as content:
                _check_array(member.filename, content, member.file_size)
    stream.seek(0)
    return unpacked


def _check_array(name: str, content: IO[bytes], n_bytes: int) -> None:
    version = np.lib.format.read_magic(content)
    read_header = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read_header(content)
    if any(size < 0 for size in shape) or math.prod(shape) * dtype.itemsize > n_bytes:
        raise ValueError(f"{name} has {n_bytes} bytes, which are too few for the shape {shape}")
    if name in _POSITIONS and dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers, but holds {shown(dtype.name)}")

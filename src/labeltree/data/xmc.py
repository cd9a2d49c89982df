"""Text files in the format of the XMC repository."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labeltree import _core
from labeltree.data.features import as_features, canonical_csr
from labeltree.data.files import Source, file_name, open_read, open_write
from labeltree.data.labels import LabelRows, as_labels
from labeltree.data.limits import check_size

_PIECE = 1 << 20  # bytes read at a time
_ROWS_PER_PIECE = 4096  # rows written at a time


def read_xmc(
    path: Source,
    *,
    header: bool = True,
    n_features: int | None = None,
    n_labels: int | None = None,
) -> tuple[sparse.csr_array[np.float32, tuple[int, int]], LabelRows]:
    """Return features and labels from a text file in the format of the XMC repository.

    The first line is ``rows features labels``. Each following line is a row ``l1,l2 f1:v1 f2:v2``
    of label numbers and feature:value pairs, all counted from 0. A row without labels starts with a
    space. Lines may end in \\\\n or \\\\r\\\\n. Features may come in any order. Values of a
    duplicate feature are summed, and duplicate labels count once. Empty lines after the last row
    are skipped.

    Parameters
    ----------
    path
        File name (.gz and .zst are decompressed), "-" for standard input, or an open binary file.
    header
        Whether the first line holds the sizes. Without a header, every line is a row, and an empty
        line is a row without labels and features.
    n_features, n_labels
        Sizes of a file without a header. None means one more than the largest number in the file.

    Raises
    ------
    ValueError
        If a line does not follow the format, a number is out of bounds, a value is NaN or infinite,
        or the number of rows does not match the header. The message names path and line.

    Examples
    --------
    >>> import io
    >>> X, Y = read_xmc(io.BytesIO(b"2 3 2\\n0,1 0:0.5 2:1\\n 1:2\\n"))
    >>> X.toarray().tolist()
    [[0.5, 0.0, 1.0], [0.0, 2.0, 0.0]]
    >>> Y.to_csr().toarray().tolist()
    [[1, 1], [0, 0]]
    """
    if header and (n_features is not None or n_labels is not None):
        raise ValueError(
            "n_features and n_labels are read from the header; pass them only with header=False"
        )
    for name, size in (("n_features", n_features), ("n_labels", n_labels)):
        if size is not None and size < 0:
            raise ValueError(f"{name} must be at least 0, but is {size}")
    parser = _core.RowParser(
        header, -1 if n_features is None else n_features, -1 if n_labels is None else n_labels
    )
    parsed = _parse(path, parser)
    indptr, indices, values, label_indptr, label_indices, columns, labels = parsed
    check_size(file_name(path), "features", columns, len(indices))
    check_size(file_name(path), "labels", labels, len(label_indices))
    X = canonical_csr(indptr, indices, values, columns)
    return X, LabelRows(label_indptr, label_indices, labels)


def _parse(path: Source, parser: _core.RowParser) -> tuple[Any, ...]:
    with open_read(path) as stream:
        try:
            while piece := stream.read(_PIECE):
                parser.feed(piece)
            return parser.finish()
        except ValueError as error:
            if str(error).startswith("line "):
                raise ValueError(f"{file_name(path)}: {error}") from None
            raise


def write_xmc(path: Source, X: Any, Y: Any) -> None:
    """Write features and labels as text in the format of the XMC repository.

    Values are read back as the same float32. Labels are written as numbers; names are not saved.

    Parameters
    ----------
    path
        File name (.gz and .zst are compressed), "-" for standard output, or an open binary file.
    X, Y
        Features and labels, in any form that `as_features` and `as_labels` accept, with the same
        number of rows.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_xmc(file, [[0.5, 0, 1], [0, 2, 0]], [[0, 1], []])
    >>> file.getvalue()
    b'2 3 2\\n0,1 0:0.5 2:1\\n 1:2\\n'
    """
    X, Y = as_features(X), as_labels(Y)
    if X.shape[0] != Y.n_rows:
        raise ValueError(
            f"X and Y must have the same number of rows, but have {X.shape[0]} and {Y.n_rows}"
        )
    indptr = X.indptr.astype(np.int64)
    with open_write(path) as stream:
        stream.write(f"{X.shape[0]} {X.shape[1]} {Y.n_labels}\n".encode())
        for start in range(0, Y.n_rows, _ROWS_PER_PIECE):
            stop = min(start + _ROWS_PER_PIECE, Y.n_rows)
            first, last = indptr[start], indptr[stop]
            first_label, last_label = Y.indptr[start], Y.indptr[stop]
            piece = _core.format_rows(
                Y.indptr[start : stop + 1] - first_label,
                Y.indices[first_label:last_label],
                indptr[start : stop + 1] - first,
                X.indices[first:last],
                X.data[first:last],
            )
            stream.write(piece)

"""Files in the text format of the XMC repository."""

import os
from pathlib import Path

from labeltree.data import read_xmc
from labeltree.data.row_scaling import UNIT
from labeltree.datasets.kinds import MatrixData


def xmc(
    train: str | os.PathLike[str],
    test: str | os.PathLike[str] | None = None,
    *,
    normalize: bool = False,
    name: str | None = None,
) -> MatrixData:
    """Return the rows of a file in XMC format, and perhaps of a test file that goes with it.

    Parameters
    ----------
    train, test
        Text files: a line ``rows features labels``, then a line ``label,label feature:value ...``
        for each row.
    normalize
        Scale each row to length 1.
    name
        Name of the data; the name of the train file when None.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "pets.txt")
    ...     _ = file.write_text("2 3 4\\n1,3 0:0.5 2:1\\n0 1:2\\n")
    ...     xmc(file)
    <MatrixData pets.txt: 2 rows, 3 features, 4 labels>
    """
    X, Y = read_xmc(train)
    X_test, Y_test = (None, None) if test is None else read_xmc(test)
    if X_test is not None and X_test.shape[1] != X.shape[1]:
        raise ValueError(f"{test} has {X_test.shape[1]} features, but {train} has {X.shape[1]}")
    if Y_test is not None and Y_test.n_labels != Y.n_labels:
        raise ValueError(f"{test} has {Y_test.n_labels} labels, but {train} has {Y.n_labels}")
    if normalize:
        X, X_test = UNIT(X, in_place=True), None if X_test is None else UNIT(X_test, in_place=True)
    return MatrixData(Path(train).name if name is None else name, X, Y, X_test, Y_test)

"""Any number of columns folded into a fixed one, for features that nobody knows in advance."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from labeltree.data import as_features
from labeltree.data.features import FeatureMatrix


def fold_columns(X: Any, n_features: int) -> FeatureMatrix:
    """Return X with column j added to column j modulo n_features.

    A model that learns online has a fixed number of columns. Where the number of X grows with time,
    fold it: two columns that share a place are confused, which costs little while few do.

    Parameters
    ----------
    X
        Features of the rows.
    n_features
        Number of columns of the result.

    Examples
    --------
    >>> fold_columns([[1, 0, 0, 5, 7]], 3).toarray().tolist()
    [[6.0, 7.0, 0.0]]
    """
    if n_features < 1:
        raise ValueError(f"n_features must be at least 1, but is {n_features}")
    rows = as_features(X)
    folded = sparse.csr_array(
        (rows.data, rows.indices % n_features, rows.indptr),
        shape=(rows.shape[0], n_features),
        copy=True,
    )
    return as_features(folded)

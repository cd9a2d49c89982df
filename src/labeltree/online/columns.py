"""Hashing of columns to a fixed number, for feature spaces that grow."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from labeltree.arguments import check_integer, checked
from labeltree.data import as_features
from labeltree.data.compressed import MAX_COLUMNS
from labeltree.data.features import FeatureMatrix


@checked
def fold_columns(X: Any, n_features: int) -> FeatureMatrix:
    """Return X with column j added to column j modulo n_features.

    The number of features of an online model is fixed after the first call of `partial_fit`. If
    your feature space grows, hash it to a fixed size with this function. Columns that share an
    index cannot be distinguished; this has little effect while there are few such collisions.

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
    check_integer("n_features", n_features, minimum=1, maximum=MAX_COLUMNS)
    rows = as_features(X)
    folded = sparse.csr_array(
        (rows.data, rows.indices % n_features, rows.indptr),
        shape=(rows.shape[0], n_features),
        copy=True,
    )
    return as_features(folded)

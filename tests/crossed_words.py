"""Rows whose labels depend on pairs of features."""

import numpy as np
from scipy import sparse

from labeltree.data import as_features
from labeltree.data.features import FeatureMatrix


def crossed(n_rows: int = 2000, seed: int = 0) -> tuple[FeatureMatrix, list[list[str]]]:
    """Rows whose label depends on two words together, and on neither alone, and other words."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 6, (2, n_rows))
    noise = 12 + rng.integers(0, 60, (n_rows, 4))
    columns = np.column_stack([a, 6 + b, noise])
    rows = np.repeat(np.arange(n_rows), 6)
    X = sparse.csr_array(
        (np.ones(6 * n_rows, np.float32), (rows, columns.ravel())), shape=(n_rows, 72)
    )
    X.sum_duplicates()
    return as_features(X), [[f"{(i + j) % 6}"] for i, j in zip(a, b, strict=True)]

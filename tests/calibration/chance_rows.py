"""Random rows whose labels depend on their features; some rows have no labels."""

import numpy as np
from scipy import sparse

from labeltree import PLTClassifier
from labeltree.data import as_features, as_labels


def data(n_rows: int = 300, seed: int = 0):
    """Features and labels: 12 features, 10 labels."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n_rows, 12), density=0.4, rng=rng, dtype=np.float64).tocsr()
    weights = np.random.default_rng(7).normal(size=(12, 10))
    Y = rng.random((n_rows, 10)) < 1 / (1 + np.exp(2 - X @ weights))
    return as_features(X), as_labels(Y.astype(np.uint8))


def fitted(**options) -> PLTClassifier:
    """An estimator fitted to these rows."""
    return PLTClassifier(tree="huffman", n_jobs=1, **options).fit(*data())

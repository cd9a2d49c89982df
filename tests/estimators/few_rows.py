"""A few rows for tests of classifiers."""

import numpy as np
from scipy import sparse

EXACT = {"tol": 1e-5, "max_iter": 3000, "weight_threshold": 0.0}


def data(n_rows: int = 80, n_features: int = 15, n_labels: int = 20, seed: int = 0):
    """Rows with a few features and labels; row 0 has no features and rows 1 to 9 no labels."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n_rows, n_features), density=0.3, rng=rng, dtype=np.float64).tolil()
    X[0] = 0
    Y = rng.random((n_rows, n_labels)) < 0.15
    Y[~Y.any(axis=1), 0] = True
    Y[1:10] = False
    return X.tocsr().astype(np.float32), sparse.csr_array(Y.astype(np.uint8))


def dense(clf, X) -> np.ndarray:
    found = clf.predict_proba(X)
    return found.toarray() if sparse.issparse(found) else found

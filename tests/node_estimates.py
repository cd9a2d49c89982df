"""The estimates of all nodes of a trained model, for comparison in tests."""

import numpy as np
from scipy import sparse

from labeltree.model import Model
from tests.reference import search as reference


def node_estimates(model: Model, X) -> np.ndarray:
    """Return P(z_v = 1 | z_pa(v) = 1, x) of the first tree: (n_rows, n_nodes)."""
    w = model.weights()
    shape = (len(w.bias), model.n_features)
    scores = X @ sparse.csr_array((w.values, w.features, w.indptr), shape=shape).T + w.bias
    slope, intercept = model.links(0)
    estimates = reference.sigmoid(slope * np.asarray(scores, np.float64) + intercept)
    if not model.has_root:
        estimates[:, 0] = 1.0
    return estimates

"""The bound of Theorem 6 on the prediction cost of a trained model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import bounds
from labeltree.data.features import FeatureMatrix

_ESTIMATES_AT_ONCE = 1 << 22  # maximum number of node estimates in memory


def cost_bound(model: Any, X: FeatureMatrix, threshold: float) -> NDArray[np.int64]:
    """Return the maximum number of node classifiers evaluated per row, by Theorem 6.

    For models of one tree. The public method is `PLTClassifier.prediction_cost_bound`.
    """
    if len(model.trees) > 1:
        raise ValueError(
            f"prediction_cost_bound requires one tree, but the model has {len(model.trees)}"
        )
    # The theorem is about products along paths, before calibration.
    tau = threshold if model.curve is None else float(model.curve.before(threshold))
    tree = model.trees[0]
    limits = [np.empty(0, np.int64)]
    n_rows = max(_ESTIMATES_AT_ONCE // tree.n_nodes, 1)
    for first in range(0, X.shape[0], n_rows):
        labels = model.covered(X[first : first + n_rows])
        # Searches use single precision: a node may be just above the threshold there and just
        # below it here.
        labels = np.minimum(labels * (1 + 1e-5), 1.0)
        limits.append(bounds.threshold_cost_bound(tree, labels, tau))
    return np.concatenate(limits)

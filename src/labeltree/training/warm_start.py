"""Warm start: the weights of a trained model as the start of another training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree.model.layout import NodeWeights
from labeltree.model.model import Model
from labeltree.training.nodes import NEVER
from labeltree.training.starting_weights import WarmStart

#: Target scores of the solver. They initialize a root for which every row was positive, and other
#: nodes for which no row was positive.
_POSITIVE, _NEGATIVE = 1.0, -1.0


def warm_start_of(model: Model, loss: str, n_rows: int) -> tuple[WarmStart, ...]:
    """Return the weights of each tree, rescaled so that the link of a loss applies to the scores.

    Parameters
    ----------
    model
        The trained model.
    loss
        Loss of the next training.
    n_rows
        Number of rows that the model was trained on.

    Examples
    --------
    >>> from labeltree import PLTClassifier
    >>> clf = PLTClassifier().fit([[1, 0], [0, 1]], [["tea"], ["bread"]])
    >>> [start] = warm_start_of(clf.model_, "squared_hinge", n_rows=2)
    >>> np.array_equal(start.weights.values, clf.model_.weights().values)
    True
    """
    return tuple(_start(model, t, loss, n_rows) for t in range(len(model.trees)))


def check_finite_start(values: NDArray[np.float32], bias: NDArray[np.float32]) -> None:
    """Refuse weights of a file, which opens without a look at each of them, before they spread."""
    if not (np.isfinite(values).all() and np.isfinite(bias).all()):
        raise ValueError(
            "training can only continue from finite weights, but the model has others; it may come "
            "from a damaged file"
        )


def _start(model: Model, tree: int, loss: str, n_rows: int) -> WarmStart:
    before = model.weights(tree)
    slopes, intercepts = model.links(tree)
    slope, intercept = model.fixed_links(tree, loss)
    is_known = before.bias > NEVER
    bias = (before.bias * slopes + intercepts - intercept) / slope
    bias[~is_known] = _NEGATIVE
    if not model.has_root:
        is_known[0], bias[0] = True, _POSITIVE
    with np.errstate(over="ignore", invalid="ignore"):
        of_weight = np.repeat(slopes / slope, np.diff(before.indptr))
        values = (before.values * of_weight).astype(np.float32)
        bias = bias.astype(np.float32)
    check_finite_start(values, bias)
    return WarmStart(
        NodeWeights(before.indptr, before.features, values, bias),
        is_known,
        n_rows,
        model.has_root,
        None if model.calibration.factors is None else model.calibration.factors[tree],
    )

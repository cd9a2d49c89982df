"""Weights that training starts from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree.model.layout import NodeWeights
from labeltree.training.loss_weights import LossWeights
from labeltree.training.parts import Part

_NEW_ROWS_POWER = (
    0.75  # C decreases with the share of new rows to this power; docs/how-to/warm-start.md
)


class WarmStart(NamedTuple):
    """Weights that training starts from."""

    weights: NodeWeights
    is_known: NDArray[np.bool_]  # [node] whether they were learned from positive rows
    rows_before: int  # number of rows that they were learned from
    has_root: bool  # whether the root has a classifier, because some of these rows had no label
    factors: NDArray[np.float32] | None = None  # [node] of slopes, see `slope_factors`

    def decayed(self, weights: LossWeights, n_rows: int) -> LossWeights:
        """Return loss weights that are lower in nodes with weights from earlier rows."""
        if not len(self.is_known):
            return weights
        share = n_rows / max(self.rows_before + n_rows, 1)
        factor = np.where(self.is_known, share**_NEW_ROWS_POWER, 1.0).astype(np.float32)
        return LossWeights(*(weight * factor for weight in weights))


#: Training from scratch.
NO_WARM_START = WarmStart(
    NodeWeights(
        np.empty(0, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.float32),
        np.empty(0, np.float32),
    ),
    np.empty(0, np.bool_),
    0,
    False,
)


def untrained_part(warm_start: WarmStart, is_trained: NDArray[np.uint8]) -> Part:
    """Return the warm-start weights of nodes that have no positive rows to train on."""
    weights, is_known = warm_start.weights, warm_start.is_known
    lengths = np.diff(weights.indptr)
    is_kept = is_known & (is_trained[: len(is_known)] == 0)
    of_kept = np.repeat(is_kept, lengths)
    return Part(
        np.flatnonzero(is_kept).astype(np.int32),
        np.append(0, np.cumsum(lengths[is_kept])),
        weights.features[of_kept],
        weights.values[of_kept],
        weights.bias[is_kept],
        n_visits=0,
        n_iter=0,
        n_far_pairs=0,
    )

"""Means of the weights of nodes that are trained in slices of their rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from labeltree.training.parts import Part
from labeltree.training.solver_settings import SolverSettings


@dataclass(eq=False)
class _Sum:
    """The weights of a node, summed over slices."""

    weights: NDArray[np.float32]  # [feature]
    bias: np.float32 = field(default_factory=lambda: np.float32(0))
    n_added: int = 0


@dataclass(eq=False)
class SliceMeans:
    """Replaces the weights of slices by their mean, when the last slice of a node arrives.

    Parts must arrive in the order of their packs, because sums depend on their order.

    Parameters
    ----------
    n_slices
        Number of slices of each node; at most 1 for nodes that are trained at once.
    n_features
        Number of features.
    settings
        Settings that say which weights are kept.
    """

    n_slices: NDArray[np.int32]
    n_features: int
    settings: SolverSettings
    _sums: dict[int, _Sum] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._has_slices = bool((self.n_slices > 1).any())

    def means(self, part: Part) -> Part:
        """Return a part with means, and without the nodes that wait for more slices."""
        if not self._has_slices:
            return part
        is_sliced = self.n_slices[part.nodes] > 1
        found = []
        for i, node in enumerate(part.nodes.tolist()):
            entries = slice(*part.indptr[i : i + 2].tolist())
            one = part.features[entries], part.values[entries], part.bias[i]
            if is_sliced[i]:
                mean = self._mean(node, *one)
                found += [] if mean is None else [(node, *mean)]
            else:
                found.append((node, *one))
        return _with_weights(part, found)

    def _mean(
        self, node: int, features: NDArray[np.int32], values: NDArray[np.float32], bias: np.float32
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], np.float32] | None:
        """Add a slice of a node; return the mean after the last one."""
        if node not in self._sums:
            self._sums[node] = _Sum(np.zeros(self.n_features, np.float32))
        total, n_slices = self._sums[node], np.float32(self.n_slices[node])
        total.weights[features] += values
        total.bias += bias
        total.n_added += 1
        if total.n_added < n_slices:
            return None
        weights = self._sums.pop(node).weights / n_slices
        kept = np.flatnonzero(np.abs(weights) > self._limit(weights)).astype(np.int32)
        return kept, weights[kept], total.bias / n_slices

    def _limit(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what each weight must be larger than to be kept."""
        settings, most = self.settings, self.settings.max_nonzeros
        limits = np.full(len(weights), settings.weight_threshold, np.float32)
        limits[len(weights) - settings.n_pairs :] = settings.pair_threshold
        if most is None or len(weights) <= most:
            return limits
        return np.asarray(np.maximum(limits, np.sort(np.abs(weights))[-1 - most]), np.float32)


def _with_weights(
    part: Part, nodes: list[tuple[int, NDArray[np.int32], NDArray[np.float32], np.float32]]
) -> Part:
    """Return the part with the weights of these nodes instead of its own."""
    none = (np.empty(0, np.int32), np.empty(0, np.float32))
    return part._replace(
        nodes=np.array([one[0] for one in nodes], np.int32),
        indptr=np.cumsum([0, *(len(one[1]) for one in nodes)]).astype(np.int64),
        features=np.concatenate([none[0], *(one[1] for one in nodes)]),
        values=np.concatenate([none[1], *(one[2] for one in nodes)]),
        bias=np.array([one[3] for one in nodes], np.float32),
    )

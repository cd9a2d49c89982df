"""Training time and weights of a tree, extrapolated from some of its packs of nodes.

The trainer fits nodes in packs, and estimates the work of each. Packs whose work differs by at most
a factor of 2 form a stratum. A few packs of each are trained and timed.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.training.parts import Part

_SHARE = 0.006  # of the work of all packs, for each stratum
_MIN_WORK = 1e6  # for each stratum; about 15 ms
_MIN_PACKS, _MAX_PACKS = 3, 64  # of each stratum
_MANY_PACKS_WORK = 2e8  # of all packs; above, the few largest packs take too long
_MAX_STRATA = 15


class PackSample(NamedTuple):
    """Packs of one stratum that are trained, and the work of the whole stratum."""

    packs: NDArray[np.int64]
    work: float


class PackEstimate(NamedTuple):
    """Estimates for all packs of a tree."""

    seconds: float
    n_weights: float


def sampled_packs(costs: NDArray[np.float64]) -> list[PackSample]:
    """Return some packs of each stratum; costs descend.

    Examples
    --------
    >>> samples = sampled_packs(np.array([9e9] * 100 + [1e9] * 5000))
    >>> [len(sample.packs) for sample in samples]
    [3, 35]
    """
    if not len(costs):
        return []
    halved = np.floor(np.log2(costs[0] / np.maximum(costs, costs[0] * 2.0**-_MAX_STRATA)) + 1e-9)
    total = float(costs.sum())
    least = _MIN_PACKS if total < _MANY_PACKS_WORK else _MIN_PACKS - 1
    made = []
    for level in np.unique(halved):
        stratum = np.flatnonzero(halved == level)
        work = float(costs[stratum].sum())
        share = max(_SHARE * total, _MIN_WORK) / max(work, 1.0)
        n_packs = min(len(stratum), max(least, min(int(share * len(stratum)), _MAX_PACKS)))
        places = (np.arange(n_packs) + 0.5) * len(stratum) / n_packs
        made.append(PackSample(stratum[places.astype(np.int64)], work))
    return made


def train_sample(trainer: _core.Trainer, n_positive: NDArray[np.floating]) -> PackEstimate:
    """Train some packs on one thread, and return estimates for all of them.

    Parameters
    ----------
    trainer
        The trainer of a tree.
    n_positive
        Number of positive rows of each node. The number of weights of a node follows from it more
        closely than from the work of its pack.
    """
    costs = trainer.costs()
    seconds = 0.0
    counted: list[tuple[NDArray[np.int32], NDArray[np.int64]]] = []
    for packs, work in sampled_packs(costs):
        start = time.process_time()
        parts = [Part(*trainer.train(pack, pack + 1, 1)) for pack in packs.tolist()]
        used = time.process_time() - start
        seconds += used * work / max(float(costs[packs].sum()), 1.0)
        counted += [(part.nodes, np.diff(part.indptr)) for part in parts]
    if not counted:
        return PackEstimate(0.0, 0.0)
    nodes, n_weights = (np.concatenate(arrays) for arrays in zip(*counted, strict=True))
    weights = total_weights(n_positive[trainer.is_trained() > 0], n_positive[nodes], n_weights)
    return PackEstimate(seconds, weights)


def total_weights(
    n_positive: NDArray[np.floating | np.integer],
    sampled_positive: NDArray[np.floating | np.integer],
    sampled_weights: NDArray[np.integer],
) -> float:
    """Return the number of weights of all nodes, from those of sampled nodes.

    Nodes whose number of positive rows differs by less than a factor of 2 have the mean number of
    the sampled ones among them, or one interpolated from their neighbors.

    Examples
    --------
    >>> total_weights(np.array([1, 1, 2, 3, 8]), np.array([1, 2, 8]), np.array([10, 20, 40]))
    100.0
    """
    bins, sampled_bins = (
        np.log2(np.maximum(counts, 1)).astype(np.int64) for counts in (n_positive, sampled_positive)
    )
    known, places = np.unique(sampled_bins, return_inverse=True)
    means = np.bincount(places, sampled_weights) / np.bincount(places)
    logs = np.interp(bins, known, np.log(means + 1))
    return float((np.exp(logs) - 1).sum())

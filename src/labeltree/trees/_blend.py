"""Trees that trade off training cost against the similarity of labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.arguments import checked
from labeltree.execution.executor import as_executor
from labeltree.execution.mapped_arrays import page_bytes
from labeltree.threads import n_threads
from labeltree.trees import spread
from labeltree.trees._cheapest import cheapest
from labeltree.trees._refine import collapsed, hamming_weights, sweep
from labeltree.trees.cost_model import PAPER, CostModel
from labeltree.trees.counts import as_seed
from labeltree.trees.tree import LabelTree
from labeltree.trees.vectors import NativeRows, native_rows


@checked
def blend(
    X: Any,
    Y: Any,
    *,
    similarity: float = 0.25,
    sweeps: int = 0,
    cost_model: CostModel = PAPER,
    random_state: int = 0,
    n_jobs: int | None = None,
    executor: Any = None,
    max_memory: float | None = None,
) -> LabelTree:
    """Return a tree that is cheap to train and groups labels with similar features.

    The algorithm is φ merging (see `merge`), except that the smallest cluster of labels is joined
    with the cluster that minimizes cost^(1 - similarity) · distance^similarity. Here, cost is the
    criterion of φ merging, and distance is one minus the cosine of the two sums of label vectors
    (see `label_vectors`). An optimal collapse follows, and then `sweeps` sweeps; neither considers
    features. Each step compares at most about fifty clusters: the cheapest that share rows, and
    neighbors in a 2-means tree. Only the 512 largest entries of each label vector are used. If
    `similarity` is at least 0.75 and there are more than 4096 labels, 2-means first splits the
    labels into parts, and small clusters are grown within the parts on all threads.
    The rows of X are used unchanged. Scale them to unit length first, as the estimators do.

    Parameters
    ----------
    X, Y
        Features and labels of the rows.
    similarity
        Weight of the features, between 0 and 1. 0 considers cost only and is equivalent to
        `cheapest`. 1 considers features only, which may produce long chains of labels and an
        expensive tree. Up to about 0.5, the cost increases only slightly.
    sweeps
        Number of sweeps after the collapse (see `sweep`). They lower the cost and ignore features.
    cost_model
        Cost of a node.
    random_state
        Seed for the initial centroids of the k-means that finds neighbors among the labels.
    n_jobs
        Number of threads; all cores by default. The tree does not depend on it.
    executor
        Where parts are built, as in `PLTClassifier`. The tree does not depend on it.
    max_memory
        If X is memory-mapped, maximum number of bytes of X and its labels in each worker. The tree
        does not depend on it.

    Examples
    --------
    Even labels are similar, and so are odd labels, but 0 and 1 occur together in some rows:

    >>> X = [[1, 0]] * 6 + [[0, 1]] * 6 + [[1, 1]] * 2
    >>> Y = [[0], [2], [4]] * 2 + [[1], [3], [5]] * 2 + [[0, 1]] * 2
    >>> blend(X, Y, similarity=0).to_nested()
    [[0, 1], [2, 3], [4, 5]]
    >>> blend(X, Y, similarity=1).to_nested()
    [0, [2, 4], 1, [3, 5]]
    """
    return collapsed_blend(
        X,
        Y,
        lambda binary, weights: cost_model,
        similarity=similarity,
        sweeps=sweeps,
        cost_model=cost_model,
        random_state=random_state,
        n_jobs=n_jobs,
        executor=executor,
        max_memory=max_memory,
    )


def collapsed_blend(
    X: Any,
    Y: Any,
    final_model: Callable[[LabelTree, NDArray[np.int64]], CostModel],
    *,
    similarity: float,
    sweeps: int,
    cost_model: CostModel,
    random_state: int,
    n_jobs: int | None,
    executor: Any,
    max_memory: float | None,
) -> LabelTree:
    """Return a blend as `blend` does, collapsed by the cost model for the binary tree of merges.

    The cost model is a function of this tree and of the Hamming weights of its nodes.
    """
    if not 0 <= similarity <= 1:
        raise ValueError(f"similarity must lie in 0..1, but is {similarity}")
    seed = as_seed(random_state)
    rows, labels = native_rows(X, Y)
    if similarity == 0:
        return cheapest(labels, sweeps=sweeps, cost_model=cost_model)
    workers, threads = as_executor(executor, n_jobs), n_threads(n_jobs)
    if workers.n_workers > 1 or page_bytes(rows[1:3], max_memory):
        nodes = spread.blend_on(workers, rows, similarity, cost_model, seed, threads, max_memory)
    else:
        nodes = _merged(rows, similarity, cost_model, seed, threads)
    binary = LabelTree.from_parents(*nodes, names=labels.names)
    weights = hamming_weights(binary, labels)
    final = final_model(binary, weights)
    tree = collapsed(binary, weights, final)
    return sweep(tree, labels, sweeps=sweeps, cost_model=final)


def _merged(
    rows: NativeRows, similarity: float, cost_model: CostModel, seed: int, n_threads: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return _core.blend(
        *rows,
        per_row=cost_model.per_row,
        per_pair=cost_model.per_pair,
        similarity=similarity,
        seed=seed,
        n_threads=n_threads,
        max_top_rows=spread.MAX_TOP_ROWS,
    )

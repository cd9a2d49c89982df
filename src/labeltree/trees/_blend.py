"""Trees between the cheapest and those of the most alike labels."""

from __future__ import annotations

from typing import Any

from labeltree import _core
from labeltree.threads import n_threads
from labeltree.trees._cheapest import cheapest
from labeltree.trees._refine import collapse, sweep
from labeltree.trees.cost_model import PAPER, CostModel
from labeltree.trees.tree import LabelTree
from labeltree.trees.vectors import native_rows


def blend(
    X: Any,
    Y: Any,
    *,
    similarity: float = 0.25,
    sweeps: int = 0,
    cost_model: CostModel = PAPER,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> LabelTree:
    """Return a tree that is cheap and keeps labels with the same features together.

    φ merging (see `merge`), but the smallest cluster of labels is joined with the one that
    minimizes price^(1 - similarity) · distance^similarity, where the price is that of φ merging and
    the distance is one minus the cosine of the two sums of label vectors (see `label_vectors`). The
    optimal collapse and, if asked for, sweeps by price alone follow. A step compares at most about
    fifty clusters: the cheapest that share rows, and neighbours in a 2-means tree; of the label
    vectors the heaviest 512 entries count. From a similarity of 0.75 on, more than 4096 labels are
    split by 2-means into parts, in which small clusters grow first, on all threads.

    Rows of X are taken as they are: scale them to length 1 first, as a learner does.

    Parameters
    ----------
    X
        Features of the rows.
    Y
        Labels of the rows.
    similarity
        0 looks at the price only and is `cheapest`, 1 looks at the features only, which may make
        long chains of labels and a dear tree. Up to about 0.5 the cost hardly rises.
    sweeps
        How many sweeps follow; they lower the cost, and know nothing of features.
    cost_model
        What nodes cost.
    random_state
        Picks the first centroids of the k-means that finds neighbours among the labels.
    n_jobs
        Number of threads, all cores by default. The tree is the same for every number.

    Examples
    --------
    Even labels are alike, and so are odd ones, but 0 and 1 come together in some rows:

    >>> X = [[1, 0]] * 6 + [[0, 1]] * 6 + [[1, 1]] * 2
    >>> Y = [[0], [2], [4]] * 2 + [[1], [3], [5]] * 2 + [[0, 1]] * 2
    >>> blend(X, Y, similarity=0).to_nested()
    [[0, 1], [2, 3], [4, 5]]
    >>> blend(X, Y, similarity=1).to_nested()
    [0, [2, 4], 1, [3, 5]]
    """
    if not 0 <= similarity <= 1:
        raise ValueError(f"similarity must lie in 0..1, but is {similarity}")
    if random_state < 0:
        raise ValueError(f"random_state must be at least 0, but is {random_state}")
    rows, labels = native_rows(X, Y)
    if similarity == 0:
        return cheapest(labels, sweeps=sweeps, cost_model=cost_model)
    nodes = _core.blend(
        *rows,
        per_row=cost_model.per_row,
        per_pair=cost_model.per_pair,
        similarity=similarity,
        seed=random_state % 2**64,
        n_threads=n_threads(n_jobs),
    )
    binary = LabelTree.from_parents(*nodes, names=labels.names)
    collapsed = collapse(binary, labels, cost_model=cost_model)
    return sweep(collapsed, labels, sweeps=sweeps, cost_model=cost_model)

"""The default tree of the estimators: similar labels grouped, in nodes as wide as pays off."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.arguments import checked
from labeltree.trees._blend import collapsed_blend
from labeltree.trees._refine import collapsed
from labeltree.trees.cost_model import CostModel
from labeltree.trees.tree import LabelTree
from labeltree.trees.vectors import NativeRows, native_rows

_WIDTH = 3.0  # times the features per row
#: A tree with this price per row has nodes of about 16 children, which are trained in one pass.
_NARROW = CostModel(per_row=30.0)
_NARROW_DEGREE = 16
#: Work of the widest tree, relative to that of the narrow one.
#: docs/explanation/study-trees.md compares others.
_MAX_WORK = 10.0
_STEP = 2**-0.25  # from one width to the next


@checked
def auto(
    X: Any,
    Y: Any,
    *,
    width: float | None = None,
    min_per_row: float = 10.0,
    similarity: float = 0.75,
    sweeps: int = 0,
    cost_model: CostModel | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    executor: Any = None,
    max_memory: float | None = None,
) -> LabelTree:
    """Return a blend of similar labels; nodes are wider if rows have more features.

    Among all single trees, it is one of the most accurate for its training time
    (docs/explanation/study-trees.md).
    Rows with hundreds of features benefit from wider nodes than rows with ten. Unless a width or a
    cost model is given, nodes are narrower if wide ones take too long to train.
    """
    rows, labels = native_rows(X, Y)
    features_per_row = len(rows[1]) / max(labels.n_rows, 1)
    per_row = max((_WIDTH if width is None else width) * features_per_row, min_per_row)
    widest = CostModel(per_row=per_row) if cost_model is None else cost_model
    is_given = width is not None or cost_model is not None
    return collapsed_blend(
        X,
        Y,
        lambda binary, weights: widest if is_given else affordable(binary, weights, rows, widest),
        similarity=similarity,
        sweeps=sweeps,
        cost_model=widest,
        random_state=random_state,
        n_jobs=n_jobs,
        executor=executor,
        max_memory=max_memory,
    )


def affordable(
    binary: LabelTree,
    weights: NDArray[np.int64],
    rows: NativeRows,
    widest: CostModel,
    max_work: float = _MAX_WORK,
) -> CostModel:
    """Return the cost model of the widest nodes that do not take too much work to train.

    The trainer estimates work from numbers of rows, features and children.

    Parameters
    ----------
    binary
        The tree that is collapsed with the cost model.
    weights
        Number of positive rows of each of its nodes.
    rows
        The training rows.
    widest
        The cost model of the widest nodes that are of use.
    max_work
        Work of the result, relative to that of narrow nodes.
    """
    # A collapsed tree is the cheapest for its price, so the pairs of the widest exceed those of the
    # narrow one by at most per_row for each row of a node, which has this many children or more.
    if widest.per_row <= (max_work - 1) * _NARROW_DEGREE:
        return widest

    def work(cost_model: CostModel) -> float:
        return training_work(collapsed(binary, weights, cost_model), rows)

    limit = max_work * work(_NARROW)
    price = widest
    while price.per_row > _NARROW.per_row and work(price) > limit:
        price = CostModel(per_row=max(price.per_row * _STEP, _NARROW.per_row))
    return price


def training_work(tree: LabelTree, rows: NativeRows) -> float:
    """Return the work of training a tree, as the trainer estimates it."""
    indptr, indices, values, n_features, label_indptr, label_indices, _ = rows
    return _core.training_work(
        tree._native, label_indptr, label_indices, indptr, indices, values, n_features
    )

"""Training of rankers: classifiers of labels over the rows that the trees take for theirs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.model.model import Model
from labeltree.model.rankers import Rankers
from labeltree.model.subforest import subforest
from labeltree.progress import Progress
from labeltree.training.loss_weights import NO_DECAY
from labeltree.training.nodes import SolverSettings, train_nodes
from labeltree.training.parts import PartStore

# Labels whose rankers learn from a row: this many of the most probable ones, or this many times the
# mean number of labels of a row.
_MIN_CANDIDATES, _CANDIDATES_PER_LABEL = 10, 3

#: Passes that rankers take unless the user limits them; they gain from more than nodes do.
RANKER_ITER = 20
_NODES_PER_STEP = 8  # as in searches of many rows


def train_rankers(
    model: Model,
    X: FeatureMatrix,
    rows: LabelRows,
    settings: SolverSettings,
    *,
    sample_weight: NDArray[np.float32] | None = None,
    n_threads: int = 1,
    max_memory: float | None = None,
    progress: Progress | None = None,
    store: PartStore | None = None,
    candidates: LabelRows | None = None,
) -> Rankers:
    """Return a ranker for each label of a trained model.

    The positive rows of a ranker are those of its label. Its negative rows are hard: the label is
    among the most probable for them, but is not theirs. The model's predictions for the rows that
    it was trained on give as good negatives as out-of-fold predictions (docs/study.md).

    Parameters
    ----------
    model
        The trees, trained on these rows.
    X, rows
        The training rows, weighted and scaled.
    settings
        Settings of the solver. The loss of rankers is always the squared hinge. If `C_decay` is
        None, all have the same C.
    sample_weight, n_threads, max_memory, progress, store
        As in `train_nodes`.
    candidates
        What `find_candidates` returns for these rows; None to find them.
    """
    settings = replace(
        settings,
        loss="squared_hinge",  # the links of rankers are for its scores
        C_decay=settings.C_decay or NO_DECAY,
    )
    trained = train_nodes(
        model.trees[0],
        X,
        rows,
        settings,
        sample_weight=sample_weight,
        n_threads=n_threads,
        max_memory=max_memory,
        progress=progress,
        store=store,
        candidates=candidates or find_candidates(model, X, rows, n_threads),
    )
    return Rankers(trained.layout)


def find_candidates(
    model: Model, X: FeatureMatrix, rows: LabelRows, n_threads: int, k: int | None = None
) -> LabelRows:
    """Return the k labels of each row that are most probable by the first tree, in any order.

    Candidates of a whole forest make no better rankers and take several times as long to find. By
    default, k is 10, or three times the mean number of labels of a row if that is more: most of the
    labels found must not be the row's own.

    Examples
    --------
    >>> from labeltree import PLTClassifier
    >>> from labeltree.data import as_features, as_labels
    >>> X, y = as_features([[1, 0], [0, 1]]), as_labels([["tea"], ["bread"]])
    >>> clf = PLTClassifier().fit(X, [["tea"], ["bread"]])
    >>> find_candidates(clf.model_, X, y, n_threads=1, k=1).indices.tolist()
    [1, 0]
    """
    if k is None:
        per_row = len(rows.indices) / max(rows.n_labeled, 1)
        k = max(_MIN_CANDIDATES, round(_CANDIDATES_PER_LABEL * per_row))
    first = subforest(model, [0])
    found, _ = first.search(X, k=k, nodes_per_step=_NODES_PER_STEP, n_threads=n_threads)
    indptr, indices = found.indptr.astype(np.int64), found.indices.astype(np.int32)
    return replace(rows, indptr=indptr, indices=indices)

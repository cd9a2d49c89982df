"""Training of rankers: classifiers of labels over the rows that the trees take for theirs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows
from labeltree.data.compressed import pointers
from labeltree.data.features import FeatureMatrix
from labeltree.execution.executor import Executor, Threads, in_order
from labeltree.model.model import Model
from labeltree.model.rankers import Rankers
from labeltree.model.subforest import subforest, without_names
from labeltree.progress import Progress
from labeltree.training.loss_weights import NO_DECAY
from labeltree.training.nodes import train_nodes
from labeltree.training.parts import PartStore
from labeltree.training.solver_settings import SolverSettings

# Labels whose rankers learn from a row: this many of the most probable ones, or this many times the
# mean number of labels of a row.
_MIN_CANDIDATES, _CANDIDATES_PER_LABEL = 10, 3

#: Passes that rankers take unless the user limits them; they gain from more than nodes do.
RANKER_ITER = 20
_NODES_PER_STEP = 8  # as in searches of many rows
_JOBS_PER_WORKER = 8  # of the search for candidates


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
    executor: Executor | None = None,
) -> Rankers:
    """Return a ranker for each label of a trained model.

    The positive rows of a ranker are those of its label. Its negative rows are hard: the label is
    among the most probable for them, but is not theirs. The model's predictions for the rows that
    it was trained on give as good negatives as out-of-fold predictions
    (docs/explanation/study-reranking.md).

    Parameters
    ----------
    model
        The trees, trained on these rows.
    X, rows
        The training rows, weighted and scaled.
    settings
        Settings of the solver. The loss of rankers is always the squared hinge. If `C_decay` is
        None, all have the same C.
    sample_weight, n_threads, max_memory, progress, store, executor
        As in `train_nodes`.
    candidates
        What `find_candidates` returns for these rows; None to find them.
    """
    settings = replace(
        settings,
        loss="squared_hinge",  # the links of rankers are for its scores
        C_decay=settings.C_decay or NO_DECAY,
    )
    executor = executor or Threads(n_threads)
    trained = train_nodes(
        model.trees[0],
        X,
        rows,
        settings,
        sample_weight=sample_weight,
        executor=executor,
        max_memory=max_memory,
        progress=progress,
        store=store,
        candidates=candidates or find_candidates(model, X, rows, executor=executor),
    )
    return Rankers(trained.layout)


def find_candidates(
    model: Model,
    X: FeatureMatrix,
    rows: LabelRows,
    n_threads: int = 1,
    k: int | None = None,
    *,
    executor: Executor | None = None,
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
    executor = executor or Threads(n_threads)
    search = _RowSearch(subforest(model, [0]), X, k, executor.n_threads)
    n_jobs = 1 if executor.n_workers == 1 else _JOBS_PER_WORKER * executor.n_workers
    ends = np.linspace(0, rows.n_rows, min(n_jobs, rows.n_rows) + 1).astype(int).tolist()
    found = list(in_order(executor.run(search, pairwise(ends))))
    indptr = pointers(np.concatenate([lengths for lengths, _ in found]))
    return replace(rows, indptr=indptr, indices=np.concatenate([labels for _, labels in found]))


@dataclass(frozen=True, eq=False)
class _RowSearch:
    """Finds the most probable labels of ranges of rows."""

    model: Model
    X: FeatureMatrix
    k: int
    n_threads: int

    def __call__(self, rows: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the number of labels of each row, and the labels."""
        X = self.X if rows == (0, self.X.shape[0]) else self.X[slice(*rows)]
        steps, threads = _NODES_PER_STEP, self.n_threads
        found, _ = self.model.search(X, k=self.k, nodes_per_step=steps, n_threads=threads)
        return np.diff(found.indptr).astype(np.int64), found.indices.astype(np.int32)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"model": without_names(self.model)}

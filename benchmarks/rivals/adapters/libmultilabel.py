"""LibMultiLabel: its linear tree of k-means clusters, with LIBLINEAR in the nodes."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from libmultilabel import linear

from benchmarks.rivals.adapters.matrices import (
    Ranking,
    as_it_is,
    from_all_scores,
    in_blocks,
    read_matrices,
)

read = read_matrices
query = as_it_is


def train(
    data: tuple[Any, Any], model_path: str, threads: int, *, seed: int, **settings: Any
) -> None:
    """Train with its defaults, but for the settings."""
    # It takes as many threads as there are cores and has no option to take fewer.
    psutil.cpu_count = lambda logical=True: threads
    X, Y = data
    # Its clustering breaks on labels without a training row.
    used = np.flatnonzero(Y.sum(axis=0).A1)
    np.random.seed(seed)  # noqa: NPY002 - where it takes its random numbers from
    model = linear.train_tree(Y[:, used], X, verbose=False, **settings)
    with Path(model_path).open("wb") as file:
        pickle.dump((model, used), file, protocol=5)


def load(model_path: str, threads: int) -> Any:
    """Open the model, which knows no threads."""
    with Path(model_path).open("rb") as file:
        return pickle.load(file)


def ask(model: Any, query: Any, k: int) -> Ranking:
    """Answer one row; the model gives a score for each label there is."""
    tree, used = model
    best, scores = from_all_scores(tree.predict_values(query), k)
    return used[best], scores


def predict(model: Any, X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""
    return in_blocks(lambda rows: ask(model, rows, k), X)

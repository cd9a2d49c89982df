"""LibMultiLabel: its linear tree of k-means clusters, with LIBLINEAR in the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import psutil
from libmultilabel import linear

from benchmarks.rivals.adapters.matrices import (
    Ranking,
    among_used,
    as_it_is,
    dump,
    in_blocks,
    load_dumped,
    read_matrices,
    used_labels,
)

read = read_matrices
query = as_it_is
load = load_dumped


def train(
    data: tuple[Any, Any], model_path: str, threads: int, *, seed: int, **settings: Any
) -> None:
    """Train with its defaults, but for the settings."""
    # It takes as many threads as there are cores and has no option to take fewer.
    psutil.cpu_count = lambda logical=True: threads
    X, Y = data
    # Its clustering breaks on labels without a training row.
    used = used_labels(Y)
    np.random.seed(seed)  # noqa: NPY002 - where it takes its random numbers from
    model = linear.train_tree(Y[:, used], X, verbose=False, **settings)
    dump((model, used), model_path)


def ask(model: Any, query: Any, k: int) -> Ranking:
    """Answer one row; the model gives a score for each label there is."""
    tree, used = model
    return among_used(tree.predict_values(query), used, k)


def predict(model: Any, X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""
    return in_blocks(lambda rows: ask(model, rows, k), X)

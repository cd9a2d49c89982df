"""LibMultiLabel: its linear tree of k-means clusters, with LIBLINEAR in the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import psutil
from libmultilabel import linear

from benchmarks.rivals.adapters.matrices import AllScores, dump, used_labels

_scores = AllScores(lambda model, rows: model.predict_values(rows))
read, load = _scores.read, _scores.load
query, prepare, ranking = _scores.query, _scores.prepare, _scores.ranking
predict_one, predict = _scores.predict_one, _scores.predict


def train(
    data: tuple[Any, Any], model_path: str, threads: int, *, seed: int, **settings: Any
) -> None:
    """Train with its defaults, except for the settings."""
    # It uses all cores and has no option for fewer threads.
    psutil.cpu_count = lambda logical=True: threads
    X, Y = data
    # Its clustering fails for labels without a training row.
    used = used_labels(Y)
    np.random.seed(seed)  # noqa: NPY002 - its source of random numbers
    model = linear.train_tree(Y[:, used], X, verbose=False, **settings)
    dump((model, used), model_path)

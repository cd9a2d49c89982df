"""Speed of training all nodes of a given tree over 20k generated rows, one thread."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from benchmarks.speed.kernels import cluster
from benchmarks.speed.timing import timed
from labeltree import PLTClassifier, cost, trees
from labeltree.data import LabelRows
from labeltree.metrics import precision_at_k

LOSSES = ("squared_hinge", "logistic")


def most_frequent_of_topics(Y: LabelRows) -> float:
    """Return P@1 of predicting the most frequent label of the topic of each row.

    Labels within a topic are random, so on training rows a model exceeds this only by overfitting.
    """
    counts = Y.counts.reshape(cluster.N_TOPICS, cluster.LABELS_A_TOPIC)
    return float(counts.max(axis=1).sum() / Y.n_rows)


def measure(*, repeats: int = 3, seed: int = 0) -> dict[str, Any]:
    """Return the median CPU seconds of training with each loss, after checking the accuracy."""
    X, Y = cluster.generate(seed)
    tree = trees.cheapest(Y)
    least = most_frequent_of_topics(Y)
    price = cost.training_cost(tree, Y)
    figures: dict[str, Any] = {
        "name": "train",
        "threads": 1,
        "seed": seed,
        "n_rows": Y.n_rows,
        "n_labels": Y.n_labels,
        "n_values": int(X.nnz),
        "cost_per_row": round(price / Y.n_rows, 2),
    }
    for loss in LOSSES:
        untrained = PLTClassifier(tree=tree, loss=loss, n_jobs=1, random_state=seed)
        took, model = timed(partial(untrained.fit, X, Y), repeats, time.process_time)
        precision = precision_at_k(Y, model.top_k(X, 1)[0], 1)
        assert model.training_cost_ == price
        assert precision > least, (precision, least)
        figures[loss] = {
            **took.figures("cpu_seconds", 3),
            "visits": int(model.n_visits_),
            "precision": round(precision, 4),
        }
    return figures

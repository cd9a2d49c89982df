"""Speed of building trees from features: k-means and blended merging, one thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize

from benchmarks.speed.timing import timed
from labeltree import cost, trees
from labeltree.data import LabelRows, as_features, as_labels
from labeltree.trees import LabelTree

Features = sparse.csr_array[np.float32, tuple[int, int]]

N_ROWS = 20_000
N_TOPICS = 64
LABELS_A_TOPIC = 64  # so that balanced 2-means can find the topics exactly
WORDS_A_TOPIC = 400
WORDS_A_ROW = 80
N_COMMON_WORDS = 20_000


def generate(seed: int, n_rows: int = N_ROWS) -> tuple[Features, LabelRows]:
    """Return rows of one topic each: some of its labels, and its words among common ones."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(N_TOPICS, size=n_rows)
    n_labels = 1 + rng.poisson(2.0, n_rows)
    # Power-law labels within a topic, and power-law common words.
    within = (LABELS_A_TOPIC ** rng.random(n_labels.sum())).astype(np.int64) - 1
    labels = np.repeat(topic, n_labels) * LABELS_A_TOPIC + within
    common = (N_COMMON_WORDS ** rng.random((n_rows, WORDS_A_ROW // 2))).astype(np.int64) - 1
    own = rng.integers(WORDS_A_TOPIC, size=(n_rows, WORDS_A_ROW // 2))
    own += N_COMMON_WORDS + topic[:, None] * WORDS_A_TOPIC
    words = np.hstack([common, own])
    idf = np.r_[np.log2(np.arange(N_COMMON_WORDS) + 2), np.full(N_TOPICS * WORDS_A_TOPIC, 10.0)]
    row = np.repeat(np.arange(n_rows), WORDS_A_ROW)
    X = sparse.coo_array(
        (idf[words.ravel()], (row, words.ravel())), shape=(n_rows, len(idf))
    ).tocsr()
    Y = np.split(labels, np.cumsum(n_labels)[:-1])
    return as_features(normalize(X)), as_labels(Y, n_labels=N_TOPICS * LABELS_A_TOPIC)


def purity(tree: LabelTree) -> float:
    """Return the share of labels that belong to the most frequent topic of their node."""
    topic: NDArray[np.int64] = np.arange(tree.n_labels) // LABELS_A_TOPIC
    pairs = sparse.coo_array(
        (np.ones(tree.n_labels), (tree.parent[tree.leaves], topic)), shape=(tree.n_nodes, N_TOPICS)
    )
    return float(pairs.tocsr().max(axis=1).sum() / tree.n_labels)


def _figures(build: Callable[[], LabelTree], repeats: int, Y: LabelRows) -> dict[str, Any]:
    took, tree = timed(build, repeats, time.process_time)
    cost_per_row = round(cost.training_cost(tree, Y) / Y.n_rows, 2)
    return {"cost_per_row": cost_per_row, **took.figures("cpu_seconds", 3)}


def measure(*, repeats: int = 3, seed: int = 0) -> dict[str, Any]:
    """Return the median CPU seconds to build trees, after checking that topics are found."""
    X, Y = generate(seed)
    assert purity(trees.kmeans(X, Y)) > 0.8
    builds: dict[str, Callable[[], LabelTree]] = {
        "kmeans": lambda: trees.kmeans(X, Y, n_jobs=1),
        "kmeans to single labels": lambda: trees.kmeans(X, Y, max_leaf_size=1, n_jobs=1),
        "kmeans of arity 16": lambda: trees.kmeans(X, Y, arity=16, n_jobs=1),
        "blend": lambda: trees.blend(X, Y, n_jobs=1),
    }
    return {
        "name": "cluster",
        "data": "topics",
        "threads": 1,
        "seed": seed,
        "n_rows": Y.n_rows,
        "n_labels": Y.n_labels,
        "n_values": int(X.nnz),
        **{name: _figures(build, repeats, Y) for name, build in builds.items()},
    }

"""Speed of building the cheapest tree for 800k labels with 7.5M positives, and of collapse."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.speed.kernels import price
from labeltree import LabelTree, cost, trees


def random_binary(n_labels: int, seed: int) -> LabelTree:
    """Return a binary tree with random splits, some of whose paths are long."""
    return trees.random(n_labels, arity=2, random_state=seed)


def collapse_seconds(n_labels: int, seed: int) -> float:
    """Return the seconds to collapse a random binary tree with given weights."""
    rng = np.random.default_rng(seed)
    Y = price.generate(seed, n_rows=n_labels, n_labels=n_labels)
    tree = random_binary(n_labels, int(rng.integers(2**31)))
    before = cost.training_cost(tree, Y)
    start = time.perf_counter()
    collapsed = trees.collapse(tree, Y)
    seconds = time.perf_counter() - start
    assert cost.training_cost(collapsed, Y) <= before
    return seconds


def measure(*, seed: int = 0) -> dict[str, Any]:
    """Return the seconds of `cheapest` on two sizes and of `collapse` for 10⁵ and 10⁶ leaves."""
    figures: dict[str, Any] = {"name": "merge", "threads": 1, "seed": seed}
    for name, n_rows, n_labels in (
        ("590k_rows", 590_000, 25_000),
        ("800k_labels", 3_100_000, 800_000),
    ):
        Y = price.generate(seed, n_rows, n_labels)
        start = time.perf_counter()
        tree = trees.cheapest(Y)
        figures[f"cheapest_{name}_s"] = round(time.perf_counter() - start, 2)
        figures[f"positives_{name}"] = len(Y.indices)
        ratio = cost.training_cost(tree, Y) / cost.training_cost(trees.huffman(Y.counts), Y)
        assert ratio <= 1
        figures[f"cost_against_huffman_{name}"] = round(ratio, 3)
    for n_labels in (10**5, 10**6):
        figures[f"collapse_{n_labels}_leaves_s"] = round(collapse_seconds(n_labels, seed), 2)
    return figures

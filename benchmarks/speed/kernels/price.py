"""Speed of computing the cost c(T, Y) of a tree: 590k rows, 25k labels, one thread."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.timing import timed
from labeltree import cost, trees
from labeltree.data import LabelRows, as_labels

# The shape of a library's title records: 2.4 labels per row, a few labels very frequent.
N_ROWS = 590_000
N_LABELS = 25_000


def generate(seed: int, n_rows: int = N_ROWS, n_labels: int = N_LABELS) -> LabelRows:
    """Return random rows with power-law labels."""
    rng = np.random.default_rng(seed)
    sizes = 1 + rng.poisson(1.4, n_rows)
    labels = (n_labels ** rng.random(sizes.sum())).astype(np.int64) - 1
    return as_labels(np.split(labels, np.cumsum(sizes)[:-1]), n_labels=n_labels)


def measure(*, repeats: int = 5, seed: int = 0) -> dict[str, Any]:
    """Return the median seconds, after checking the cost against the sum over rows."""
    Y = generate(seed)
    tree = trees.merge(Y)
    expected = int(cost.row_costs(tree, Y).sum())
    took, price = timed(lambda: cost.training_cost(tree, Y), repeats)
    assert price == expected
    return {
        "name": "price",
        "threads": 1,
        "seed": seed,
        "n_rows": Y.n_rows,
        "n_labels": Y.n_labels,
        "cost_per_row": round(expected / Y.n_rows, 2),
        **took.figures("seconds"),
    }

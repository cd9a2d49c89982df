"""Rows of a data set for benchmarks, and the accuracy of predictions for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.preprocessing import normalize

from labeltree.data import LabelRows, as_features, read_npz, read_npz_labels
from labeltree.metrics import precision_at_k

Result = TypeVar("Result")
RANKS = (1, 3, 5)


def read_rows(folder: Path, part: str = "trn") -> tuple[Any, LabelRows]:
    """Return X, with rows scaled to unit length, and Y of the training or test rows."""
    X = normalize(read_npz(folder / f"X.{part}.npz"), copy=False)
    return as_features(X), read_npz_labels(folder / f"Y.{part}.npz")


def shuffled_split(n_rows: int, n_first: int, seed: int = 0) -> tuple[Any, Any]:
    """Return the sorted numbers of some rows drawn at random, and those of the others."""
    order = np.random.default_rng(seed).permutation(n_rows)
    return np.sort(order[:n_first]), np.sort(order[n_first:])


def percent_at(Y: LabelRows, labels: Any, digits: int = 1) -> list[float]:
    """Return P@1, P@3 and P@5 in percent."""
    return [round(100 * precision_at_k(Y, labels, k), digits) for k in RANKS]


def cpu_timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the CPU seconds of some work, and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result

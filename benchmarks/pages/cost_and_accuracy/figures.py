"""Figures that follow from the records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from benchmarks.machine import RESULTS
from benchmarks.pages.places import Record

Points = list[tuple[float, float]]

#: Short names of data sets.
_SHORT = {"wordnet-hypernyms": "wordnet"}


def title_of(record: Record) -> str:
    """Return the short name of the data set."""
    name = str(record["data"])
    return _SHORT.get(name, name)


def of_kind(records: list[Record], kind: str) -> list[Record]:
    """Return the records of one part of the measurement."""
    return [record for record in records if record["kind"] == kind]


def by_name(record: Record) -> dict[str, dict[str, Any]]:
    """Return the figures of each tree."""
    return {tree["tree"]: tree for tree in record["trees"]}


def bound_of(record: Record) -> float:
    """Return the better of the two lower bounds per row."""
    return float(max(record["entropy_bound_per_row"], record["pair_bound_per_row"]))


def mean_precision(tree: dict[str, Any]) -> float:
    """Return the mean of P@1, P@3 and P@5 in percent."""
    return float(np.mean(tree["P"]))


def front(points: Points) -> Points:
    """Return the points that no other point beats in both price and accuracy, cheapest first.

    Examples
    --------
    >>> front([(1, 5), (2, 4), (3, 7), (2, 6)])
    [(1, 5), (2, 6), (3, 7)]
    """
    best: Points = []
    for x, y in sorted(points, key=lambda point: (point[0], -point[1])):
        if not best or y > best[-1][1]:
            best.append((x, y))
    return best


def log_fit(counts: Sequence[float], seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return Kendall's τ, R² of logarithms with one free factor, and the largest error factor.

    Examples
    --------
    >>> [round(value, 6) for value in log_fit([1, 2, 4], [3, 6, 12])]
    [1.0, 1.0, 1.0]
    """
    x, y = np.log(counts), np.log(seconds)
    miss = (y - x) - np.mean(y - x)
    spread = y - np.mean(y)
    r2 = 1.0 - float(miss @ miss) / float(spread @ spread)
    return float(kendalltau(counts, seconds)[0]), r2, float(np.exp(np.abs(miss).max()))


def gpu_shapes() -> list[dict[str, Any]]:
    """Return pairs per row and measured time of softmax trees on the GPU, one prototype each."""
    results = json.loads((RESULTS / "torch-h200.json").read_text())["plan"]["results"]
    found = []
    for shape in results:
        is_meant = shape["what"] == "estimate" and shape["labels_per_row"] is None
        if is_meant and shape["method"] == "adagrad" and shape["n_prototypes"] == 1:
            found.append({**shape, "pairs": _pairs(shape)})
    return sorted(found, key=lambda shape: (shape["n_labels"], shape["pairs"]))


def _pairs(shape: dict[str, Any]) -> int:
    """Return the classifiers on the path of a label outside the head."""
    n_groups = -(-(shape["n_labels"] - shape["n_head"]) // shape["group_size"])
    middle = shape["middle_size"]
    root = n_groups if middle is None else -(-n_groups // middle)
    return int(shape["n_head"] + root + (middle or 0) + shape["group_size"])


def gpu_commit() -> str:
    """Return the commit of the figures of the GPU."""
    return str(json.loads((RESULTS / "torch-h200.json").read_text())["plan"]["commit"])

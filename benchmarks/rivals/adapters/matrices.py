"""Reading of matrices, and conversion to the ranking format of all adapters."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Ranking = tuple[NDArray[np.int64], NDArray[np.float32]]


def read_matrices(files: Mapping[str, str]) -> tuple[Any, Any]:
    """Return X and Y as csr_matrix, which older systems require."""
    return (
        sparse.csr_matrix(sparse.load_npz(files["X"])),
        sparse.csr_matrix(sparse.load_npz(files["Y"])),
    )


def as_it_is(rows: Any, k: int = 0) -> Any:
    """Return rows or predictions unchanged."""
    return rows


def as_pairs(row: Any) -> list[tuple[int, float]]:
    """Return the (feature, value) pairs of a row."""
    return list(zip(row.indices.tolist(), row.data.tolist(), strict=True))


def one_by_one(query: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """Return a function that converts the rows of a matrix to a list of queries."""
    return lambda X: [query(X[i : i + 1]) for i in range(X.shape[0])]


def from_pairs(rows: Sequence[Sequence[tuple[int, float]]], k: int) -> Ranking:
    """Return the ranking of rows given as (label, score) pairs, best first."""
    labels = np.full((len(rows), k), -1, np.int64)
    scores = np.zeros((len(rows), k), np.float32)
    for i, row in enumerate(rows):
        for j, (label, score) in enumerate(row[:k]):
            labels[i, j] = label
            scores[i, j] = score
    return labels, scores


def from_scores(found: Any, k: int) -> Ranking:
    """Return the ranking of sparse scores in any order."""
    lengths = np.diff(found.indptr)
    rows = np.repeat(np.arange(found.shape[0]), lengths)
    order = np.lexsort((-found.data, rows))
    place = np.arange(len(rows)) - np.repeat(found.indptr[:-1], lengths)
    kept = place < k
    labels = np.full((found.shape[0], k), -1, np.int64)
    scores = np.zeros((found.shape[0], k), np.float32)
    labels[rows[kept], place[kept]] = found.indices[order][kept]
    scores[rows[kept], place[kept]] = found.data[order][kept]
    return labels, scores


def from_all_scores(scores: NDArray[Any], k: int) -> Ranking:
    """Return the ranking of dense scores for all labels."""
    k = min(k, scores.shape[1])
    found = np.argpartition(-scores, k - 1, axis=1)[:, :k]
    of_found = np.take_along_axis(scores, found, axis=1)
    order = np.argsort(-of_found, axis=1, kind="stable")
    best = np.take_along_axis(found, order, axis=1)
    return best.astype(np.int64), np.take_along_axis(scores, best, axis=1).astype(np.float32)


def in_blocks(predict: Callable[[Any], Ranking], X: Any, n_rows: int = 256) -> Ranking:
    """Return the ranking of all rows, in blocks because dense scores need much memory."""
    blocks = [predict(X[i : i + n_rows]) for i in range(0, X.shape[0], n_rows)]
    return np.concatenate([b[0] for b in blocks]), np.concatenate([b[1] for b in blocks])


def dump(model: Any, model_path: str) -> None:
    """Write a model of a system without a file format."""
    with Path(model_path).open("wb") as file:
        pickle.dump(model, file, protocol=5)


def load_dumped(model_path: str, threads: int) -> Any:
    """Load such a model; threads are ignored."""
    with Path(model_path).open("rb") as file:
        return pickle.load(file)


def used_labels(Y: Any) -> NDArray[np.int64]:
    """Return the labels that have a training row."""
    return np.flatnonzero(Y.sum(axis=0).A1)


class AllScores:
    """Adapter functions for a system that returns a score for each label.

    Sorting is part of its time, because it has no call for the top labels.
    """

    read = staticmethod(read_matrices)
    load = staticmethod(load_dumped)
    query = prepare = ranking = staticmethod(as_it_is)

    def __init__(self, scores: Callable[[Any, Any], NDArray[Any]]) -> None:
        self._scores = scores

    def predict_one(self, model: tuple[Any, NDArray[np.int64]], query: Any, k: int) -> Ranking:
        """Return the top labels of some rows; the model is a pair with its known labels."""
        best, scores = from_all_scores(self._scores(model[0], query), k)
        return model[1][best], scores

    def predict(self, model: tuple[Any, NDArray[np.int64]], rows: Any, k: int) -> Ranking:
        """Return the top labels of all rows."""
        return in_blocks(lambda block: self.predict_one(model, block, k), rows)

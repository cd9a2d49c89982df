"""Reading matrices, and rankings in the form that all adapters give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Ranking = tuple[NDArray[np.int64], NDArray[np.float32]]


def read_matrices(files: Mapping[str, str]) -> tuple[Any, Any]:
    """Return X and Y as csr_matrix, which is what older systems take."""
    return (
        sparse.csr_matrix(sparse.load_npz(files["X"])),
        sparse.csr_matrix(sparse.load_npz(files["Y"])),
    )


def from_pairs(rows: Iterable[Sequence[tuple[int, float]]], n_rows: int, k: int) -> Ranking:
    """Return the ranking of rows that list (label, score) pairs, best first."""
    labels = np.full((n_rows, k), -1, np.int64)
    scores = np.zeros((n_rows, k), np.float32)
    for i, row in enumerate(rows):
        for j, (label, score) in enumerate(row[:k]):
            labels[i, j] = label
            scores[i, j] = score
    return labels, scores


def from_scores(found: Any, k: int) -> Ranking:
    """Return the ranking of sparse scores whose entries are in any order."""
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

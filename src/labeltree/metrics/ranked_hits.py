"""Comparison of rankings with the truth: which of the top k labels of each row are correct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from labeltree.arguments import check_integer, check_kind, checked
from labeltree.data import LabelRows, as_labels
from labeltree.data.nested_lists import in_form

SparseScores: TypeAlias = "sparse.csr_array[Any, Any] | sparse.csr_matrix[Any]"
Scores: TypeAlias = "SparseScores | NDArray[np.floating]"
Ranked: TypeAlias = "ArrayLike | Scores"

BLOCK = 1 << 14  # rows looked up together, so that their keys stay in cache
CELLS = 1 << 18  # scores sorted together


@dataclass(frozen=True)
class RankedHits:
    """The highest-ranked labels of each row, best first, and whether each of them is true."""

    truth: LabelRows
    labels: NDArray[np.int64]  # (n_rows, k); -1 where fewer than k labels were predicted
    scores: NDArray[np.float64] | None  # (n_rows, k); 0 for padding
    hits: NDArray[np.bool_]  # (n_rows, k)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of true labels of each row."""
        return np.diff(self.truth.indptr)


def ranked_hits(
    Y_true: object, ranked: Ranked, k: int, *, probabilities: ArrayLike | None = None
) -> RankedHits:
    """Return the k highest-ranked labels of each row, compared with the truth."""
    check_k(k)
    scores: NDArray[np.float64] | None
    if is_scores(ranked):
        ranked = sparse.csr_array(ranked)
        if probabilities is not None:
            raise ValueError("probabilities must be None if ranked holds scores, which are used")
        truth = as_labels(Y_true, n_labels=ranked.shape[1])
        _check_rows(truth, ranked.shape[0], "the scores have")
        labels, scores = _best_labels(ranked, k)
    else:
        labels = _check_ranked(ranked, k)
        truth = _numbered(Y_true, int(labels.max(initial=-1)))
        _check_rows(truth, len(labels), "ranked has")
        _check_labels(labels, truth.n_labels)
        scores = None if probabilities is None else _check_same_shape(probabilities, ranked, k)
    hits = is_true(truth, np.arange(len(labels) + 1) * k, labels.ravel())
    return RankedHits(truth, labels, scores, hits.reshape(labels.shape))


def is_scores(ranked: Ranked) -> TypeGuard[Scores]:
    """Return whether these are scores of all labels, as `predict_proba` returns: CSR or floats."""
    if sparse.issparse(ranked):
        return True
    return isinstance(ranked, np.ndarray) and ranked.ndim == 2 and ranked.dtype.kind == "f"


def _numbered(Y_true: object, largest: int) -> LabelRows:
    """Return the truth in the label numbers of ranked, the largest of which is given."""
    rows = as_labels(in_form(Y_true, "sets") if largest > 1 else Y_true)
    if isinstance(Y_true, LabelRows) or rows.kind == "indicator":
        return rows
    # Lists of integers hold label numbers here; as_labels alone would renumber those that occur.
    names = np.arange(rows.n_labels) if rows.names is None else rows.names
    if names.dtype.kind not in "iu":
        raise ValueError(
            "Y_true must hold label numbers like ranked, but Y_true has labels by name; pass "
            "labeltree.data.as_labels(Y_true, names=...) with the names in the order of the numbers"
        )
    return as_labels(Y_true, n_labels=max(int(names.max(initial=-1)), largest) + 1)


def check_k(k: int) -> None:
    """Raise an error unless k is a positive integer."""
    check_integer("k", k, minimum=1)


@checked
def top_labels(scores: Scores, k: int) -> NDArray[np.int64]:
    """Return the k labels with the highest scores of each row, best first, padded with -1.

    Only stored entries are ranked. Ties are broken in favor of the lower label.

    Examples
    --------
    >>> scores = sparse.csr_array([[0.2, 0.0, 0.9], [0.0, 0.5, 0.5]])
    >>> top_labels(scores, 3)
    array([[ 2,  0, -1],
           [ 1,  2, -1]])
    """
    return _best_labels(scores, k)[0]


def _best_labels(scores: Scores, k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    check_k(k)
    if not sparse.issparse(scores):
        check_kind("scores", scores, "ArrayLike")
        scores = np.asarray(scores)
    if scores.ndim != 2:
        raise ValueError(f"scores must be a matrix, but have {scores.ndim} dimensions")
    if k > scores.shape[1]:
        raise ValueError(
            f"k must be at most the {scores.shape[1]} columns of the scores, but is {k}"
        )
    return sort_scores(canonical(scores), k)


def canonical(scores: Scores) -> SparseScores:
    """Return the scores as CSR with sorted labels and no NaN; copied only if necessary."""
    rows = sparse.csr_array(scores)
    if np.iscomplexobj(rows.data):
        raise ValueError("scores must be real numbers, but are complex; use their real parts")
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if np.isnan(rows.data).any():
        raise ValueError("scores must be numbers, but some are NaN")
    return rows


def sort_scores(scores: SparseScores, k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the k highest-scored labels of each row of canonical CSR scores, and their scores."""
    n_rows = scores.shape[0]
    labels = np.full((n_rows, k), -1, dtype=np.int64)
    best = np.zeros((n_rows, k))
    for rows, width in _blocks_of_similar_length(np.diff(scores.indptr)):
        places = scores.indptr[rows, None] + np.arange(width)
        is_stored = places < scores.indptr[rows + 1, None]
        places[~is_stored] = 0
        keys = np.where(is_stored, -scores.data[places].astype(np.float64), np.inf)
        # Stored labels are ascending, so a stable sort breaks ties in favor of the lower label.
        order = np.argsort(keys, axis=1, kind="stable")[:, :k]
        found = np.take_along_axis(is_stored, order, axis=1)
        first = np.take_along_axis(places, order, axis=1)
        labels[rows, : order.shape[1]] = np.where(found, scores.indices[first], -1)
        best[rows, : order.shape[1]] = np.where(found, scores.data[first], 0.0)
    return labels, best


def _blocks_of_similar_length(
    lengths: NDArray[np.integer],
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield rows and a width that is at least their lengths and less than twice as much."""
    for bits in range(int(lengths.max(initial=0)).bit_length() + 1):
        width = 1 << bits
        rows = np.flatnonzero((lengths > width // 2) & (lengths <= width))
        step = max(1, CELLS // width)
        for start in range(0, len(rows), step):
            yield rows[start : start + step], width


def is_true(
    truth: LabelRows, indptr: NDArray[np.integer], labels: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Return whether each label of the given compressed rows is a true label of its row."""
    hits = np.zeros(len(labels), dtype=bool)
    for start in range(0, truth.n_rows, BLOCK):
        rows = slice(start, min(start + BLOCK, truth.n_rows) + 1)
        keys = _row_label_keys(truth.indptr[rows], truth.indices, truth.n_labels)
        if not len(keys):
            continue
        wanted = _row_label_keys(indptr[rows], labels, truth.n_labels)
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        part = slice(indptr[rows][0], indptr[rows][-1])
        hits[part] = (keys[places] == wanted) & (labels[part] >= 0)
    return hits


def _row_label_keys(
    indptr: NDArray[np.integer], labels: NDArray[np.integer], n_labels: int
) -> NDArray[np.int64]:
    """Return one number per (row, label) pair; ascending if the labels of each row are."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return np.asarray(rows * n_labels + labels[indptr[0] : indptr[-1]])


def _check_ranked(ranked: object, k: int) -> NDArray[np.int64]:
    check_kind("ranked", ranked, "ArrayLike")
    labels = np.asarray(ranked)
    if labels.ndim != 2:
        raise ValueError(f"ranked must have shape (n_rows, k), but its shape is {labels.shape}")
    if labels.dtype.kind not in "iu":
        raise TypeError(
            f"ranked must hold label numbers, but its dtype is {labels.dtype}; pass scores as CSR "
            "or as an array of floats"
        )
    if k > labels.shape[1]:
        raise ValueError(f"k must be at most the {labels.shape[1]} columns of ranked, but is {k}")
    return labels[:, :k].astype(np.int64, copy=False)


def _check_labels(labels: NDArray[np.int64], n_labels: int) -> None:
    if labels.size and not (labels.min() >= -1 and labels.max() < n_labels):
        row, column = np.argwhere((labels < -1) | (labels >= n_labels))[0]
        raise ValueError(
            f"ranked labels must be 0..{n_labels - 1}, or -1 for none, but row {row} has "
            f"{labels[row, column]}"
        )
    ordered = np.sort(labels, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if twice.any():
        row, column = np.argwhere(twice)[0]
        raise ValueError(
            f"a row must rank a label once, but row {row} has label {ordered[row, column]} twice"
        )


def _check_same_shape(probabilities: ArrayLike, ranked: Ranked, k: int) -> NDArray[np.float64]:
    check_kind("probabilities", probabilities, "ArrayLike")
    values = np.asarray(probabilities, dtype=np.float64)
    if values.shape != np.shape(ranked):
        raise ValueError(
            "probabilities must have the shape of ranked, but "
            f"{values.shape} is not {np.shape(ranked)}"
        )
    return values[:, :k]


def _check_rows(truth: LabelRows, n_rows: int, who: str) -> None:
    if truth.n_rows != n_rows:
        raise ValueError(f"Y_true has {truth.n_rows} rows, but {who} {n_rows}")
    if n_rows == 0:
        raise ValueError("metrics need at least one row, but Y_true has none")

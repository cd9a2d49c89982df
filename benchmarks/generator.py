"""Rows of any number with power-law labels that occur together, from a seed, block by block.

A label's popularity falls as 1/rank. Labels belong to topics; a row has a first label, drawn by
popularity, and more of the same topic or, sometimes, of any. Every label and every topic has words
of its own, and the words of a row are those of its labels and topics among common words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.data import LabelRows, as_features, as_labels

BLOCK = 1 << 13  # rows that are drawn at once
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 by the golden ratio

Features = sparse.csr_array[np.float32, tuple[int, int]]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Generator:
    """Where rows come from; the first n rows are the same however many are asked for.

    Parameters
    ----------
    n_labels
        Number of labels; a label's number says nothing about how frequent it is.
    n_features
        Number of words.
    labels_per_row
        Mean number of labels drawn for a row; those drawn twice count once.
    topic_size
        Labels of a topic.
    same_topic
        Share of further labels that are of the topic of the first.
    label_words, topic_words, common_words
        Words of each label of a row, of the topic of its first label, and of no meaning.
    share_of_words
        Share of the words of labels and topics that a row does have.
    seed
        Seed of all.

    Examples
    --------
    >>> X, Y = Generator(n_labels=50).rows(100)
    >>> X.shape[0], Y.n_labels, bool((np.diff(Y.indptr) > 0).all())
    (100, 50, True)
    """

    n_labels: int
    n_features: int = 1 << 17
    labels_per_row: float = 3.0
    topic_size: int = 32
    same_topic: float = 0.7
    label_words: int = 4
    topic_words: int = 4
    common_words: int = 10
    share_of_words: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("n_labels", "n_features", "topic_size"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, but is {getattr(self, name)}")

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return -(-self.n_labels // self.topic_size)

    def blocks(self, n_rows: int, *, first_block: int = 0) -> Iterator[tuple[Features, LabelRows]]:
        """Yield the rows in blocks; no more than a block is held."""
        for start in range(0, n_rows, BLOCK):
            X, Y = self._block(first_block + start // BLOCK)
            n = min(BLOCK, n_rows - start)
            indices = Y.indices[: Y.indptr[n]]
            yield X[:n], LabelRows(Y.indptr[: n + 1], indices, Y.n_labels, Y.names, Y.kind)

    def rows(self, n_rows: int, *, first_block: int = 0) -> tuple[Features, LabelRows]:
        """Return the rows in one piece."""
        parts = list(self.blocks(n_rows, first_block=first_block))
        X = as_features(sparse.vstack([X for X, _ in parts], format="csr"))
        counts = np.concatenate([np.diff(Y.indptr) for _, Y in parts])
        indptr = np.concatenate([[0], np.cumsum(counts)])
        indices = np.concatenate([Y.indices for _, Y in parts])
        first = parts[0][1]
        return X, LabelRows(indptr, indices, first.n_labels, first.names, first.kind)

    def _block(self, number: int) -> tuple[Features, LabelRows]:
        rng = np.random.default_rng([self.seed, number])
        row, rank = self._draw_ranks(rng)
        return self._words(rng, row, rank), self._labels(row, rank)

    def _draw_ranks(self, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
        """Return (row, rank of label) pairs; every topic has a few popular labels and a tail."""
        first = _by_popularity(rng, BLOCK, self.n_labels)
        further = rng.poisson(self.labels_per_row - 1, BLOCK)
        row = np.repeat(np.arange(BLOCK), further)
        topic = first[row] % self.n_topics
        same = topic + self.n_topics * _by_popularity(rng, len(row), self.topic_size)
        same[same >= self.n_labels] = first[row][same >= self.n_labels]
        other = _by_popularity(rng, len(row), self.n_labels)
        rank = np.where(rng.random(len(row)) < self.same_topic, same, other)
        return np.concatenate([np.arange(BLOCK), row]), np.concatenate([first, rank])

    def _labels(self, row: Numbers, rank: Numbers) -> LabelRows:
        # A fixed permutation, so that a builder cannot read the popularity off the number.
        label = np.random.default_rng(self.seed).permutation(self.n_labels)[rank]
        pairs = np.unique(row * self.n_labels + label)
        indptr = np.searchsorted(pairs, np.arange(BLOCK + 1) * self.n_labels)
        indices = (pairs % self.n_labels).astype(np.int32)
        matrix = sparse.csr_array(
            (np.ones(len(indices), np.uint8), indices, indptr), shape=(BLOCK, self.n_labels)
        )
        return as_labels(matrix)

    def _words(self, rng: np.random.Generator, row: Numbers, rank: Numbers) -> Features:
        topic = rank[:BLOCK] % self.n_topics
        common = _by_popularity(rng, BLOCK * self.common_words, self.n_features // 8)
        words = [
            self._own(rank, self.label_words, 0),
            self._own(topic, self.topic_words, 1),
            common,
        ]
        every = np.arange(BLOCK)
        rows = [
            np.repeat(row, self.label_words),
            np.repeat(every, self.topic_words),
            np.repeat(every, self.common_words),
        ]
        column, of_row = np.concatenate(words), np.concatenate(rows)
        kept = rng.random(len(column)) < self.share_of_words
        kept[-len(common) :] = True
        column, of_row = column[kept], of_row[kept]
        # What is rare weighs more, as in TF-IDF; words of labels and topics are rare.
        value = np.where(column < self.n_features // 8, np.log2(column + 2), 12.0)
        X = sparse.csr_array(
            (value.astype(np.float32), (of_row, column)),
            shape=(BLOCK, self.n_features),
        )
        lengths = np.sqrt(X.multiply(X).sum(axis=1))
        X.data /= np.repeat(lengths, np.diff(X.indptr)).astype(np.float32)
        return X

    def _own(self, number: Numbers, n_words: int, kind: int) -> Numbers:
        """Return the words of labels or topics: hashed, so that no table of them is held."""
        key = (number[:, None] * n_words + np.arange(n_words)) * 2 + kind
        hashed = (key.astype(np.uint64) + np.uint64(self.seed)) * _ODD
        hashed ^= hashed >> np.uint64(29)
        hashed *= _ODD
        first = self.n_features // 8
        spread = (hashed >> np.uint64(33)).astype(np.int64) % (self.n_features - first)
        return first + spread.ravel()


def _by_popularity(rng: np.random.Generator, n: int, n_ranks: int) -> Numbers:
    """Draw n ranks from 0 on, about as 1/(rank + 1)."""
    drawn = (np.float64(n_ranks + 1) ** rng.random(n)).astype(np.int64) - 1
    return np.minimum(drawn, n_ranks - 1)

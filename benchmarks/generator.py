"""Generated rows with co-occurring power-law labels, in any number, block by block from a seed.

The popularity of a label falls as 1/rank. Labels belong to topics: the first label of a row is
drawn by popularity, and further labels come from the same topic or, sometimes, from any. Every
label and every topic has its own words. A row has words of its labels and topics, mixed with common
words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.data import LabelRows, as_features, as_labels

BLOCK = 1 << 13  # rows drawn at once
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio

# A string, because scipy's arrays are not subscriptable at run time before 1.16.
Features: TypeAlias = "sparse.csr_array[np.float32, tuple[int, int]]"
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Generator:
    """Generator of rows; the first n rows do not depend on the number of rows requested.

    Parameters
    ----------
    n_labels
        Number of labels. The number of a label is unrelated to its frequency.
    n_features
        Number of words.
    labels_per_row
        Mean number of labels drawn per row; duplicates count once.
    topic_size
        Number of labels per topic.
    same_topic
        Share of further labels from the topic of the first label.
    label_words, topic_words, common_words
        Number of words of each label of a row, of the topic of its first label, and of noise words.
    share_of_words
        Share of the words of its labels and topic that a row contains.
    seed
        Seed of everything that is drawn.

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
        """Yield the rows in blocks, with one block in memory at a time."""
        for start in range(0, n_rows, BLOCK):
            X, Y = self._block(first_block + start // BLOCK)
            n = min(BLOCK, n_rows - start)
            indices = Y.indices[: Y.indptr[n]]
            yield X[:n], LabelRows(Y.indptr[: n + 1], indices, Y.n_labels, Y.names, Y.kind)

    def rows(self, n_rows: int, *, first_block: int = 0) -> tuple[Features, LabelRows]:
        """Return the rows as one matrix."""
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
        # A fixed permutation, so that builders cannot infer the popularity from the number.
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
        # Rare words weigh more, as in TF-IDF; words of labels and topics are rare.
        value = np.where(column < self.n_features // 8, np.log2(column + 2), 12.0)
        X = sparse.csr_array(
            (value.astype(np.float32), (of_row, column)),
            shape=(BLOCK, self.n_features),
        )
        lengths = np.sqrt(X.multiply(X).sum(axis=1))
        X.data /= np.repeat(lengths, np.diff(X.indptr)).astype(np.float32)
        return X

    def _own(self, number: Numbers, n_words: int, kind: int) -> Numbers:
        """Return the words of labels or topics, hashed so that no table is needed."""
        key = (number[:, None] * n_words + np.arange(n_words)) * 2 + kind
        hashed = (key.astype(np.uint64) + np.uint64(self.seed)) * _ODD
        hashed ^= hashed >> np.uint64(29)
        hashed *= _ODD
        first = self.n_features // 8
        spread = (hashed >> np.uint64(33)).astype(np.int64) % (self.n_features - first)
        return first + spread.ravel()


def _by_popularity(rng: np.random.Generator, n: int, n_ranks: int) -> Numbers:
    """Draw n ranks, starting at 0, with probability about proportional to 1/(rank + 1)."""
    drawn = (np.float64(n_ranks + 1) ** rng.random(n)).astype(np.int64) - 1
    return np.minimum(drawn, n_ranks - 1)

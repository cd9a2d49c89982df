"""Words of a part of the texts, counted; the sum of all parts is the vocabulary of all texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.storage.names import StoredNames, store_names
from labeltree.text.options import TextOptions
from labeltree.text.words import Vocabulary

_TEXTS_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Words or, if they are hashed, columns, with the number of texts that have each of them."""

    n_texts: int
    words: dict[str, NDArray[Any]] | None  # as in a model file; None for all columns
    n_with: NDArray[np.int64]  # texts that have the word
    n_times: NDArray[np.int64]  # occurrences; empty if `max_features` does not need them

    @classmethod
    def of(cls, options: TextOptions, texts: Iterable[str]) -> WordCounts:
        """Count the words of texts, which are read once."""
        if options.n_features is not None:
            return _hashed(options, texts)
        analyze, n_texts = options.vectorizer().build_analyzer(), 0
        n_with, n_times = Counter[str](), Counter[str]()
        for text in texts:
            found = analyze(text)
            n_with.update(set(found))
            if options.max_features is not None:
                n_times.update(found)
            n_texts += 1
        _, words = store_names("words", np.array(list(n_with), object))
        times = [n_times[word] for word in n_with] if n_times else []
        return cls(n_texts, words, _counts(list(n_with.values())), _counts(times))

    def names(self) -> list[str]:
        """Return the words, in the order of the counts."""
        assert self.words is not None
        stored = StoredNames.take("words", "text", self.words, len(self.n_with))
        return list(stored.names.tolist())


def _hashed(options: TextOptions, texts: Iterable[str]) -> WordCounts:
    vectorizer, remaining, n_texts = options.vectorizer(), iter(texts), 0
    n_with = np.zeros(options.n_features or 0, np.int64)
    while some := list(islice(remaining, _TEXTS_AT_ONCE)):
        n_with += np.bincount(vectorizer.transform(some).indices, minlength=len(n_with))
        n_texts += len(some)
    return WordCounts(n_texts, None, n_with, np.zeros(0, np.int64))


def _counts(listed: Sequence[int]) -> NDArray[np.int64]:
    return np.array(listed, np.int64)


class AllWords:
    """The sum of counts, in any order of the parts.

    Examples
    --------
    >>> words = AllWords(TextOptions())
    >>> words.add(WordCounts.of(TextOptions(), ["green tea"]))
    >>> words.add(WordCounts.of(TextOptions(), ["tea"]))
    >>> vocabulary, idf = words.learned()
    >>> vocabulary.names.tolist(), (idf > 1).tolist()
    (['green', 'green tea', 'tea'], [True, True, False])
    """

    def __init__(self, options: TextOptions) -> None:
        self.n_texts = 0
        self._options = options
        self._n_with, self._n_times = Counter[str](), Counter[str]()
        self._by_column = np.zeros(options.n_features or 0, np.int64)

    def add(self, counts: WordCounts) -> None:
        """Add the counts of a part of the texts."""
        self.n_texts += counts.n_texts
        if counts.words is None:
            self._by_column += counts.n_with
            return
        names = counts.names()
        _add(self._n_with, names, counts.n_with)
        if len(counts.n_times):
            _add(self._n_times, names, counts.n_times)

    def learned(self) -> tuple[Vocabulary | None, NDArray[np.float32]]:
        """Return the vocabulary, None if words are hashed, and the weight of each column."""
        if self._options.n_features is not None:
            return None, inverse_frequencies(self._by_column, self.n_texts)
        names = sorted(self._n_with)
        if not names:
            raise ValueError(
                "no text has a word: words are two letters or more, unless analyzer is 'char_wb'"
            )
        n_with = _counts([self._n_with[name] for name in names])
        kept = np.flatnonzero(self._is_kept(names, n_with))
        if not len(kept):
            raise ValueError(
                f"no word is in enough texts, because min_df is {self._options.min_df!r}; lower it"
            )
        vocabulary = Vocabulary.of_names([names[i] for i in kept.tolist()])
        return vocabulary, inverse_frequencies(n_with[kept], self.n_texts)

    def _is_kept(self, names: list[str], n_with: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which words scikit-learn's CountVectorizer keeps."""
        vectorizer = self._options.vectorizer(self.n_texts)
        least = vectorizer.min_df
        is_kept = n_with >= (least if isinstance(least, int) else least * self.n_texts)
        most = vectorizer.max_features
        if most is not None and is_kept.sum() > most:
            n_times = np.array([self._n_times[name] for name in names], np.float32)
            best = (-n_times[is_kept]).argsort()[:most]
            chosen = np.flatnonzero(is_kept)[best]
            is_kept = np.zeros_like(is_kept)
            is_kept[chosen] = True
        return is_kept


def _add(total: Counter[str], names: list[str], numbers: NDArray[np.int64]) -> None:
    get = total.get  # Counter.update is slower
    for name, number in zip(names, numbers.tolist(), strict=True):
        total[name] = get(name, 0) + number


def inverse_frequencies(n_with: NDArray[np.int64], n_texts: int) -> NDArray[np.float32]:
    """Return the weight of each word, to the last bit as scikit-learn's TfidfTransformer has it.

    Examples
    --------
    >>> inverse_frequencies(np.array([1, 2]), 2).tolist() == [np.float32(1 + np.log(1.5)), 1.0]
    True
    """
    shares = np.float32(n_texts + 1) / (n_with.astype(np.float32) + np.float32(1))
    weights: NDArray[np.float32] = np.log(shares) + np.float32(1)
    return weights

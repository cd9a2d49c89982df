"""Words of texts as TF-IDF rows, for one text in microseconds and for many with the same bits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data.arrays import take
from labeltree.storage.names import StoredNames, store_names

Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]  # indptr, indices, values

# Characters that become the two bytes which UTF-8 never has; see core/data/words.hpp.
_TOKEN_END, _TEXT_END = "\udcff", "\udcfe"
_MARKS = str.maketrans("", "", _TOKEN_END + _TEXT_END)
_WITH_HALVES = re.compile("[\ud800-\udbff\udc00-\udc7f]")
_COUNTED = 4096  # weights of counts that are kept; a longer text makes more


class Vocabulary:
    """Words by column, with a hash table that finds them. All of it may lie in a mapped file.

    Parameters
    ----------
    words
        The words.
    table
        Slots of the hash table; see core/data/words.hpp.

    Examples
    --------
    >>> words = Vocabulary.of_names(["green", "tea"])
    >>> words.word(1), words.names.tolist()
    ('tea', ['green', 'tea'])
    """

    def __init__(self, words: StoredNames, table: NDArray[np.uint32]) -> None:
        self._words, self._table = words, table

    @classmethod
    def of_names(cls, names: Iterable[str]) -> Self:
        """Return the vocabulary of words in the order of their columns."""
        listed = np.asarray(names, object)
        kind, arrays = store_names("words", listed)
        words = StoredNames.take("words", kind, arrays, len(listed))
        return cls(words, _core.word_table(words.values, words.ends))

    @property
    def names(self) -> NDArray[Any]:
        """The words, by column."""
        return self._words.names

    def word(self, column: int) -> str:
        """Return the word of a column, without decoding the others."""
        first, last = self._words.ends[column : column + 2].tolist()
        return bytes(self._words.values[first:last]).decode()

    @cached_property
    def native(self) -> _core.Vocabulary:
        """What the kernels search."""
        return _core.Vocabulary(self._words.values, self._words.ends, self._table)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a model file by name."""
        words, table = self._words, self._table
        return {"words.text": words.values, "words.ends": words.ends, "words.table": table}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_words: int) -> Self:
        """Return the vocabulary of a file; ValueError if it breaks a rule."""
        words = StoredNames.take("words", "text", arrays, n_words)
        table = take(arrays, "words.table", "u4")
        if len(table) & (len(table) - 1) or len(table) <= n_words:
            raise ValueError(
                f"words.table must have a power of two of slots, more than {n_words}, but has "
                f"{len(table)}"
            )
        return cls(words, table)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "native"}


class WordWeighting:
    """Makes rows of texts, given how words are made and what they weigh.

    Parameters
    ----------
    tokenize
        Function that returns the tokens of a text.
    ngram_range
        Minimum and maximum number of tokens of a word.
    vocabulary
        The words by column; None where they are hashed.
    idf
        Weight of each column.
    sublinear_tf
        Whether a word that occurs n times counts 1 + log n instead of n.
    """

    def __init__(
        self,
        tokenize: Callable[[str], Iterable[str]],
        ngram_range: Sequence[int],
        vocabulary: Vocabulary | None,
        idf: NDArray[np.float32],
        *,
        sublinear_tf: bool,
    ) -> None:
        self._tokenize, self._idf = tokenize, idf
        self._vocabulary = None if vocabulary is None else vocabulary.native
        self._min_n, self._max_n = (int(n) for n in ngram_range)
        self._sublinear_tf = sublinear_tf
        self._tf = self._count_weights(_COUNTED)

    def _count_weights(self, most: int) -> NDArray[np.float32]:
        """Return the weight of each count up to the most, rounded as numpy does it."""
        counts = np.arange(most + 1, dtype=np.float32)
        if self._sublinear_tf:
            counts[1:] = np.log(counts[1:]) + np.float32(1)
        return counts

    def rows(self, texts: Sequence[str]) -> Rows:
        """Return the rows of texts, each of length 1 or empty."""
        found = self._rows(texts)
        if len(found[0]) != len(texts) + 1:  # a token has one of the marks, which no word has
            found = self._rows([text.translate(_MARKS) for text in texts])
        return found

    def _rows(self, texts: Sequence[str]) -> Rows:
        parts = [self._marked(text) for text in texts]
        marked = "".join(parts)
        try:
            tokens = marked.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # half of a character, which no word of a vocabulary has
            tokens = _WITH_HALVES.sub("\ufffd", marked).encode("utf-8", "surrogateescape")
        longest = max(map(len, parts), default=0)  # no word occurs more often than this
        tf = self._tf if longest <= _COUNTED else self._count_weights(longest)
        return _core.word_rows(tokens, self._vocabulary, self._min_n, self._max_n, tf, self._idf)

    def _marked(self, text: str) -> str:
        tokens = _TOKEN_END.join([*self._tokenize(text), ""])
        return tokens + _TEXT_END


def make_tokenizer(vectorizer: Any, *, is_words: bool) -> Callable[[str], list[str]]:
    """Return what makes the tokens of a text, as a vectorizer of scikit-learn would.

    For words these are single words, whose n-grams are made later; for characters the n-grams.
    """
    if not is_words:
        analyze: Callable[[str], list[str]] = vectorizer.build_analyzer()
        return analyze
    preprocess, tokenize = vectorizer.build_preprocessor(), vectorizer.build_tokenizer()
    stop_words = vectorizer.get_stop_words()
    if stop_words is None:
        return lambda text: tokenize(preprocess(text))
    return lambda text: [token for token in tokenize(preprocess(text)) if token not in stop_words]

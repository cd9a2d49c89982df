"""Text features: a TF-IDF weight for each word, followed by the numbers of an embedding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data import as_features
from labeltree.data.arrays import take
from labeltree.data.features import FeatureMatrix, canonical_csr
from labeltree.text.embeddings import NO_EMBEDDINGS, STORED, Embeddings, checked_embeddings
from labeltree.text.encoders import encode
from labeltree.text.options import OPTION_NAMES, TextOptions
from labeltree.text.words import Vocabulary, WordWeighting, make_tokenizer

_FUNCTIONS = ("tokenizer", "preprocessor")


class TextFeatures:
    """The vocabulary, its inverse document frequencies, and the size of embeddings.

    Examples
    --------
    >>> features, X = TextFeatures.fit(TextOptions(), ["green tea", "tea"], None)
    >>> features.names.tolist(), X.shape
    (['green', 'green tea', 'tea'], (2, 3))
    >>> features.transform(["coffee"]).nnz
    0
    """

    def __init__(
        self,
        options: TextOptions,
        words: Vocabulary | None,
        idf: NDArray[np.floating],
        embeddings: Embeddings = NO_EMBEDDINGS,
    ) -> None:
        self.options = options
        self.idf = idf
        self.embeddings = embeddings
        self._words = words  # None if words are hashed or there are no texts

    @classmethod
    def fit(
        cls,
        options: TextOptions,
        texts: Iterable[str] | None,
        embeddings: Any,
        *,
        n_texts: int | None = None,
        encoder: Any = None,
    ) -> tuple[Self, FeatureMatrix]:
        """Return the learned vocabulary and weights, and the features of the texts.

        Embeddings are those that are given, or those of the encoder. If texts are an iterator
        without a length, `n_texts` is required; it may be cut off at MANY_TEXTS.
        """
        parts = []
        words: Vocabulary | None = None
        idf = np.zeros(0, np.float32)
        if texts is not None:
            n_texts = len(cast(Sequence[str], texts)) if n_texts is None else n_texts
            vectorizer, weighting = options.vectorizer(n_texts), options.weighting()
            counts = _counted(vectorizer, texts, options)
            parts.append(weighting.fit(counts).transform(counts, copy=False))
            idf = np.asarray(weighting.idf_)
            if options.n_features is None:
                words = Vocabulary.of_names(vectorizer.get_feature_names_out())
        if embeddings is None and encoder is not None:
            embeddings = encode(encoder, cast(Sequence[str], texts))
        dense = None if embeddings is None else checked_embeddings(embeddings)
        block = NO_EMBEDDINGS if dense is None else Embeddings(dense.shape[1], encoder=encoder)
        return cls(options, words, idf, block), as_features(block.beside(parts, dense))

    def transform(self, texts: Sequence[str] | None, embeddings: Any = None) -> FeatureMatrix:
        """Return the features of texts; unknown words are ignored."""
        if (texts is None) == bool(len(self.idf)):
            raise ValueError(
                "texts must be None, because the tagger was fitted with embeddings only"
                if texts is not None
                else "texts must not be None, because the tagger was fitted with texts"
            )
        parts = []
        if texts is not None:
            indptr, indices, values = self._weighting.rows(texts)
            parts.append(canonical_csr(indptr, indices, values, len(self.idf)))
        return self.embeddings.beside(parts, self.embeddings.of(texts, embeddings))

    def row(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the columns and values of one text, for features without embeddings.

        They are those of `transform`, to the last bit.
        """
        _, indices, values = self._weighting.rows([text])
        return indices, values

    @property
    def has_rows(self) -> bool:
        """Whether `row` can be used: there are words and no embeddings."""
        return bool(len(self.idf)) and not self.n_embeddings

    @property
    def n_embeddings(self) -> int:
        """Number of columns of embeddings, which follow the words."""
        return self.embeddings.n_numbers

    @property
    def names(self) -> NDArray[Any]:
        """The words, by column; empty if they are hashed."""
        return np.zeros(0, object) if self._words is None else self._words.names

    def names_for(self, text: str | None) -> Sequence[str]:
        """Return the name of each column; if words are hashed, only of the words of the text."""
        if self._words is not None:
            return _ColumnNames(self._words.word, len(self.idf), self.n_embeddings)
        named: dict[int, list[str]] = {}
        if text is not None:
            for word in sorted(set(self._analyzer(text))):
                column = _core.hashed_column(word.encode(errors="replace"), len(self.idf))
                named.setdefault(column, []).append(word)
        known = {column: " or ".join(colliding) for column, colliding in named.items()}
        return _ColumnNames(known.get, len(self.idf), self.n_embeddings)

    @cached_property
    def _analyzer(self) -> Callable[[str], list[str]]:
        analyze: Callable[[str], list[str]] = self.options.vectorizer().build_analyzer()
        return analyze

    @cached_property
    def _weighting(self) -> WordWeighting:
        options = self.options
        is_words = options.analyzer == "word"
        return WordWeighting(
            make_tokenizer(options.vectorizer(), is_words=is_words),
            options.ngram_range if is_words else (1, 1),
            self._words,
            self.idf.astype(np.float32, copy=False),
            sublinear_tf=bool(options.sublinear_tf),
        )

    def __getstate__(self) -> dict[str, Any]:
        # What is made of the others is made again when it is first used.
        made = ("_weighting", "_analyzer")
        return {name: value for name, value in vars(self).items() if name not in made}

    # The model file -------------------------------------------------------------------------------

    def with_tokenizer(self, tokenizer: Callable[[str], Iterable[str]] | str) -> Self:
        """Return the same features with another tokenizer, or with its name, for a model file.

        Examples
        --------
        >>> features, _ = TextFeatures.fit(TextOptions(tokenizer=str.split), ["a-b c"], None)
        >>> named = features.with_tokenizer("blanks")  # can be saved, but not used for texts
        >>> named.with_tokenizer(str.split).transform(["c c"]).nnz
        1
        """
        options = replace(self.options, tokenizer=tokenizer)
        return type(self)(options, self._words, self.idf, self.embeddings)

    def with_embeddings(self, embeddings: Embeddings) -> Self:
        """Return the same words with another encoder or weight of embeddings."""
        return type(self)(self.options, self._words, self.idf, embeddings)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the contents of a model file: a part of the header, and arrays."""
        for name in _FUNCTIONS:
            if callable(getattr(self.options, name)):
                raise ValueError(
                    f"{name} must be None for a model file, which has no code, but is a function; "
                    f"fit without {name}, or pickle the tagger"
                )
        arrays = {} if self._words is None else self._words.to_arrays()
        arrays["words.idf"] = self.idf
        kind = None if self._words is None else "text"
        return {"words": kind, **self.embeddings.to_header()}, arrays

    @property
    def array_names(self) -> tuple[str, ...]:
        """Names of the arrays of a model file."""
        return ("words.idf", *(() if self._words is None else self._words.to_arrays()))

    @classmethod
    def from_arrays(
        cls,
        stored: Any,
        parameters: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        n_features: int,
    ) -> Self:
        """Restore features from a file; everything is checked, and words are decoded on demand."""
        known = ("words", *STORED)
        if not isinstance(stored, dict) or not set(known[:2]) <= stored.keys() <= set(known):
            raise ValueError(f"text must be a JSON object of {', '.join(known)}")
        embeddings = Embeddings.from_header({k: v for k, v in stored.items() if k != "words"})
        if parameters["preprocessor"] is not None:
            raise ValueError("preprocessor must be null in a model file")
        name = parameters["tokenizer"]  # printed as it is, so it may not steer a terminal
        if not (name is None or (isinstance(name, str) and name.isprintable())):
            raise ValueError("tokenizer must be null or a name in a model file")
        options = TextOptions(**{name: parameters[name] for name in OPTION_NAMES})
        idf = take(arrays, "words.idf", None)
        if idf.dtype.kind != "f" or not np.isfinite(idf).all():
            raise ValueError("words.idf must hold finite numbers")
        n_words, n_embeddings = len(idf), embeddings.n_numbers
        if n_embeddings < 0 or n_words + n_embeddings != n_features:
            raise ValueError(
                f"{n_words} words and embeddings of {n_embeddings} numbers must make up the "
                f"{n_features} features of the model"
            )
        is_hashed = options.n_features is not None
        if is_hashed and n_words not in (0, options.n_features):
            raise ValueError(f"words.idf must have {options.n_features} entries, but has {n_words}")
        if (stored["words"] is None) != (is_hashed or n_words == 0):
            raise ValueError("words must be stored just where they are not hashed")
        if stored["words"] not in (None, "text"):
            raise ValueError(f"words must be stored as text, but are {stored['words']!r:.40}")
        words = None
        if stored["words"] is not None:
            # A duplicate word only leaves a column unused.
            words = Vocabulary.from_arrays(arrays, n_words)
        return cls(options, words, idf, embeddings)


class _ColumnNames(Sequence[str]):
    """Names of columns, created on demand because there may be millions."""

    def __init__(self, word: Callable[[int], str | None], n_words: int, n_embeddings: int) -> None:
        self._word, self._n_words, self._n_embeddings = word, n_words, n_embeddings

    def __len__(self) -> int:
        return self._n_words + self._n_embeddings

    def __getitem__(self, column: Any) -> Any:
        if column >= self._n_words:
            return f"embedding[{column - self._n_words}]"
        return self._word(column) or f"x[{column}]"


def _counted(vectorizer: Any, texts: Iterable[str], options: TextOptions) -> Any:
    try:
        return vectorizer.fit_transform(texts)
    except ValueError as error:
        # The messages of scikit-learn mention stop words and max_df, which are not the cause.
        if "empty vocabulary" in str(error):
            raise ValueError(
                "no text has a word: words are two letters or more, unless analyzer is 'char_wb'"
            ) from None
        if "no terms remain" in str(error) or "than min_df" in str(error):
            raise ValueError(
                f"no word is in enough texts, because min_df is {options.min_df!r}; lower it"
            ) from None
        raise

"""Text features: a TF-IDF weight for each word, followed by the numbers of an embedding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.data import as_features
from labeltree.data.arrays import take
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import UNIT
from labeltree.storage.names import StoredNames, store_names

AUTO = "auto"
MANY_TEXTS = 1000  # with at least this many, n-grams that occur in one text only are dropped
ANALYZERS = ("word", "char", "char_wb")
_STORED = {"words": str | None, "n_embeddings": int}
_FUNCTIONS = ("tokenizer", "preprocessor")
_MAX_HASHED = 2**31 - 1


@dataclass(frozen=True)
class TextOptions:
    """Options of tokenization and weighting; the names are those of scikit-learn."""

    analyzer: str = "word"
    ngram_range: Sequence[int] = (1, 2)
    lowercase: bool = True
    stop_words: str | Sequence[str] | None = None
    tokenizer: Callable[[str], Iterable[str]] | str | None = None  # str: only its name is known
    preprocessor: Callable[[str], str] | None = None
    sublinear_tf: bool = True
    min_df: float | str = AUTO
    max_features: int | None = None
    n_features: int | None = None

    def __post_init__(self) -> None:
        if self.analyzer not in ANALYZERS:
            raise ValueError(
                f"analyzer must be one of {', '.join(ANALYZERS)}, but is {self.analyzer!r:.40}"
            )
        _check_ngrams(self.ngram_range)
        for name in ("lowercase", "sublinear_tf"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(
                    f"{name} must be True or False, but is {getattr(self, name)!r:.40}"
                )
        words = self.stop_words
        is_list = isinstance(words, list | tuple) and all(isinstance(word, str) for word in words)
        if not (words is None or words == "english" or is_list):
            raise ValueError(
                f"stop_words must be None, 'english' or a list of words, but is {words!r:.40}"
            )
        if isinstance(self.min_df, str) and self.min_df != AUTO:
            raise ValueError(f"min_df must be a number or 'auto', but is {self.min_df!r:.40}")
        if self.n_features is not None and not (
            _is_integer(self.n_features) and 1 <= self.n_features <= _MAX_HASHED
        ):
            raise ValueError(
                f"n_features must be None or 1 to {_MAX_HASHED}, but is {self.n_features!r:.40}"
            )

    def vectorizer(self, n_texts: int = 0) -> Any:
        """Return the vectorizer of scikit-learn for these options.

        `n_texts` is the number of texts that it will be fitted to.
        """
        if isinstance(self.tokenizer, str):
            raise ValueError(
                f"the model was trained with the tokenizer {self.tokenizer!r:.80}, of which the "
                "model file has only the name; pass the function to features_.with_tokenizer"
            )
        # Imported here because classifiers do not need it.
        from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

        shared = {
            "analyzer": self.analyzer,
            "ngram_range": tuple(self.ngram_range),
            "lowercase": self.lowercase,
            "stop_words": None if self.stop_words is None else _list(self.stop_words),
            "tokenizer": self.tokenizer,
            "preprocessor": self.preprocessor,
            # Otherwise scikit-learn warns that token_pattern is not used.
            **({} if self.tokenizer is None else {"token_pattern": None}),
        }
        if self.n_features is None:
            rare = 2 if n_texts >= MANY_TEXTS else 1
            min_df = rare if self.min_df == AUTO else self.min_df
            limits = {"min_df": min_df, "max_features": self.max_features}
            return CountVectorizer(dtype=np.float32, **shared, **limits)
        return HashingVectorizer(
            n_features=self.n_features, alternate_sign=False, norm=None, dtype=np.float32, **shared
        )

    def weighting(self) -> Any:
        """Return the TF-IDF transformer of scikit-learn."""
        from sklearn.feature_extraction.text import TfidfTransformer

        return TfidfTransformer(sublinear_tf=self.sublinear_tf)


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
        words: StoredNames | None,
        idf: NDArray[np.floating],
        n_embeddings: int,
    ) -> None:
        self.options = options
        self.idf = idf
        self.n_embeddings = n_embeddings
        self._words = words  # None if words are hashed or there are no texts

    @classmethod
    def fit(
        cls,
        options: TextOptions,
        texts: Iterable[str] | None,
        embeddings: Any,
        *,
        n_texts: int | None = None,
    ) -> tuple[Self, FeatureMatrix]:
        """Return the learned vocabulary and weights, and the features of the texts.

        If texts are an iterator without a length, `n_texts` is required; it may be cut off at
        MANY_TEXTS.
        """
        parts = []
        words: StoredNames | None = None
        idf = np.zeros(0, np.float32)
        if texts is not None:
            n_texts = len(cast(Sequence[str], texts)) if n_texts is None else n_texts
            vectorizer, weighting = options.vectorizer(n_texts), options.weighting()
            counts = _counted(vectorizer, texts, options)
            parts.append(weighting.fit(counts).transform(counts, copy=False))
            idf = np.asarray(weighting.idf_)
            if options.n_features is None:
                names = np.asarray(vectorizer.get_feature_names_out(), object)
                kind, arrays = store_names("words", names)
                words = StoredNames.take("words", kind, arrays, len(names))
        dense = None if embeddings is None else _checked_embeddings(embeddings)
        made = cls(options, words, idf, 0 if dense is None else dense.shape[1])
        return made, _beside(parts, dense)

    def transform(self, texts: Sequence[str] | None, embeddings: Any = None) -> FeatureMatrix:
        """Return the features of texts; unknown words are ignored."""
        if (texts is None) == bool(len(self.idf)):
            raise ValueError(
                "texts must be None, because the tagger was fitted with embeddings only"
                if texts is not None
                else "texts must not be None, because the tagger was fitted with texts"
            )
        if (embeddings is None) == bool(self.n_embeddings):
            raise ValueError(
                "embeddings must be None, because the tagger was fitted without embeddings"
                if embeddings is not None
                else "embeddings must not be None, because the tagger was fitted with embeddings "
                f"of {self.n_embeddings} numbers"
            )
        parts = []
        if texts is not None:
            parts.append(self._word_weights(texts))
        dense = None if embeddings is None else _checked_embeddings(embeddings)
        if dense is not None and dense.shape[1] != self.n_embeddings:
            raise ValueError(
                f"embeddings must have {self.n_embeddings} numbers per text, as in fit, but have "
                f"{dense.shape[1]}"
            )
        return _beside(parts, dense)

    def _word_weights(self, texts: Sequence[str]) -> Any:
        if not texts:  # scikit-learn raises an error for an empty list
            return sparse.csr_array((0, len(self.idf)), dtype=np.float32)
        vectorizer, weighting = self._vectorizer
        return weighting.transform(vectorizer.transform(texts), copy=False)

    @cached_property
    def names(self) -> NDArray[Any]:
        """The words, by column; empty if they are hashed."""
        return np.zeros(0, object) if self._words is None else self._words.names

    def names_for(self, text: str | None) -> Sequence[str]:
        """Return the name of each column; if words are hashed, only of the words of the text."""
        if self.options.n_features is None or text is None:
            known: Mapping[int, str] = dict(enumerate(self.names.tolist()))
        else:
            known = self._hashed_words(text)
        return _ColumnNames(known, len(self.idf), self.n_embeddings)

    def _hashed_words(self, text: str) -> dict[int, str]:
        vectorizer, _ = self._vectorizer
        words = sorted(set(vectorizer.build_analyzer()(text)))
        rows = self.options.vectorizer().set_params(
            analyzer=lambda word: [word], tokenizer=None, preprocessor=None
        )
        named: dict[int, list[str]] = {}
        for word, column in zip(words, rows.transform(words).indices.tolist(), strict=True):
            named.setdefault(column, []).append(word)
        return {column: " or ".join(colliding) for column, colliding in named.items()}

    @cached_property
    def _vectorizer(self) -> tuple[Any, Any]:
        vectorizer, weighting = self.options.vectorizer(), self.options.weighting()
        if self.options.n_features is None:
            vectorizer.vocabulary_ = {word: j for j, word in enumerate(self.names.tolist())}
        weighting.idf_ = self.idf
        weighting.n_features_in_ = len(self.idf)
        return vectorizer, weighting

    def __getstate__(self) -> dict[str, Any]:
        # The vectorizer is created again when it is first used.
        return {name: value for name, value in vars(self).items() if name != "_vectorizer"}

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
        return type(self)(options, self._words, self.idf, self.n_embeddings)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the contents of a model file: a part of the header, and arrays."""
        for name in _FUNCTIONS:
            if callable(getattr(self.options, name)):
                raise ValueError(
                    f"{name} must be None for a model file, which has no code, but is a function; "
                    f"fit without {name}, or pickle the tagger"
                )
        kind: str | None = None
        arrays: dict[str, NDArray[Any]] = {}
        if self._words is not None:
            kind, arrays = store_names("words", self.names)
        arrays["words.idf"] = self.idf
        return {"words": kind, "n_embeddings": self.n_embeddings}, arrays

    @classmethod
    def from_arrays(
        cls,
        stored: Any,
        parameters: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        n_features: int,
    ) -> Self:
        """Restore features from a file; everything is checked, and words are decoded on demand."""
        if not isinstance(stored, dict) or stored.keys() != _STORED.keys():
            raise ValueError(f"text must be a JSON object of {', '.join(_STORED)}")
        for name, kind in _STORED.items():
            if not isinstance(stored[name], kind) or isinstance(stored[name], bool):
                raise ValueError(f"{name} of text is of the wrong kind: {stored[name]!r:.40}")
        if parameters["preprocessor"] is not None:
            raise ValueError("preprocessor must be null in a model file")
        name = parameters["tokenizer"]  # printed as it is, so it may not steer a terminal
        if not (name is None or (isinstance(name, str) and name.isprintable())):
            raise ValueError("tokenizer must be null or a name in a model file")
        options = TextOptions(**{name: parameters[name] for name in OPTION_NAMES})
        idf = take(arrays, "words.idf", None)
        if idf.dtype.kind != "f" or not np.isfinite(idf).all():
            raise ValueError("words.idf must hold finite numbers")
        n_words, n_embeddings = len(idf), stored["n_embeddings"]
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
            words = StoredNames.take("words", "text", arrays, n_words)
        return cls(options, words, idf, n_embeddings)


OPTION_NAMES = tuple(field.name for field in fields(TextOptions))


class _ColumnNames(Sequence[str]):
    """Names of columns, created on demand because there may be millions."""

    def __init__(self, words: Mapping[int, str], n_words: int, n_embeddings: int) -> None:
        self._words, self._n_words, self._n_embeddings = words, n_words, n_embeddings

    def __len__(self) -> int:
        return self._n_words + self._n_embeddings

    def __getitem__(self, column: Any) -> Any:
        if column >= self._n_words:
            return f"embedding[{column - self._n_words}]"
        return self._words.get(column, f"x[{column}]")


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


def _beside(parts: list[Any], dense: FeatureMatrix | None) -> FeatureMatrix:
    """Return the parts side by side; the rows of each part have length 1 or are empty."""
    if dense is not None:
        parts = [*parts, UNIT(dense)]
    n_rows = {part.shape[0] for part in parts}
    if len(n_rows) > 1:
        n_texts, n_embedded = (part.shape[0] for part in parts)
        raise ValueError(
            f"embeddings must be given for each of {n_texts} texts, but are for {n_embedded}"
        )
    whole = parts[0] if len(parts) == 1 else sparse.hstack(parts, format="csr", dtype=np.float32)
    return as_features(whole)


def _checked_embeddings(embeddings: Any) -> FeatureMatrix:
    features = as_features(embeddings)
    if features.shape[1] == 0:
        raise ValueError("embeddings must have at least one number per text, but have none")
    return features


def _check_ngrams(ngram_range: Any) -> None:
    is_pair = isinstance(ngram_range, list | tuple) and len(ngram_range) == 2
    if not (is_pair and all(map(_is_integer, ngram_range))):
        raise ValueError(f"ngram_range must be two integers, but is {ngram_range!r:.40}")
    first, last = ngram_range
    if not 1 <= first <= last:
        raise ValueError(
            f"ngram_range must be (min, max) with 1 <= min <= max, but is {ngram_range!r:.40}"
        )


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _list(words: str | Sequence[str]) -> str | list[str]:
    return words if isinstance(words, str) else list(words)

"""Texts as rows of numbers: a weight for each word, then the numbers of an embedding."""

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
MANY_TEXTS = 1000  # from so many on, a word or pair of one text alone is dropped by default
ANALYZERS = ("word", "char", "char_wb")
_STORED = {"words": str | None, "n_embeddings": int}
_FUNCTIONS = ("tokenizer", "preprocessor")
_MAX_HASHED = 2**31 - 1


@dataclass(frozen=True)
class TextOptions:
    """How texts become words; the names are scikit-learn's, the defaults were measured."""

    analyzer: str = "word"
    ngram_range: Sequence[int] = (1, 2)
    lowercase: bool = True
    stop_words: str | Sequence[str] | None = None
    tokenizer: Callable[[str], Iterable[str]] | str | None = None  # text: only its name is known
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
        """Return the vectoriser of scikit-learn that these options stand for.

        `n_texts` is how many it will be fitted to.
        """
        if isinstance(self.tokenizer, str):
            raise ValueError(
                f"words were made by the tokenizer {self.tokenizer!r:.80}, of which a model file "
                "holds the name only; give the function with features_.with_tokenizer"
            )
        # Not at import time, since classifiers do without.
        from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

        shared = {
            "analyzer": self.analyzer,
            "ngram_range": tuple(self.ngram_range),
            "lowercase": self.lowercase,
            "stop_words": None if self.stop_words is None else _list(self.stop_words),
            "tokenizer": self.tokenizer,
            "preprocessor": self.preprocessor,
            # Else scikit-learn warns that it is not used.
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
    """What was learnt from texts: the words, how rare they are, and the width of embeddings.

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
        self._words = words  # None where words are hashed, or there are no texts

    @classmethod
    def fit(
        cls,
        options: TextOptions,
        texts: Iterable[str] | None,
        embeddings: Any,
        *,
        n_texts: int | None = None,
    ) -> tuple[Self, FeatureMatrix]:
        """Return what was learnt from the texts, and their features.

        `n_texts` must be given, up to MANY_TEXTS, where texts come one by one and have no length.
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
        """Return the features of texts; words that were never seen are passed over."""
        if (texts is None) == bool(len(self.idf)):
            raise ValueError(
                "the tagger was fitted without texts, so it takes embeddings only"
                if texts is not None
                else "the tagger was fitted with texts, so it needs texts"
            )
        if (embeddings is None) == bool(self.n_embeddings):
            raise ValueError(
                "the tagger was fitted without embeddings, so it takes texts only"
                if embeddings is not None
                else f"the tagger was fitted with embeddings of {self.n_embeddings} numbers, so it "
                "needs those of the texts, too"
            )
        parts = []
        if texts is not None:
            parts.append(self._weights_of_words(texts))
        dense = None if embeddings is None else _checked_embeddings(embeddings)
        if dense is not None and dense.shape[1] != self.n_embeddings:
            raise ValueError(
                f"embeddings have {dense.shape[1]} numbers a text, but the tagger was fitted with "
                f"{self.n_embeddings}"
            )
        return _beside(parts, dense)

    def _weights_of_words(self, texts: Sequence[str]) -> Any:
        if not texts:  # which scikit-learn refuses
            return sparse.csr_array((0, len(self.idf)), dtype=np.float32)
        vectorizer, weighting = self._vectorizer
        return weighting.transform(vectorizer.transform(texts), copy=False)

    @cached_property
    def names(self) -> NDArray[Any]:
        """The words, by column; none where they are hashed."""
        return np.zeros(0, object) if self._words is None else self._words.names

    def names_for(self, text: str | None) -> Sequence[str]:
        """Return the name of each column; of hashed columns only those that the text fills."""
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
        return {column: " or ".join(alike) for column, alike in named.items()}

    @cached_property
    def _vectorizer(self) -> tuple[Any, Any]:
        vectorizer, weighting = self.options.vectorizer(), self.options.weighting()
        if self.options.n_features is None:
            vectorizer.vocabulary_ = {word: j for j, word in enumerate(self.names.tolist())}
        weighting.idf_ = self.idf
        weighting.n_features_in_ = len(self.idf)
        return vectorizer, weighting

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("_vectorizer", None)  # made again when it is first asked for
        return state

    # The model file -------------------------------------------------------------------------------

    def with_tokenizer(self, tokenizer: Callable[[str], Iterable[str]] | str) -> Self:
        """Return the same words with another tokenizer, or with its name, which a file can hold.

        Examples
        --------
        >>> features, _ = TextFeatures.fit(TextOptions(tokenizer=str.split), ["a-b c"], None)
        >>> named = features.with_tokenizer("blanks")  # can be saved, but takes no texts
        >>> named.with_tokenizer(str.split).transform(["c c"]).nnz
        1
        """
        options = replace(self.options, tokenizer=tokenizer)
        return type(self)(options, self._words, self.idf, self.n_embeddings)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what a model file holds: a part of the header, and arrays."""
        for name in _FUNCTIONS:
            if callable(getattr(self.options, name)):
                raise ValueError(
                    f"a model file holds no code, but the tagger has a {name} of its own; fit "
                    f"without {name}, or pickle the tagger"
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
        """Return features of a file; nothing is believed, and words are made when asked for."""
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
            # A word that is there twice would only leave a column unused.
            words = StoredNames.take("words", "text", arrays, n_words)
        return cls(options, words, idf, n_embeddings)


OPTION_NAMES = tuple(field.name for field in fields(TextOptions))


class _ColumnNames(Sequence[str]):
    """Names of columns that are made when they are asked for, as there may be millions."""

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
        # The vectoriser speaks of stop words and max_df, which are not the reason.
        if "empty vocabulary" in str(error):
            raise ValueError(
                "no text has a word: words are two letters or more, unless analyzer is 'char_wb'"
            ) from None
        if "no terms remain" in str(error) or "than min_df" in str(error):
            raise ValueError(
                f"no word is in enough texts, as min_df is {options.min_df!r}; lower it"
            ) from None
        raise


def _beside(parts: list[Any], dense: FeatureMatrix | None) -> FeatureMatrix:
    """Return parts side by side, each row of a part of length 1 or empty."""
    if dense is not None:
        parts = [*parts, UNIT(dense)]
    n_rows = {part.shape[0] for part in parts}
    if len(n_rows) > 1:
        n_texts, n_embedded = (part.shape[0] for part in parts)
        raise ValueError(f"there are {n_texts} texts, but embeddings of {n_embedded}")
    whole = parts[0] if len(parts) == 1 else sparse.hstack(parts, format="csr", dtype=np.float32)
    return as_features(whole)


def _checked_embeddings(embeddings: Any) -> FeatureMatrix:
    features = as_features(embeddings)
    if features.shape[1] == 0:
        raise ValueError("embeddings must have at least one number a text, but have none")
    return features


def _check_ngrams(ngram_range: Any) -> None:
    is_pair = isinstance(ngram_range, list | tuple) and len(ngram_range) == 2
    if not (is_pair and all(map(_is_integer, ngram_range))):
        raise ValueError(f"ngram_range must be two integers, but is {ngram_range!r:.40}")
    first, last = ngram_range
    if not 1 <= first <= last:
        raise ValueError(f"ngram_range must rise from at least 1, but is {ngram_range!r:.40}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _list(words: str | Sequence[str]) -> str | list[str]:
    return words if isinstance(words, str) else list(words)

"""Options of tokenization and weighting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

AUTO = "auto"
MANY_TEXTS = 1000  # with at least this many, n-grams that occur in one text only are dropped
ANALYZERS = ("word", "char", "char_wb")
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


OPTION_NAMES = tuple(field.name for field in fields(TextOptions))


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

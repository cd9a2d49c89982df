"""Options of tokenization and weighting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from labeltree.text.tokenization import UNICODE_FORMS, Tokenizer, prepare

AUTO = "auto"
MANY_TEXTS = 1000  # with at least this many, n-grams that occur in one text only are dropped
ANALYZERS = ("word", "char", "char_wb")
_MAX_HASHED = 2**28  # columns; each takes 8 bytes
_MAX_NGRAM = 100  # a text has about as many features per word


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
    language: str | None = None
    unicode_form: str | None = "NFKC"
    cjk_bigrams: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.analyzer, str) or self.analyzer not in ANALYZERS:
            raise ValueError(
                f"analyzer must be one of {', '.join(ANALYZERS)}, but is {self.analyzer!r:.40}"
            )
        _check_ngrams(self.ngram_range)
        for name in ("lowercase", "sublinear_tf", "cjk_bigrams"):
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
        self._check_language()
        is_word = isinstance(self.min_df, str)
        if self.min_df != AUTO if is_word else not _is_count_or_share(self.min_df):
            raise ValueError(
                "min_df must be 'auto', an integer of at least 1 or a share from 0 to 1, but is "
                f"{self.min_df!r:.40}"
            )
        most = self.max_features
        if most is not None and not (_is_integer(most) and most >= 1):
            raise ValueError(f"max_features must be None or at least 1, but is {most!r:.40}")
        if self.n_features is not None and not (
            _is_integer(self.n_features) and 1 <= self.n_features <= _MAX_HASHED
        ):
            raise ValueError(
                f"n_features must be None or 1 to {_MAX_HASHED}, but is {self.n_features!r:.40}"
            )

    def _check_language(self) -> None:
        form = self.unicode_form
        if form is not None and not (isinstance(form, str) and form in UNICODE_FORMS):
            raise ValueError(
                f"unicode_form must be None or one of {', '.join(UNICODE_FORMS)}, but is "
                f"{self.unicode_form!r:.40}"
            )
        if self.language is None:
            return
        if not isinstance(self.language, str) or not self.language.isprintable():
            raise ValueError(f"language must be a name or None, but is {self.language!r:.40}")
        if self.analyzer != "word" or self.tokenizer is not None:
            raise ValueError(
                "language is for the words of the own tokenizer, but analyzer or tokenizer is set; "
                "leave one of them out"
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

        form = self.unicode_form
        shared = {
            "analyzer": self.analyzer,
            "ngram_range": tuple(self.ngram_range),
            "preprocessor": self.preprocessor
            or partial(prepare, lowercase=bool(self.lowercase), unicode_form=form),
            **self._words(),
        }
        if self.n_features is None:
            rare = 2 if n_texts >= MANY_TEXTS else 1
            min_df = rare if self.min_df == AUTO else self.min_df
            limits = {"min_df": min_df, "max_features": self.max_features}
            return CountVectorizer(dtype=np.float32, **shared, **limits)
        return HashingVectorizer(
            n_features=self.n_features, alternate_sign=False, norm=None, dtype=np.float32, **shared
        )

    def _words(self) -> dict[str, Any]:
        """Return how scikit-learn makes words; stop words are left out before they are stemmed."""
        stop_words = [] if self.stop_words is None else _stop_words(self.stop_words)
        if self.analyzer != "word":
            return {}
        if self.tokenizer is not None:
            return {
                "tokenizer": self.tokenizer,
                "stop_words": list(stop_words) or None,
                "token_pattern": None,  # otherwise scikit-learn warns that it is not used
            }
        made = Tokenizer(self.language, cjk_bigrams=self.cjk_bigrams, stop_words=stop_words)
        return {"tokenizer": made, "token_pattern": None}

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
    if not 1 <= first <= last <= _MAX_NGRAM:
        raise ValueError(
            f"ngram_range must be (min, max) with 1 <= min <= max <= {_MAX_NGRAM}, but is "
            f"{ngram_range!r:.40}"
        )


def _is_count_or_share(value: Any) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return False
    given: Any = value
    return bool(given >= 1) if _is_integer(given) else bool(0.0 <= float(given) <= 1.0)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _stop_words(words: str | Sequence[str]) -> Sequence[str]:
    if not isinstance(words, str):
        return words
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return sorted(ENGLISH_STOP_WORDS)

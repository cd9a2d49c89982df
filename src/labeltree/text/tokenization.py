"""Texts into words: Unicode forms, words of Chinese and Japanese, and stems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any, Literal, cast

from labeltree.extras import optional

UnicodeForm = Literal["NFC", "NFKC", "NFD", "NFKD"]
#: Forms of Unicode in which equal characters have equal codes.
UNICODE_FORMS = ("NFC", "NFKC", "NFD", "NFKD")
_CODES = {
    **{"ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german"},
    **{"el": "greek", "en": "english", "es": "spanish", "et": "estonian", "eu": "basque"},
    **{"fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian"},
    **{"hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian"},
    **{"ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese"},
    **{"ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil"},
    **{"tr": "turkish", "yi": "yiddish"},
}
_WORD, _ANY_WORD = re.compile(r"\b\w\w+\b"), re.compile(r"\w+")
# Han, Hiragana, Katakana: written without blanks between words.
_CJK = "\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_HAS_CJK, _RUNS = re.compile(f"[{_CJK}]"), re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_N_STEMS = 1 << 16  # kept, so that frequent words are stemmed once


def prepare(text: str, *, lowercase: bool, unicode_form: str | None) -> str:
    """Return the text in a Unicode form, and in lowercase.

    Examples
    --------
    >>> prepare("ﬁne Cafe\\u0301", lowercase=True, unicode_form="NFKC")
    'fine café'
    """
    if unicode_form is not None and not text.isascii():
        text = unicodedata.normalize(cast(UnicodeForm, unicode_form), text)
    return text.lower() if lowercase else text


class Tokenizer:
    """Returns the words of a text: two letters or more, and bigrams of Chinese and Japanese.

    Parameters
    ----------
    language
        Language of the stemmer, by name or code; None for no stems.
    cjk_bigrams
        Whether runs of Chinese and Japanese characters become overlapping bigrams.
    stop_words
        Words to leave out, before they are stemmed.

    Examples
    --------
    >>> Tokenizer()("東京都 is big, x is not")
    ['東京', '京都', 'is', 'big', 'is', 'not']
    """

    def __init__(
        self,
        language: str | None = None,
        *,
        cjk_bigrams: bool = True,
        stop_words: Collection[str] = (),
    ) -> None:
        self._language, self._cjk_bigrams = language, cjk_bigrams
        self._stop_words = frozenset(stop_words)
        self._stem = None if language is None else _stemmer(language)

    def __call__(self, text: str) -> list[str]:
        if self._cjk_bigrams and not text.isascii() and _HAS_CJK.search(text):
            words = [word for token in _ANY_WORD.findall(text) for word in _split(token)]
        else:
            words = _WORD.findall(text)
        if self._stop_words:
            words = [word for word in words if word not in self._stop_words]
        return words if self._stem is None else [self._stem(word) for word in words]

    def __reduce__(self) -> tuple[Any, ...]:
        return _tokenizer, (self._language, self._cjk_bigrams, self._stop_words)


def _tokenizer(language: str | None, cjk_bigrams: bool, stop_words: frozenset[str]) -> Tokenizer:
    return Tokenizer(language, cjk_bigrams=cjk_bigrams, stop_words=stop_words)


def _split(token: str) -> list[str]:
    """Return the bigrams of Chinese and Japanese runs, and other parts of two letters or more."""
    words = []
    for run in _RUNS.findall(token):
        if not _HAS_CJK.match(run):
            words += [run] if len(run) > 1 else []
        elif len(run) == 1:
            words.append(run)
        else:
            words += [run[i : i + 2] for i in range(len(run) - 1)]
    return words


def _stemmer(language: str) -> Callable[[str], str]:
    snowballstemmer = optional("snowballstemmer", "language needs", "stem")
    name = _CODES.get(language, language)
    known = snowballstemmer.algorithms()
    if name not in known:
        raise ValueError(f"language must be one of {', '.join(known)}, but is {language!r:.40}")
    stem: Callable[[str], str] = snowballstemmer.stemmer(name).stemWord
    return lru_cache(_N_STEMS)(stem)

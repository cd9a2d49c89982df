"""Texts into words: Unicode forms, words without blanks between them, and stems."""

from __future__ import annotations

import pickle
import sys

import pytest

import labeltree as lt
from labeltree import TextTagger
from labeltree.text.tokenization import Tokenizer, prepare


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFD", "NFKD"])
def test_composed_and_decomposed_characters_become_the_same(form: str) -> None:
    one = prepare("caf\u00e9", lowercase=True, unicode_form=form)
    assert one == prepare("Cafe\u0301", lowercase=True, unicode_form=form)


def test_texts_stay_as_they_are_without_a_form() -> None:
    assert prepare("Ｔｅａ", lowercase=False, unicode_form=None) == "Ｔｅａ"


def test_wide_letters_and_ligatures_are_plain_letters_in_nfkc() -> None:
    assert prepare("Ｔｅａ ﬁne", lowercase=True, unicode_form="NFKC") == "tea fine"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("green tea", ["green", "tea"]),
        ("東京都", ["東京", "京都"]),
        ("茶", ["茶"]),
        ("お茶とGreen茶", ["お茶", "茶と", "Green", "茶"]),
        ("カメラ 2台 x", ["カメ", "メラ", "台"]),
        ("한국어 단어", ["한국어", "단어"]),  # Korean has blanks between words
    ],
)
def test_chinese_and_japanese_are_bigrams(text: str, words: list[str]) -> None:
    assert Tokenizer()(text) == words


def test_runs_are_one_word_without_bigrams() -> None:
    assert Tokenizer(cjk_bigrams=False)("東京都") == ["東京都"]


@pytest.mark.parametrize("language", ["english", "en"])
def test_words_with_the_same_stem_are_one_word(language: str) -> None:
    assert Tokenizer(language)("sorted sorting sorts") == ["sort"] * 3


def test_stop_words_are_left_out_before_they_are_stemmed() -> None:
    assert Tokenizer("english", stop_words=["sorting"])("sorted sorting") == ["sort"]


def test_a_tokenizer_pickles() -> None:
    made = pickle.loads(pickle.dumps(Tokenizer("de", stop_words=["und"])))
    assert made("Häuser und Haus") == Tokenizer("de", stop_words=["und"])("Häuser und Haus")


def test_a_tagger_with_a_language_is_saved_with_it(tmp_path) -> None:
    tagger = TextTagger(language="german", n_jobs=1)
    tagger.fit(["die Häuser", "der Garten"], [["house"], ["garden"]]).save(tmp_path / "model.lt")
    loaded = lt.load(tmp_path / "model.lt")
    assert loaded.language == "german"
    texts = ["viele Gärten im Garten"]
    assert loaded.tag(texts, k=1) == tagger.tag(texts, k=1)
    assert loaded.tag(["ein Haus"], k=1)[0][0][0] == "house"


def test_japanese_texts_are_tagged_by_their_words() -> None:
    texts = ["緑茶を飲む", "紅茶を飲む", "本を読む", "新聞を読む"]
    tagger = TextTagger().fit(texts, [["drink"], ["drink"], ["read"], ["read"]])
    assert tagger.tag(["抹茶を飲む人"], k=1)[0][0][0] == "drink"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "klingon"}, "language must be one of arabic, .*, but is 'klingon'"),
        ({"language": 3}, "language must be a name or None, but is 3"),
        ({"language": "en", "analyzer": "char"}, "language is for the words of the own tokenizer"),
        ({"unicode_form": "UTF8"}, "unicode_form must be None or one of NFC, NFKC, NFD, NFKD"),
        ({"cjk_bigrams": 1}, "cjk_bigrams must be True or False, but is 1"),
    ],
)
def test_bad_options_are_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        TextTagger(**options).fit(["green tea"], [["tea"]])


def test_a_missing_stemmer_names_its_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install \"labeltree\[stem\]\""):
        TextTagger(language="en").fit(["green tea"], [["tea"]])

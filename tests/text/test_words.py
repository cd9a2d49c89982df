"""Words of texts as rows, compared with scikit-learn, which is slower and right."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer

import labeltree as lt
from labeltree import TextTagger, _core
from labeltree.text.features import TextFeatures
from labeltree.text.options import TextOptions
from labeltree.text.words import Vocabulary

TEXTS = [
    "Green tea, and green TEA again: tea tea tea",
    "rye bread with butter",
    "",
    "Über den Wolken – naïve café 東京 tea-time x 42",
    "butter " * 5000,
    "a b c",
]
TAGS = [["tea"], ["bread"], [], ["travel"], ["bread"], []]
OPTIONS = [
    {},
    {"ngram_range": (1, 3), "sublinear_tf": False},
    {"ngram_range": (2, 2), "stop_words": "english"},
    {"lowercase": False, "stop_words": ["tea"]},
    {"analyzer": "char_wb", "ngram_range": (2, 4)},
    {"analyzer": "char", "ngram_range": (1, 2)},
    {"n_features": 50},
    {"n_features": 2**20, "ngram_range": (1, 3)},
    {"n_features": 97, "analyzer": "char", "ngram_range": (3, 3)},
    {"tokenizer": str.split, "preprocessor": str.upper},
]


def by_scikit_learn(features: TextFeatures, texts: list[str]):
    """Return the rows that scikit-learn makes with the same vocabulary and weights."""
    options = features.options
    vectorizer, weighting = options.vectorizer(), options.weighting()
    if options.n_features is None:
        vectorizer.vocabulary_ = {word: j for j, word in enumerate(features.names.tolist())}
    weighting.idf_, weighting.n_features_in_ = features.idf, len(features.idf)
    return weighting.transform(vectorizer.transform(texts))


def assert_same_rows(found, expected) -> None:
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_rows_equal_those_of_scikit_learn_bit_for_bit(options) -> None:
    features, X = TextFeatures.fit(TextOptions(**options), TEXTS, None)
    assert_same_rows(features.transform(TEXTS), by_scikit_learn(features, TEXTS))
    assert_same_rows(features.transform(TEXTS), X)


@settings(deadline=None)
@given(st.lists(st.text(max_size=40), max_size=4))
def test_any_text_has_the_row_of_scikit_learn(texts: list[str]) -> None:
    features, _ = TextFeatures.fit(TextOptions(), TEXTS, None)
    found = features.transform(texts)
    assert found.shape == (len(texts), len(features.idf))
    if texts:
        assert_same_rows(found, by_scikit_learn(features, texts))


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_words_are_hashed_as_by_scikit_learn(word: str) -> None:
    vectorizer = HashingVectorizer(n_features=1009, analyzer=lambda text: [text], norm=None)
    [expected] = vectorizer.transform([word]).indices.tolist()
    assert _core.hashed_column(word.encode(), 1009) == expected


@pytest.mark.parametrize("text", ["tea \udcff tea", "tea \udcfe", "\ud800 tea", "te\udcffa tea"])
def test_halves_of_characters_end_words_and_nothing_else(text: str) -> None:
    features, _ = TextFeatures.fit(TextOptions(), TEXTS, None)
    found = features.transform([text, "bread"])
    assert found.shape[0] == 2
    assert "tea" in features.names[found.indices[found.indptr[0] : found.indptr[1]]]


# One text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS[:-1], ids=str)
@pytest.mark.parametrize("threshold", [None, 0.3])
def test_one_text_gets_the_tags_of_a_batch_bit_for_bit(options, threshold) -> None:
    tagger = TextTagger(**options).fit(TEXTS, TAGS)
    batch = tagger.tag(TEXTS, 2, threshold)
    assert [tagger.tag([text], 2, threshold)[0] for text in TEXTS] == batch
    assert [tagger.tag([text], 99, threshold)[0] for text in TEXTS] == tagger.tag(
        TEXTS, 99, threshold
    )


def test_names_of_columns_are_decoded_one_by_one() -> None:
    features, _ = TextFeatures.fit(TextOptions(), TEXTS, None)
    names = features.names_for("tea")
    assert [names[j] for j in range(len(names))] == features.names.tolist()


# The vocabulary ----------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.text(max_size=8), unique=True, max_size=60))
def test_every_word_is_found_and_no_other(words: list[str]) -> None:
    encoded = [word.encode("utf-8", "ignore") for word in words]
    listed = sorted({word.decode() for word in encoded})
    vocabulary = Vocabulary.of_names(listed)
    assert [vocabulary.native.find(word.encode()) for word in listed] == list(range(len(listed)))
    assert vocabulary.native.find(b"no such word") == -1


def test_a_vocabulary_pickles_and_lies_in_the_map_of_its_file(tmp_path) -> None:
    tagger = TextTagger().fit(TEXTS, TAGS)
    tagger.save(tmp_path / "model.lt")
    loaded = lt.load(tmp_path / "model.lt")
    arrays = loaded.features_._words.to_arrays()
    assert not any(array.flags.owndata for array in arrays.values())
    assert pickle.loads(pickle.dumps(loaded)).tag(TEXTS) == loaded.tag(TEXTS) == tagger.tag(TEXTS)


@pytest.mark.parametrize("slot", [1, 3, 2**31, 2**32 - 1])
def test_a_hostile_table_ends_every_search_within_its_arrays(slot: int) -> None:
    words = Vocabulary.of_names(["tea", "bread", "jam"])
    arrays = words.to_arrays()
    table = np.full(8, slot, np.uint32)
    hostile = _core.Vocabulary(arrays["words.text"], arrays["words.ends"], table)
    for word in (b"tea", b"bread", b"jam", b"", b"nothing"):
        assert hostile.find(word) in (-1, 0, 1, 2)


@pytest.mark.parametrize("n_slots", [0, 3, 6])
def test_a_table_has_a_power_of_two_of_slots_above_its_words(n_slots: int) -> None:
    arrays = Vocabulary.of_names(["tea", "bread", "jam"]).to_arrays()
    with pytest.raises(ValueError, match=r"words\.table must have a power of two of slots"):
        Vocabulary.from_arrays({**arrays, "words.table": np.zeros(n_slots, np.uint32)}, 3)

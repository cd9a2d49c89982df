"""TextEncoder: an encoder of texts that is trained with an output layer."""

import pickle

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch")

from labeltree import TextTagger
from labeltree.torch import TextEncoder

TEXTS = ["green tea", "black tea with milk", "white bread", "rye bread with butter"] * 4
TAGS = [["drink", "tea"], ["drink", "tea"], ["bread"], ["bread", "butter"]] * 4
SETTINGS = {"batch_size": 4, "n_epochs": 8, "lr": 0.05, "device": "cpu"}


@pytest.fixture(scope="module")
def fitted() -> TextEncoder:
    return TextEncoder(**SETTINGS).fit(TEXTS, TAGS)


def test_texts_with_the_same_tags_are_similar(fitted) -> None:
    rows = fitted(TEXTS[:4])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    similarity = rows @ rows.T
    assert similarity[0, 1] > similarity[0, 2]


def test_one_tag_per_text_is_accepted() -> None:
    encoder = TextEncoder(**SETTINGS).fit(TEXTS, [tags[0] for tags in TAGS])
    assert encoder(["tea", ""]).shape == (2, 128)


def test_no_texts_have_no_rows(fitted) -> None:
    assert fitted([]).shape == (0, 128)


def test_a_pickled_encoder_answers_as_before(fitted) -> None:
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted))(TEXTS), fitted(TEXTS))


def test_the_same_seed_gives_the_same_bits(fitted) -> None:
    np.testing.assert_array_equal(TextEncoder(**SETTINGS).fit(TEXTS, TAGS)(TEXTS), fitted(TEXTS))


def test_a_tagger_fits_it_and_stores_its_name(tmp_path) -> None:
    tagger = TextTagger(n_jobs=1, encoder=TextEncoder(**SETTINGS)).fit(TEXTS, TAGS)
    assert tagger.tag(["tea"], k=1)[0][0][0] in ("drink", "tea")
    assert tagger.features_.embeddings.to_header()["encoder"] == "labeltree.torch.TextEncoder"

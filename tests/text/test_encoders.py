"""TextTagger with an encoder: its protocol, the weight of embeddings, and the model file."""

import numpy as np
import pytest

import labeltree as lt
from labeltree import ModelFileError, TextTagger
from labeltree.estimators.summary import summarize
from labeltree.text.embedding_weight import MIN_TEXTS
from tests.model_files import content_edit, edited, put

TEXTS = ["green tea", "black tea", "white bread", "rye bread with butter"]
TAGS = [["drink", "tea"], ["drink", "tea"], ["bread"], ["bread", "butter"]]


def by_letters(texts):
    """Return how often each text has the letters a, e and t."""
    return [[text.count(letter) + 0.5 for letter in "aet"] for text in texts]


class WithEncode:
    def encode(self, texts):
        return np.array(by_letters(texts))


class Learning:
    """Encoder whose numbers depend on the training texts."""

    name = "number of texts"
    n_texts = 0

    def fit(self, texts, tags):
        assert len(texts) == len(tags)
        self.n_texts = len(texts)
        return self

    def __call__(self, texts):
        assert self.n_texts
        return [[len(text), self.n_texts] for text in texts]


@pytest.fixture
def tagger() -> TextTagger:
    return TextTagger(n_jobs=1, ngram_range=(1, 1), encoder=by_letters).fit(TEXTS, TAGS)


def test_an_encoder_gives_the_features_of_its_embeddings(tagger) -> None:
    plain = TextTagger(n_jobs=1, ngram_range=(1, 1))
    plain.fit(TEXTS, TAGS, embeddings=by_letters(TEXTS))
    given = plain.tag(["tea"], embeddings=by_letters(["tea"]))
    assert tagger.tag(["tea"]) == given


def test_embeddings_that_are_given_replace_those_of_the_encoder(tagger) -> None:
    other = tagger.features_.transform(["tea"], [[1.0, 0.0, 0.0]]).toarray()[0]
    assert other[-3:].tolist() == [1, 0, 0]


def test_an_object_with_encode_is_an_encoder(tagger) -> None:
    other = TextTagger(n_jobs=1, ngram_range=(1, 1), encoder=WithEncode()).fit(TEXTS, TAGS)
    assert other.tag(TEXTS) == tagger.tag(TEXTS)


def test_an_encoder_that_learns_is_copied_and_fitted() -> None:
    given = Learning()
    tagger = TextTagger(n_jobs=1, encoder=given).fit(TEXTS, TAGS)
    assert (given.n_texts, tagger.encoder_.n_texts) == (0, len(TEXTS))


def test_a_new_tagger_learns_online_with_an_encoder() -> None:
    tagger = TextTagger(n_jobs=1, n_features=64, encoder=Learning())
    tagger.partial_fit(TEXTS[:2], TAGS[:2]).partial_fit(TEXTS[2:], TAGS[2:])
    assert tagger.encoder_.n_texts == 2
    assert tagger.n_features_in_ == 66


def test_explanations_name_the_columns_of_an_encoder(tagger) -> None:
    [*_, leaf] = tagger.explain("tea", "tea", top_features=10).steps
    assert "embedding[2]" in [one.name for one in leaf.evidence.contributions]


# The weight -------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0, -1.0, "heavy", True, None, float("inf")])
def test_a_weight_is_auto_or_a_positive_number(weight) -> None:
    with pytest.raises(ValueError, match="embedding_weight must be 'auto' or a number above 0"):
        TextTagger(encoder=by_letters, embedding_weight=weight).fit(TEXTS, TAGS)


def test_a_weight_multiplies_embeddings_of_length_1() -> None:
    tagger = TextTagger(n_jobs=1, encoder=by_letters, embedding_weight=3.0).fit(TEXTS, TAGS)
    row = tagger.features_.transform(["bread"]).toarray()[0]
    assert np.linalg.norm(row[-3:]) == pytest.approx(3)
    assert np.linalg.norm(row[:-3]) == pytest.approx(1)


def test_the_weight_is_1_with_few_texts(tagger) -> None:
    assert tagger.features_.embeddings.weight == 1


@pytest.mark.parametrize("useful", [True, False])
def test_the_weight_is_large_only_if_held_out_texts_gain(useful) -> None:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 40, MIN_TEXTS)
    known = np.where(rng.random(MIN_TEXTS) < 0.3, classes, rng.integers(0, 40, MIN_TEXTS))
    texts = [f"word{known[i]} text{i}" for i in range(MIN_TEXTS)]
    number = {text: i for i, text in enumerate(texts)}
    vectors = 4.0 * useful * np.eye(64)[classes] + rng.normal(size=(MIN_TEXTS, 64))
    tagger = TextTagger(n_jobs=1, encoder=lambda batch: vectors[[number[t] for t in batch]])
    weight = tagger.fit(texts, [f"tag{c}" for c in classes]).features_.embeddings.weight
    assert weight > 1 if useful else weight < 1


def test_an_encoder_that_learns_does_not_see_held_out_texts_while_the_weight_is_found() -> None:
    seen = []

    class Recording(Learning):
        def fit(self, texts, tags):
            seen.append(len(texts))
            return super().fit(texts, tags)

    texts = [f"word{i % 7} text{i}" for i in range(MIN_TEXTS)]
    TextTagger(n_jobs=1, encoder=Recording()).fit(texts, [f"t{i % 7}" for i in range(MIN_TEXTS)])
    assert seen == [MIN_TEXTS, MIN_TEXTS * 9 // 10]


# The model file ---------------------------------------------------------------------------------


@pytest.fixture
def path(tagger, tmp_path):
    tagger.set_params(embedding_weight=2.0).fit(TEXTS, TAGS).save(tmp_path / "model.lt")
    return tmp_path / "model.lt"


def test_a_file_has_the_name_and_the_weight(path) -> None:
    loaded = lt.load(path)
    assert (loaded.encoder_, loaded.features_.embeddings.weight) == ("by_letters", 2.0)
    assert "embeddings of 3 numbers by by_letters" in str(summarize(path))


def test_a_name_attribute_is_the_name_in_a_file(tmp_path) -> None:
    TextTagger(n_jobs=1, encoder=Learning()).fit(TEXTS, TAGS).save(tmp_path / "model.lt")
    assert lt.load(tmp_path / "model.lt").encoder_ == "number of texts"


def test_a_loaded_tagger_asks_for_its_encoder(path) -> None:
    with pytest.raises(ValueError, match=r"encoder 'by_letters' is known by only the name"):
        lt.load(path).tag(["tea"])


def test_a_loaded_tagger_answers_as_before_with_its_encoder(path, tagger) -> None:
    loaded = lt.load(path).set_encoder(by_letters)
    assert loaded.tag(TEXTS) == tagger.tag(TEXTS)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("encoder", 3, "encoder of text is of the wrong kind"),
        ("encoder", "\x1b[2J", "encoder must be null or the name"),
        ("embedding_weight", -1.0, "embedding_weight must be above 0"),
        ("embedding_weight", "2", "embedding_weight of text is of the wrong kind"),
    ],
)
def test_hostile_embeddings_are_refused(key, value, message, path, tmp_path) -> None:
    file = put(tmp_path, edited(path.read_bytes(), content_edit("text", key, value=value)))
    with pytest.raises(ModelFileError, match=message):
        lt.load(file)


# Error messages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("encoder", [3, WithEncode])
def test_an_encoder_is_a_function_and_no_class(encoder) -> None:
    with pytest.raises(TypeError, match="encoder must be a function from texts"):
        TextTagger(encoder=encoder).fit(TEXTS, TAGS)


@pytest.mark.parametrize("found", [[[1.0]], [1.0, 2.0, 3.0, 4.0]])
def test_an_encoder_returns_one_row_per_text(found) -> None:
    with pytest.raises(ValueError, match="encoder must return one row of numbers for each of 4"):
        TextTagger(encoder=lambda _: found).fit(TEXTS, TAGS)


def test_an_encoder_of_another_length_is_refused(path) -> None:
    with pytest.raises(ValueError, match="embeddings must have 3 numbers per text, as in fit"):
        lt.load(path).set_encoder(lambda texts: np.ones((len(texts), 2))).tag(["tea"])


def test_a_tagger_without_embeddings_takes_no_encoder() -> None:
    with pytest.raises(ValueError, match="fitted without embeddings, so it takes no encoder"):
        TextTagger(n_jobs=1).fit(TEXTS, TAGS).set_encoder(by_letters)

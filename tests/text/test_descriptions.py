"""Descriptions of tags as training texts."""

from types import MappingProxyType

import numpy as np
import pytest

import labeltree as lt
from labeltree import HSMClassifier, TextTagger
from labeltree.text.descriptions import with_descriptions

TEXTS = ["green tea", "black tea", "white bread", "rye bread with butter"]
TAGS = [["drink", "tea"], ["drink", "tea"], ["bread"], ["bread", "butter"]]
DESCRIPTIONS = {"tea": "leaves in hot water", "jam": "boiled fruit with sugar"}


def tagger(**options) -> TextTagger:
    return TextTagger(n_jobs=1, ngram_range=(1, 1), **options)


def described(**options) -> TextTagger:
    return tagger().fit(TEXTS, TAGS, descriptions=DESCRIPTIONS, **options)


def probability(fitted: TextTagger, text: str, tag: str) -> float:
    return dict(fitted.tag([text], k=None)[0])[tag]


def test_a_tag_without_texts_is_predicted_by_its_description() -> None:
    assert described().tag(["fruit"], k=1)[0][0][0] == "jam"


def test_words_of_a_description_point_to_its_tag() -> None:
    plain, better = tagger().fit(TEXTS, TAGS), described()
    assert probability(better, "hot water", "tea") > probability(plain, "hot water", "tea")


def test_a_larger_weight_makes_descriptions_count_more() -> None:
    light, heavy = (described(description_weight=weight) for weight in (0.1, 2.0))
    assert probability(heavy, "leaves", "tea") > probability(light, "leaves", "tea")


def test_the_only_text_of_a_tag_weighs_ten_times_as_much() -> None:
    found = with_descriptions(TEXTS, TAGS, None, DESCRIPTIONS, 0.5)
    assert found.texts[-2:] == list(DESCRIPTIONS.values())
    assert found.tags[-2:] == [["tea"], ["jam"]]
    assert found.weight.tolist() == [1, 1, 1, 1, 0.5, 5]
    assert found.n_descriptions == 2


def test_no_descriptions_change_nothing() -> None:
    plain, empty = tagger().fit(TEXTS, TAGS), tagger().fit(TEXTS, TAGS, descriptions={})
    assert plain.tag(TEXTS) == empty.tag(TEXTS)


def test_any_mapping_holds_descriptions() -> None:
    found = tagger().fit(TEXTS, TAGS, descriptions=MappingProxyType(DESCRIPTIONS))
    assert found.tag(["fruit"]) == described().tag(["fruit"])


def test_one_tag_per_text_may_be_described() -> None:
    classes = ["tea", "tea", "bread", "bread"]
    for classifier in (None, HSMClassifier(n_jobs=1)):
        fitted = TextTagger(classifier=classifier).fit(TEXTS, classes, descriptions=DESCRIPTIONS)
        assert fitted.predict(["sugar", "rye"]) == ["jam", "bread"]


def test_tags_may_be_integers() -> None:
    fitted = tagger().fit(["tea", "bread"], [[0], [1]], descriptions={1: "rye", 2: "jam"})
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.tag(["jam"], k=1)[0][0][0] == 2


def test_a_model_file_holds_described_tags(tmp_path) -> None:
    described().save(tmp_path / "model.lt")
    assert lt.load(tmp_path / "model.lt").tag(["fruit"]) == described().tag(["fruit"])


def test_an_encoder_encodes_descriptions_too() -> None:
    def letters(texts):
        return np.array([[text.count("u"), 1.0] for text in texts])

    fitted = tagger(encoder=letters).fit(TEXTS, TAGS, descriptions=DESCRIPTIONS)
    assert fitted.tag(["fruit"], k=1)[0][0][0] == "jam"


def test_a_warm_start_learns_from_descriptions_of_known_tags() -> None:
    fitted = tagger(warm_start=True).fit(TEXTS, TAGS)
    before = probability(fitted, "a bottle of white", "tea")
    fitted.fit(TEXTS, TAGS, descriptions={"tea": "a bottle of white"}, description_weight=5.0)
    assert probability(fitted, "a bottle of white", "tea") > before


def test_a_warm_start_refuses_descriptions_of_new_tags() -> None:
    fitted = tagger(warm_start=True).fit(TEXTS, TAGS)
    with pytest.raises(ValueError, match="jam"):
        fitted.fit(TEXTS, TAGS, descriptions=DESCRIPTIONS)


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("descriptions", "message"),
    [
        (["tea"], "descriptions must be a mapping, but is"),
        ({"tea": 7}, "the description of tag 'tea' must be a string, but is int"),
        ({"tea": None}, "the description of tag 'tea' must be a string, but is NoneType"),
    ],
)
def test_descriptions_must_be_strings_by_tag(descriptions, message) -> None:
    with pytest.raises(TypeError, match=message):
        tagger().fit(TEXTS, TAGS, descriptions=descriptions)


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf")])
def test_the_weight_must_be_positive(weight) -> None:
    with pytest.raises(ValueError, match="description_weight must be above 0"):
        described(description_weight=weight)


def test_the_weight_must_be_a_number() -> None:
    with pytest.raises(TypeError, match="description_weight must be a number"):
        described(description_weight="small")


def test_given_embeddings_leave_descriptions_without_any() -> None:
    with pytest.raises(ValueError, match="set encoder instead"):
        tagger().fit(TEXTS, TAGS, embeddings=np.eye(4), descriptions=DESCRIPTIONS)


def test_an_indicator_has_no_tags_to_describe() -> None:
    with pytest.raises(TypeError, match="tags by name"):
        tagger().fit(TEXTS, np.eye(4, dtype=int), descriptions={0: "tea"})

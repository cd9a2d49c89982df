"""Rescorer: scores of a function for the most probable tags, and probabilities after its fit."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from labeltree import Rescorer, TextTagger

TEXTS = ["green tea", "black tea", "white bread", "rye bread with butter"]
TAGS = [["drink", "tea"], ["drink", "tea"], ["bread"], ["bread", "butter"]]


def by_length(texts, candidates):
    """Return the length of each tag."""
    return [[len(tag) for tag, _ in row] for row in candidates]


def score_all(value):
    """Return a function that gives all candidates the same score."""
    return lambda _, candidates: [[value] * len(row) for row in candidates]


@pytest.fixture(scope="module")
def tagger() -> TextTagger:
    return TextTagger(n_jobs=1, ngram_range=(1, 1)).fit(TEXTS, TAGS)


@pytest.fixture(scope="module")
def many():
    """Texts whose words say little about their tag, and the tags."""
    rng = np.random.default_rng(0)
    tags = rng.integers(0, 8, 1200)
    words = np.where(rng.random(1200) < 0.4, tags, rng.integers(0, 8, 1200))
    texts = [f"word{word} text{i}" for i, word in enumerate(words)]
    return texts, [f"tag{tag}" for tag in tags]


@pytest.fixture(scope="module")
def weak(many) -> TextTagger:
    texts, tags = many
    return TextTagger(n_jobs=1, n_features=256).fit(texts[:400], tags[:400])


@pytest.fixture
def informed(many):
    """Function that knows the tags of all texts, with noise, on a scale of its own."""
    truth, rng = dict(zip(*many, strict=True)), np.random.default_rng(1)
    return lambda texts, candidates: [
        [-300 + 40 * ((tag == truth[text]) + 0.5 * rng.normal()) for tag, _ in row]
        for text, row in zip(texts, candidates, strict=True)
    ]


# Scores -----------------------------------------------------------------------------------------


def test_tags_are_ranked_by_the_scores_of_the_function(tagger) -> None:
    [row] = tagger.tag(["green tea"], rescorer=Rescorer(by_length))
    assert [value for _, value in row] == [6, 5, 5, 3]


def test_tags_of_equal_scores_keep_their_order(tagger) -> None:
    before = [tag for tag, _ in tagger.tag(["rye"])[0]]
    after = tagger.tag(["rye"], rescorer=Rescorer(score_all(0)))[0]
    assert after == [(tag, 0.0) for tag in before]


def test_the_function_gets_what_tag_returns(tagger) -> None:
    seen = []

    def recording(texts, candidates):
        seen.append((texts, candidates))
        return by_length(texts, candidates)

    tagger.tag(TEXTS, k=1, rescorer=Rescorer(recording, n_candidates=3))
    assert seen == [(TEXTS, tagger.tag(TEXTS, k=3))]


class Tensor:
    """Scores as torch has them: they must be fetched from a device."""

    def __init__(self, rows):
        self.rows = rows

    def detach(self):
        return self

    float = cpu = detach

    def numpy(self):
        return np.array(self.rows, np.float32)


@pytest.mark.parametrize("kind", [np.array, Tensor])
def test_scores_may_be_an_array_or_a_tensor(kind, tagger) -> None:
    expected = tagger.tag(TEXTS, rescorer=Rescorer(by_length))
    found = tagger.tag(TEXTS, rescorer=Rescorer(lambda *given: kind(by_length(*given))))
    assert found == expected


def test_k_none_returns_all_candidates(tagger) -> None:
    rows = tagger.tag(TEXTS, k=None, rescorer=Rescorer(by_length, n_candidates=3))
    assert [len(row) for row in rows] == [3] * 4


def test_no_texts_have_no_tags(tagger) -> None:
    assert tagger.tag([], rescorer=Rescorer(by_length)) == []


def test_embeddings_are_passed_on() -> None:
    vectors = np.eye(4)
    tagger = TextTagger(n_jobs=1).fit(TEXTS, TAGS, embeddings=vectors)
    rescorer = Rescorer(by_length).fit(tagger, TEXTS, TAGS, embeddings=vectors)
    assert len(tagger.tag(TEXTS, embeddings=vectors, rescorer=rescorer)) == 4


# Probabilities ----------------------------------------------------------------------------------


def test_a_useful_function_raises_precision(many, weak, informed) -> None:
    texts, tags = many
    rescorer = Rescorer(informed).fit(weak, texts[400:800], tags[400:800])
    plain = weak.evaluate(texts[800:], tags[800:], ks=(1,))
    rescored = weak.evaluate(texts[800:], tags[800:], ks=(1,), rescorer=rescorer)
    assert rescored["P@1"] > plain["P@1"] + 0.2


def test_probabilities_are_calibrated(many, weak, informed) -> None:
    texts, tags = many
    rescorer = Rescorer(informed).fit(weak, texts[400:800], tags[400:800])
    rows = weak.tag(texts[800:], rescorer=rescorer)
    pairs = [(p, tag == true) for row, true in zip(rows, tags[800:], strict=True) for tag, p in row]
    probabilities, hits = np.array(pairs).T
    assert abs(probabilities.mean() - hits.mean()) < 0.02
    assert abs(probabilities[hits == 1].mean() - probabilities[hits == 0].mean()) > 0.3


def test_both_scores_and_probabilities_count(many, weak, informed) -> None:
    texts, tags = many
    fitted = Rescorer(informed).fit(weak, texts[400:800], tags[400:800])
    values = [
        weak.evaluate(texts[800:], tags[800:], ks=(1,), rescorer=rescorer)["P@1"]
        for rescorer in (fitted, Rescorer(informed))
    ]
    assert values[0] > values[1]


def test_a_function_that_knows_nothing_leaves_the_order(many, weak) -> None:
    texts, tags = many
    rescorer = Rescorer(score_all(7.0)).fit(weak, texts[400:800], tags[400:800])
    expected = [[tag for tag, _ in row] for row in weak.tag(texts[800:900])]
    found = weak.tag(texts[800:900], rescorer=rescorer)
    assert [[tag for tag, _ in row] for row in found] == expected


def test_a_threshold_applies_to_the_probabilities_of_the_rescorer(many, weak, informed) -> None:
    texts, tags = many
    rescorer = Rescorer(informed).fit(weak, texts[400:800], tags[400:800])
    rows = weak.tag(texts[800:], k=None, threshold=0.5, rescorer=rescorer)
    values = [value for row in rows for _, value in row]
    assert 0.5 <= min(values) <= max(values) <= 1


def test_the_scale_of_scores_does_not_matter(many, weak) -> None:
    texts, tags = many
    rows = []
    for scale in (1.0, 1e9):

        def scaled(texts, candidates, scale=scale):
            return [
                [scale * len(text) for _ in row]
                for text, row in zip(texts, candidates, strict=True)
            ]

        rescorer = Rescorer(scaled).fit(weak, texts[400:800], tags[400:800])
        rows.append(weak.tag(texts[800:810], k=1, rescorer=rescorer))
    for [(tag, value)], [(other_tag, other)] in zip(*rows, strict=True):
        assert (tag, value) == (other_tag, pytest.approx(other))


def test_a_fitted_rescorer_can_be_pickled(many, weak) -> None:
    texts, tags = many
    rescorer = Rescorer(by_length).fit(weak, texts[400:800], tags[400:800])
    again = pickle.loads(pickle.dumps(rescorer))
    assert weak.tag(texts[:5], rescorer=again) == weak.tag(texts[:5], rescorer=rescorer)


def test_scores_alone_are_evaluated_without_calibration_error(tagger) -> None:
    names = tagger.evaluate(TEXTS, TAGS, ks=(1,), rescorer=Rescorer(by_length))
    assert "P@1" in names
    assert "ECE@1" not in names


# Error messages ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda *_: [[1.0]], ValueError, "one list of scores for each of 4 texts, but returned 1"),
        (lambda *_: None, ValueError, "for each of 4 texts, but returned None"),
        (lambda *_: [[1.0]] * 4, ValueError, r"one score for each of 4 candidates.*\(1,\)"),
        (lambda *_: [1.0] * 4, ValueError, "one score for each of 4 candidates"),
        (score_all(np.nan), ValueError, "candidate 0 of text 0 is nan"),
        (score_all(-np.inf), ValueError, "candidate 0 of text 0 is -inf"),
        (score_all("good"), TypeError, "scores of text 0 must be numbers, but are"),
        (score_all(None), ValueError, "candidate 0 of text 0 is nan"),
    ],
)
def test_wrong_scores_are_refused(function, error, message, tagger) -> None:
    with pytest.raises(error, match=message):
        tagger.tag(TEXTS, rescorer=Rescorer(function))


@pytest.mark.parametrize("function", [None, "cross-encoder", [1.0]])
def test_a_rescorer_has_a_function(function) -> None:
    with pytest.raises(TypeError, match="function must be a function of texts and candidates"):
        Rescorer(function)


@pytest.mark.parametrize(("number", "error"), [(0, ValueError), (2.5, TypeError)])
def test_the_number_of_candidates_is_a_positive_integer(number, error) -> None:
    with pytest.raises(error, match="n_candidates must be"):
        Rescorer(by_length, n_candidates=number)


def test_a_plain_function_is_not_a_rescorer(tagger) -> None:
    with pytest.raises(TypeError, match="rescorer must be a Rescorer or None"):
        tagger.tag(TEXTS, rescorer=by_length)


def test_k_is_at_most_the_number_of_candidates(tagger) -> None:
    with pytest.raises(ValueError, match="at most the n_candidates of the rescorer, 3, but is 5"):
        tagger.tag(TEXTS, rescorer=Rescorer(by_length, n_candidates=3))


def test_a_threshold_needs_probabilities(tagger) -> None:
    with pytest.raises(ValueError, match=r"threshold must be None.*fit it first"):
        tagger.tag(TEXTS, threshold=0.5, rescorer=Rescorer(by_length))


def test_a_rescorer_needs_texts() -> None:
    tagger = TextTagger(n_jobs=1).fit(None, TAGS, embeddings=np.eye(4))
    with pytest.raises(ValueError, match="texts must be given for a rescorer"):
        tagger.tag(None, embeddings=np.eye(4), rescorer=Rescorer(by_length))


def test_candidates_that_are_all_wrong_teach_nothing(tagger) -> None:
    with pytest.raises(ValueError, match=r"right and wrong candidates.*all are wrong"):
        Rescorer(by_length).fit(tagger, ["green tea"], [["wine"]])


def test_a_rescorer_is_fitted_with_a_fitted_tagger() -> None:
    with pytest.raises(NotFittedError):
        Rescorer(by_length).fit(TextTagger(), TEXTS, TAGS)


def test_a_rescorer_is_fitted_with_a_tagger() -> None:
    with pytest.raises(TypeError, match="tagger must be a TextTagger"):
        Rescorer(by_length).fit(TEXTS, TEXTS, TAGS)

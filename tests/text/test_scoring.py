"""TextTagger in scikit-learn's searches, cross-validation and pipelines."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from labeltree import HSMClassifier, TextTagger
from labeltree.metrics import precision_scorer

TEXTS = ["tea milk", "tea", "milk tea sugar", "bread", "bread jam", "jam bread butter"] * 5
TAGS = [["drink"], ["drink"], ["drink", "sweet"], ["food"], ["food", "sweet"], ["food"]] * 5
FIRST = [tags[0] for tags in TAGS]


def first_two_words(texts):
    return [" ".join(text.split()[:2]) for text in texts]


def test_probabilities_and_top_k_are_those_of_the_classifier() -> None:
    tagger = TextTagger().fit(TEXTS, TAGS)
    X = tagger.features_.transform(TEXTS)
    found, expected = tagger.predict_proba(TEXTS), tagger.classifier_.predict_proba(X)
    assert type(found) is sparse.csr_array
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    np.testing.assert_array_equal(tagger.top_k(TEXTS, 2)[0], tagger.classifier_.top_k(X, 2)[0])
    assert tagger.predict_proba(TEXTS, k=1).nnz == len(TEXTS)
    assert tagger.predict_proba(TEXTS, threshold=1.0).nnz < found.nnz


def test_probabilities_of_one_tag_per_text_are_dense() -> None:
    found = TextTagger().fit(TEXTS, FIRST).predict_proba(TEXTS)
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-5)


def test_score_counts_texts_with_all_tags_correct() -> None:
    tagger = TextTagger().fit(TEXTS, TAGS)
    right = tagger.predict(TEXTS[:6])
    assert tagger.score(TEXTS[:6], right) == 1.0
    assert tagger.score(TEXTS[:6], [*right[:3], ["food", "new"], ["sweet"], []]) == 0.5


def test_embeddings_can_be_scored() -> None:
    embeddings = np.eye(6).repeat(5, axis=0).reshape(5, 6, 6).swapaxes(0, 1).reshape(30, 6)
    tagger = TextTagger().fit(None, FIRST, embeddings=embeddings)
    assert tagger.top_k(None, 1, embeddings=embeddings)[0].shape == (30, 1)
    assert tagger.predict_proba(None, embeddings=embeddings).shape == (30, 2)
    assert 0 <= tagger.score(None, FIRST, embeddings=embeddings) <= 1


@pytest.mark.parametrize("tags", [TAGS, FIRST])
@pytest.mark.parametrize("scoring", [None, precision_scorer(k=1)])
def test_cross_val_score_takes_a_tagger(tags, scoring) -> None:
    scores = cross_val_score(TextTagger(), TEXTS, tags, scoring=scoring, cv=3)
    assert scores.shape == (3,)
    assert (scores > 0.3).all()


def test_one_tag_per_text_is_scored_by_accuracy() -> None:
    assert cross_val_score(TextTagger(), TEXTS, FIRST, scoring="accuracy").mean() == 1.0


@pytest.mark.parametrize("scoring", [None, precision_scorer(k=1)])
def test_grid_search_finds_the_better_c(scoring) -> None:
    search = GridSearchCV(TextTagger(), {"classifier__C": [1e-6, 1.0]}, scoring=scoring, cv=3)
    search.fit(TEXTS, TAGS)
    assert search.best_params_ == {"classifier__C": 1.0}
    assert search.best_estimator_.classifier_.C == 1.0
    assert search.predict(["tea"]) == [["drink"]]


def test_grid_search_takes_options_of_texts() -> None:
    grid = {"ngram_range": [(1, 1), (1, 2)], "classifier": [HSMClassifier(), HSMClassifier(C=0.1)]}
    search = GridSearchCV(TextTagger(), grid, cv=3).fit(TEXTS, FIRST)
    assert len(search.cv_results_["params"]) == 4


@pytest.mark.parametrize(
    "pipeline",
    [
        Pipeline([("tagger", TextTagger())]),
        make_pipeline(FunctionTransformer(first_two_words), TextTagger()),
    ],
    ids=["alone", "after a transformer"],
)
def test_a_tagger_is_the_last_step_of_a_pipeline(pipeline) -> None:
    pipeline.fit(TEXTS, TAGS)
    assert pipeline.predict(["tea"]) == [["drink"]]
    assert pipeline.predict_proba(["tea"]).shape == (1, 3)
    assert 0 < pipeline.score(TEXTS, TAGS) <= 1
    assert precision_scorer(k=1)(pipeline, TEXTS, TAGS) == 1.0
    assert (cross_val_score(pipeline, TEXTS, TAGS, scoring=precision_scorer(k=1)) > 0.8).all()

"""Estimators with `rerank`: rankers in files, calibration, explanations and refusals."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier, TextTagger
from tests.estimators.few_rows import data, dense


def ranked(**options) -> tuple[PLTClassifier, object]:
    X, Y = data()
    return PLTClassifier(rerank=True, n_jobs=1, **options).fit(X, Y), X


def test_rankers_change_probabilities() -> None:
    clf, X = ranked()
    plain = PLTClassifier(n_jobs=1).fit(*data())
    assert clf.model_.rankers is not None
    assert not np.allclose(dense(clf, X), dense(plain, X))


def test_a_saved_model_predicts_the_same(tmp_path) -> None:
    clf, X = ranked()
    clf.save(tmp_path / "model.lt")
    loaded = lt.load(tmp_path / "model.lt")
    np.testing.assert_array_equal(dense(loaded, X), dense(clf, X))
    for one, other in zip(loaded.top_k(X), clf.top_k(X), strict=True):
        np.testing.assert_array_equal(one, other)


def test_top_k_has_the_probabilities_of_predict_proba() -> None:
    clf, X = ranked()
    labels, probabilities = clf.top_k(X, k=3)
    np.testing.assert_array_equal(
        np.take_along_axis(dense(clf, X), labels.astype(np.int64), axis=1), probabilities
    )


def test_calibration_keeps_the_ranking() -> None:
    clf, X = ranked()
    before = clf.top_k(X)[0]
    np.testing.assert_array_equal(clf.calibrate(*data(seed=1)).top_k(X)[0], before)
    assert clf.model_.rankers is not None


def test_calibrate_restores_the_curve_for_rankers() -> None:
    clf, X = ranked()
    before = clf.top_k(X)[1]
    assert not clf.model_.calibration.is_learned
    assert not np.array_equal(clf.calibrate(*data(seed=1)).top_k(X)[1], before)
    np.testing.assert_array_equal(clf.calibrate(method=None).top_k(X)[1], before)


def test_rows_without_weight_are_ignored() -> None:
    X, Y = data()
    weight = np.ones(X.shape[0])
    weight[:20] = 0
    options = {"rerank": True, "n_jobs": 1, "tree": lt.trees.complete(20, arity=4)}
    without = PLTClassifier(**options, feature_weighting=None).fit(X[20:], Y[20:])
    ignored = PLTClassifier(**options, feature_weighting=None, max_iter=100, tol=1e-4)
    ignored.fit(X, Y, sample_weight=weight)
    without = without.set_params(max_iter=100, tol=1e-4).fit(X[20:], Y[20:])
    np.testing.assert_allclose(dense(ignored, X), dense(without, X), atol=0.02)


def test_one_class_per_row_can_be_reranked() -> None:
    X, _ = data()
    y = np.arange(X.shape[0]) % 7
    clf = HSMClassifier(rerank=True, n_jobs=1).fit(X, y)
    assert clf.model_.rankers is not None
    np.testing.assert_allclose(dense(clf, X).sum(axis=1), 1, atol=1e-5)


def test_the_last_step_of_an_explanation_is_the_ranker() -> None:
    clf, X = ranked()
    label = int(clf.top_k(X[[5]], 1)[0][0, 0])
    why = clf.explain(X[[5]], label)
    *nodes, last = why.steps
    assert last.is_ranker
    assert not any(step.is_ranker for step in nodes)
    assert last.depth == nodes[-1].depth + 1
    assert last.product == nodes[-1].product * last.estimate
    assert f"{last.depth}. ranker, 1 label" in str(why)
    assert f"{last.depth}. ranker, 1 label" in why._repr_html_()
    assert why.to_dict()["paths"][0]["steps"][-1]["is_ranker"]


def test_a_tagger_passes_rerank_on() -> None:
    texts, tags = ["green tea", "black tea", "rye bread"], [["tea"], ["tea"], ["bread"]]
    assert TextTagger(rerank=True).fit(texts, tags).model_.rankers is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"warm_start": True}, "rerank requires warm_start=False, but warm_start is True"),
        ({"node_estimator": LogisticRegression()}, "rerank requires native nodes"),
    ],
)
def test_what_has_no_rankers_is_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        ranked(**options)


@pytest.mark.parametrize("rerank", [True, False])
def test_models_with_rankers_do_not_learn_online(rerank) -> None:
    clf, X = ranked()
    before = dense(clf, X)
    with pytest.raises(ValueError, match="partial_fit requires a model without rankers"):
        clf.set_params(rerank=rerank).partial_fit(*data())
    np.testing.assert_array_equal(dense(clf, X), before)

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from labeltree import PLTClassifier
from labeltree.data import LabelRows, as_features, as_labels
from labeltree.execution import PoolExecutor
from labeltree.model.calibration import Calibration
from labeltree.model.links import Link
from labeltree.training.fit import FitSettings, fit_forest
from labeltree.training.forest import ForestSettings
from labeltree.training.held_back import HeldBack
from labeltree.training.ranker_choice import (
    DECAYS,
    DEFAULT_CHOICE,
    LINKS,
    CandidateScores,
    HeldCandidates,
    RankerChoice,
    RankerTrials,
    choose_link,
)
from labeltree.training.rankers import train_rankers
from labeltree.training.solver_settings import SolverSettings
from labeltree.trees import complete
from tests.model.test_rankers import estimates_of_rankers
from tests.model.test_search import forest


def trained(seed: int = 0):
    model, X = forest(seed=seed)
    Y = as_labels((np.random.default_rng(seed).random((80, 12)) < 0.2).astype(np.uint8))
    return model, X, Y


def trials(held_labels: LabelRows | None = None) -> RankerTrials:
    """Trials with rows that the trees and rankers learn from."""
    model, X, Y = trained()
    return RankerTrials(model, model, X, Y, HeldBack(X, held_labels or Y))


def test_scores_are_those_of_the_rankers_and_probabilities_those_of_the_trees() -> None:
    model, X, Y = trained()
    rankers = train_rankers(model, X, Y, SolverSettings())
    found = HeldCandidates(model, HeldBack(X, Y), n_threads=1).scores(rankers)
    link, estimates = rankers.link, estimates_of_rankers(model.with_rankers(rankers), X)
    best = model.search(X, k=10)[0]
    labels = best.indices.reshape(-1, 10)
    np.testing.assert_array_equal(found.probabilities, best.data.reshape(-1, 10))
    np.testing.assert_allclose(
        expit(link.slope * found.scores + link.intercept),
        np.take_along_axis(estimates, labels, axis=1),
        atol=1e-4,
    )
    truth = np.zeros((80, 12), bool)
    truth[np.repeat(np.arange(80), np.diff(Y.indptr)), Y.indices] = True
    np.testing.assert_array_equal(found.is_true, np.take_along_axis(truth, labels, axis=1))


def test_a_link_must_gain_more_than_noise() -> None:
    trees, scores = np.array([[0.6, 0.5]] * 100), np.array([[-1.0, 1.0]] * 100)

    def chosen(n_right: int) -> Link | None:
        truth = np.array([[False, True]] * n_right + [[True, False]] * (100 - n_right))
        return choose_link(CandidateScores(trees, scores, truth))[0]

    assert chosen(56) is None  # a gain of 12 in 100 rows, with a standard error of 9.9
    assert chosen(57) in LINKS


def test_the_choice_is_the_same_if_it_is_made_while_workers_train() -> None:
    model, X, Y = trained()
    alone = RankerTrials(model, model, X, Y, HeldBack(X, Y)).choose(SolverSettings())
    with ThreadPoolExecutor(2) as pool:
        beside = RankerTrials(model, model, X, Y, HeldBack(X, Y), executor=PoolExecutor(pool))
        found = beside.choose(SolverSettings())
    assert alone is not None
    assert found is not None
    assert found[0] == alone[0]


def test_rankers_that_mislead_are_not_chosen() -> None:
    reverse = as_labels((np.random.default_rng(9).random((80, 12)) < 0.2).astype(np.uint8))
    assert trials(reverse).choose(SolverSettings()) is None


def test_a_given_decay_is_kept() -> None:
    given = SolverSettings(C_decay=(0.1, 0.3))
    found = trials().choose(given)
    assert found is None or found[0].C_decay == (0.1, 0.3)
    assert DEFAULT_CHOICE.applied(given).C_decay == (0.1, 0.3)


def test_a_choice_is_among_those_offered() -> None:
    choice, rankers = trials().choose(SolverSettings())
    assert isinstance(choice, RankerChoice)
    assert choice.link in LINKS
    assert choice.C_decay in [(p, p) for p in DECAYS]
    assert rankers.link == choice.link


def confusable(n_rows: int = 2400):
    """Rows of 30 labels in pairs: the labels of a pair differ by a rare feature."""
    rng = np.random.default_rng(0)
    label = rng.integers(30, size=n_rows)
    X = rng.random((n_rows, 40)).astype(np.float32) * 0.5
    X[np.arange(n_rows), label // 2] += 2
    X[np.arange(n_rows), 15 + label // 2] += label % 2
    return X, [[f"label {j}"] for j in label]


def test_auto_gives_what_true_gives_or_no_rankers() -> None:
    X, Y = confusable()
    clf = PLTClassifier(rerank="auto", n_jobs=1).fit(X, Y)
    plain = PLTClassifier(n_jobs=1).fit(X, Y)
    rankers = clf.model_.rankers
    if rankers is None:
        np.testing.assert_array_equal(clf.top_k(X)[1], plain.top_k(X)[1])
    else:
        assert rankers.link in LINKS


def test_auto_is_the_same_for_any_number_of_threads() -> None:
    X, Y = confusable()
    one, four = (PLTClassifier(rerank="auto", n_jobs=n).fit(X, Y) for n in (1, 4))
    np.testing.assert_array_equal(one.top_k(X)[1], four.top_k(X)[1])


def test_held_rows_are_scored_by_a_model_that_has_not_seen_them() -> None:
    X, Y = confusable(n_rows=600)
    X, rows = as_features(X), as_labels(Y)
    solver = SolverSettings(tol=1e-4, max_iter=200, weight_threshold=0.0)
    forest = ForestSettings(complete(30), None, 1, None, seed=0)
    settings = FitSettings(forest, solver, validation_fraction=0.1, rerank=True)
    fitted = fit_forest(X, rows, settings)
    held, model, scores = fitted.held
    rest = np.setdiff1d(np.arange(rows.n_rows), held)
    without = fit_forest(X[rest], rows.select(rest), replace(settings, validation_fraction=None))
    expected, unseen, seen = (
        one.calibrated(Calibration()).search(X[held], held=known)[0].toarray()
        for one, known in ((without.model, ()), (model, scores), (fitted.model, ()))
    )
    assert np.abs(unseen - expected).mean() < np.abs(seen - expected).mean() / 4


def test_auto_trains_no_rankers_if_no_rows_are_held_back() -> None:
    clf = PLTClassifier(rerank="auto", validation_fraction=None, n_jobs=1).fit(*confusable())
    assert clf.model_.rankers is None


def test_auto_trains_no_rankers_on_few_rows() -> None:
    X, Y = confusable(n_rows=300)
    assert PLTClassifier(rerank="auto", n_jobs=1).fit(X, Y).model_.rankers is None


def test_links_have_a_positive_slope() -> None:
    assert all(isinstance(link, Link) and link.slope > 0 for link in LINKS)


@pytest.mark.parametrize("rerank", ["yes", 2])
def test_an_unknown_rerank_is_refused(rerank) -> None:
    with pytest.raises((ValueError, TypeError), match="rerank must be"):
        PLTClassifier(rerank=rerank).fit([[1.0], [2.0]], ["a", "b"])


def test_rankers_take_no_more_passes_than_the_user_allows() -> None:
    forest, solver = ForestSettings("complete", None, 1, None, seed=0), SolverSettings(max_iter=3)
    assert FitSettings(forest, solver).ranker_solver.max_iter == 3
    assert FitSettings(forest, SolverSettings(), auto_iter=True).ranker_solver.max_iter == 20


def test_held_back_rows_are_searched_once_for_all_settings(monkeypatch) -> None:
    searched, search = [], HeldBack.search
    monkeypatch.setattr(
        HeldBack, "search", lambda self, *given: searched.append(1) or search(self, *given)
    )
    trials().choose(SolverSettings())
    assert len(DECAYS) > 1
    assert len(searched) == 1

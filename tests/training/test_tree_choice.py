from dataclasses import replace

import numpy as np
import pytest

from labeltree import PLTClassifier, trees
from labeltree.data import as_labels
from labeltree.model.subforest import subforest
from labeltree.training import fit
from labeltree.training.fit import FitSettings, fit_forest
from labeltree.training.forest import ForestSettings
from labeltree.training.held_back import HeldBack, is_gain
from labeltree.training.solver_settings import SolverSettings
from labeltree.training.tree_choice import chosen_trees
from tests.model.test_search import forest
from tests.training.test_ranker_choice import confusable


def unseen(seed: int = 0):
    model, X = forest(seed=seed)
    Y = as_labels((np.random.default_rng(seed).random((80, 12)) < 0.2).astype(np.uint8))
    return model, HeldBack(X, Y)


@pytest.mark.parametrize("seed", range(6))
def test_all_trees_are_kept_if_they_rank_better_than_the_first(seed: int) -> None:
    model, held = unseen(seed)
    n_trees = len(model.trees)
    gain = held.precision(model, 1) - held.precision(subforest(model, [0]), 1)
    assert chosen_trees(model, 1, held, 1) == (n_trees if is_gain(gain, 0.5) else 1)


def test_the_precision_of_held_back_rows_is_the_mean_of_that_at_1_3_and_5() -> None:
    model, held = unseen()
    best = model.search(held.X, k=5)[0].indices.reshape(-1, 5)
    hits = np.array([np.isin(best[i], held.rows.row(i)) for i in range(len(best))])
    expected = np.mean([hits[:, :k].mean(axis=1) for k in (1, 3, 5)], axis=0)
    np.testing.assert_allclose(held.precision(model, 1), expected)


def settings(**changes) -> FitSettings:
    given = [trees.complete(30), trees.random(30), trees.random(30, random_state=1)]
    options = {"validation_fraction": 0.1, "n_sure": 1} | changes
    return FitSettings(ForestSettings(given, None, 1, None, seed=0), SolverSettings(), **options)


@pytest.mark.parametrize("n_kept", [1, 3])
def test_a_fit_has_the_trees_that_are_kept(n_kept: int, monkeypatch) -> None:
    monkeypatch.setattr(fit, "chosen_trees", lambda *arguments: n_kept)
    X, Y = confusable(n_rows=300)
    features, rows = PLTClassifier().fit(X, Y)._query(X), as_labels(Y)
    fitted = fit_forest(features, rows, settings())
    kept = replace(settings(n_sure=None), forest=settings().forest.cut(n_kept))
    alone = fit_forest(features, rows, kept)
    assert len(fitted.model.trees) == n_kept
    assert len(fitted.held.scores) == n_kept
    assert fitted.training_cost == alone.training_cost
    assert fitted.counts == alone.counts
    found, expected = (one.model.search(features)[0].toarray() for one in (fitted, alone))
    np.testing.assert_array_equal(found, expected)


def test_without_held_back_rows_only_the_first_trees_are_trained() -> None:
    X, Y = confusable(n_rows=300)
    features = PLTClassifier().fit(X, Y)._query(X)
    fitted = fit_forest(features, as_labels(Y), settings(validation_fraction=None))
    assert len(fitted.model.trees) == 1


def test_no_more_trees_are_trained_where_there_are_rankers() -> None:
    X, Y = confusable(n_rows=300)
    features = PLTClassifier().fit(X, Y)._query(X)
    fitted = fit_forest(features, as_labels(Y), settings(rerank=True))
    assert fitted.model.rankers is not None
    assert len(fitted.model.trees) == 1

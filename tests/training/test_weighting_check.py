import numpy as np
import pytest
from scipy import sparse

from labeltree import PLTClassifier
from labeltree.data import as_features, as_labels
from labeltree.training.feature_weighting import NO_WEIGHTING, learn_scaling
from labeltree.training.weighting_check import plain_is_better

N_ROWS = 16_000


def rows(seed: int = 0):
    """Rows whose labels depend on the large values of a dense X."""
    rng = np.random.default_rng(seed)
    X = np.exp(rng.normal(size=(N_ROWS, 20)))
    Y = sparse.csr_array(np.sort(X, axis=1)[:, [-2]] <= X)
    return as_features(X), as_labels(Y.astype(np.uint8))


def settings(**options):
    return PLTClassifier(n_jobs=1, **options)._settings(None)


def test_weighting_that_hides_large_values_is_rejected() -> None:
    X, Y = rows()
    harmful = learn_scaling(X, Y, NO_WEIGHTING._replace(value=0.05))
    assert plain_is_better(X, Y, harmful, settings())


def test_weighting_that_changes_nothing_is_kept() -> None:
    X, Y = rows()
    assert not plain_is_better(X, Y, learn_scaling(X, Y, NO_WEIGHTING), settings())


def test_few_rows_are_not_checked() -> None:
    X, Y = rows()
    harmful = learn_scaling(X, Y, NO_WEIGHTING._replace(value=0.05))
    few = np.arange(14_000)
    assert not plain_is_better(X[few], Y.select(few), harmful, settings())


def test_fit_drops_estimated_weighting_that_is_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = rows()
    name = "labeltree.training.weighting_check.plain_is_better"
    monkeypatch.setattr(name, lambda *_: True)
    options = {"tree": "huffman", "n_jobs": 1}
    assert PLTClassifier(**options).fit(X, Y).value_power_ == 1
    assert PLTClassifier(**options, validation_fraction=None).fit(X, Y).value_power_ < 1
    given = PLTClassifier(**options, feature_weighting=(0.5, 0.0)).fit(X, Y)
    assert given.value_power_ == 0.5


def test_given_trees_are_used_in_the_check() -> None:
    X, Y = rows()
    trees = PLTClassifier(n_jobs=1, tree="random", n_trees=2).fit(X, Y).trees_
    harmful = learn_scaling(X, Y, NO_WEIGHTING._replace(value=0.05))
    assert plain_is_better(X, Y, harmful, settings(tree=list(trees)))


def test_the_first_of_named_trees_is_used_in_the_check() -> None:
    X, Y = rows()
    harmful = learn_scaling(X, Y, NO_WEIGHTING._replace(value=0.05))
    named = settings(tree=["random", "kmeans"], tree_params=[{"arity": 4}, None])
    assert plain_is_better(X, Y, harmful, named)

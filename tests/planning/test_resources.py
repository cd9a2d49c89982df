"""Estimates for trees, compared with what training them takes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks.generator import Generator
from labeltree import PLTClassifier, trees
from labeltree.planning.cluster import Workers
from labeltree.planning.resources import Estimator, Resources

X, Y = Generator(n_labels=300, n_features=4096).rows(6000)
TREE = trees.kmeans(X, Y, arity=8, max_leaf_size=20)


@cache
def estimated() -> Resources:
    return Estimator(X, Y, seed=0).estimate(TREE)


def test_the_size_of_the_model_is_estimated() -> None:
    model = PLTClassifier(tree=TREE).fit(X, Y).model_
    assert estimated().model_bytes == pytest.approx(model.n_bytes, rel=0.2)


def test_memory_is_at_least_that_of_the_data_and_the_model() -> None:
    data = X.data.nbytes + X.indices.nbytes + Y.indices.nbytes
    assert estimated().training_bytes > data + estimated().model_bytes


def test_all_times_are_above_zero() -> None:
    found = estimated()
    assert min(found.training_seconds, found.query_seconds, found.batch_seconds) > 0


def test_sizes_do_not_depend_on_measured_times() -> None:
    again = Estimator(X, Y, seed=0).estimate(TREE)
    assert again.model_bytes == estimated().model_bytes
    assert again.training_bytes == estimated().training_bytes


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_few_rows_have_estimates(n_rows: int) -> None:
    estimator = Estimator(X[:n_rows], Y.select(np.arange(n_rows)), seed=0)
    *of_one, of_cluster = vars(estimator.estimate(TREE, Workers(2))).values()
    assert np.isfinite([*of_one, *vars(of_cluster).values()]).all()


def test_rows_without_labels_have_estimates() -> None:
    labels = Y.select(np.arange(3))
    empty = type(labels)(np.zeros(4, np.int64), labels.indices[:0], labels.n_labels, None, "sets")
    assert np.isfinite(Estimator(X[:3], empty, seed=0).estimate(TREE).model_bytes)


def test_a_tree_that_is_too_deep_to_be_trained_is_refused(monkeypatch) -> None:
    monkeypatch.setattr("labeltree.training.forest.MAX_DEPTH", 1)
    with pytest.raises(ValueError, match="at most 1 levels below its root to be trained"):
        Estimator(X, Y, seed=0).estimate(TREE)

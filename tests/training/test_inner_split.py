from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from labeltree import LabelTree, _core, cost
from labeltree.data import as_labels
from labeltree.model import Model
from labeltree.training.inner_split import draw_held
from labeltree.training.nodes import NEVER, train_nodes
from labeltree.training.solver_settings import SolverSettings
from tests.training.test_nodes import EXACT, TREE, problem

ROWS = as_labels(np.ones((10_000, 1)))
HELD = np.arange(0, 60, 7, dtype=np.int32)
SETTINGS = SolverSettings(C_decay=(0.0, 0.0), **EXACT)


def model_of(trained, X, tree: LabelTree = TREE) -> Model:
    return Model([tree], [trained.layout], "squared_hinge", X.shape[1], has_root=True)


# Drawing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_rows", "n_held"), [(1999, 0), (2000, 250), (10_000, 500), (100_000, 2000)]
)
def test_five_percent_are_held_back_within_limits(n_rows: int, n_held: int) -> None:
    rows = as_labels(np.ones((n_rows, 1), np.uint8))
    assert len(draw_held(rows, None, "auto", seed=0)) == n_held


def test_held_rows_are_ascending_and_depend_on_the_seed() -> None:
    first, again, other = (draw_held(ROWS, None, "auto", seed) for seed in (0, 0, 1))
    assert (np.diff(first) > 0).all()
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_rows_with_a_weight_of_zero_are_never_held_back() -> None:
    weight = (np.arange(10_000) % 2).astype(np.float32)
    held = draw_held(ROWS, weight, 0.1, seed=0)
    assert len(held) == 500
    assert (held % 2 == 1).all()


# Training ---------------------------------------------------------------------------------------


def test_held_rows_are_found_as_by_a_model_without_them() -> None:
    X, Y = problem()
    rest = np.setdiff1d(np.arange(Y.n_rows), HELD)
    without = model_of(train_nodes(TREE, X[rest], Y.select(rest), SETTINGS), X)
    held = train_nodes(TREE, X, Y, SETTINGS, held=HELD).held
    for i, row in enumerate(HELD):
        expected = without.path_scores(X[[row]], Y.select([row]), 1)[0].scores
        positive = [-1, *(v for v in cost.assign(TREE, Y.row(row).tolist())[0] if TREE.degree[v])]
        scores = np.concatenate([held.of_children(i, v) for v in positive])
        np.testing.assert_allclose(np.where(np.isnan(scores), NEVER, scores), expected, atol=1e-3)


@pytest.mark.parametrize("weight_bytes", [1, 2, 4])
def test_held_rows_have_their_scores_in_nodes_without_weights(weight_bytes: int) -> None:
    X, Y = problem()
    settings = replace(SETTINGS, weight_threshold=100.0, weight_bytes=weight_bytes)
    trained = train_nodes(TREE, X, Y, settings, held=HELD)
    assert len(trained.layout.bytes) == 0
    rest = np.setdiff1d(np.arange(Y.n_rows), HELD)
    without = model_of(train_nodes(TREE, X[rest], Y.select(rest), settings), X)
    found = model_of(trained, X).search(X[HELD], held=[trained.held])[0].toarray()
    expected = without.search(X[HELD])[0].toarray()
    own = [(i, label) for i, row in enumerate(HELD) for label in Y.row(row)]
    for i, label in own:  # all nodes above them have held scores
        assert found[i, label] == pytest.approx(expected[i, label], abs=1e-3)


def test_held_rows_are_learned_from_in_the_end() -> None:
    X, Y = problem()
    plain, held = (
        model_of(train_nodes(TREE, X, Y, SETTINGS, **options), X).search(X)[0].toarray()
        for options in ({}, {"held": HELD})
    )
    np.testing.assert_allclose(held, plain, atol=1e-3)


def test_a_node_with_many_rows_per_feature_never_learns_from_held_rows() -> None:
    X, Y = problem(n_rows=600)
    rest = np.setdiff1d(np.arange(Y.n_rows), HELD)
    tree = LabelTree.from_nested([0, 1, 2, 3, 4, 5])
    held = model_of(train_nodes(tree, X, Y, SETTINGS, held=HELD), X, tree)
    without = model_of(train_nodes(tree, X[rest], Y.select(rest), SETTINGS), X, tree)
    expected = without.search(X)[0].toarray()
    np.testing.assert_allclose(held.search(X)[0].toarray(), expected, atol=1e-3)


def test_a_label_of_held_rows_alone_is_not_found() -> None:
    X, Y = problem()
    labels = sparse.csr_array((np.ones(len(Y.indices)), Y.indices, Y.indptr), (60, 6)).toarray()
    labels[HELD[0], 5] = 1  # the last label has no other rows
    rows = as_labels(labels)
    trained = train_nodes(TREE, X, rows, SETTINGS, held=HELD)
    model = model_of(trained, X)
    assert model.search(X[HELD], held=[trained.held])[0].toarray()[0, 5] == 0
    assert model.search(X[HELD])[0].toarray()[0, 5] > 0


def test_a_search_of_several_trees_uses_the_scores_of_each() -> None:
    X, Y = problem()
    one, other = (train_nodes(TREE, X, Y, SETTINGS, held=HELD) for _ in range(2))
    single = model_of(one, X).search(X[HELD], held=[one.held])[0].toarray()
    layouts = [one.layout, other.layout]
    forest = Model([TREE, TREE], layouts, "squared_hinge", X.shape[1], has_root=True)
    found = forest.search(X[HELD], held=[one.held, other.held])[0].toarray()
    np.testing.assert_allclose(found, single, rtol=1e-5)


def test_rows_and_scores_must_match_in_number() -> None:
    X, Y = problem()
    trained = train_nodes(TREE, X, Y, SETTINGS, held=HELD)
    with pytest.raises(ValueError, match="must have equally many rows"):
        model_of(trained, X).search(X, held=[trained.held])
    with pytest.raises(ValueError, match="one score for each pair"):
        _core.HeldScores(TREE._native, Y.indptr, Y.indices, True, np.zeros(3, np.float32))


@pytest.mark.parametrize("held", [[1, 0], [0, 0], [60], [-1]])
def test_held_rows_must_be_ascending_rows(held: list[int]) -> None:
    with pytest.raises(ValueError, match="must be ascending numbers of rows"):
        train_nodes(TREE, *problem(), SETTINGS, held=np.array(held, np.int32))


def test_rows_at_the_end_may_be_kept_from_being_held_back() -> None:
    held = draw_held(ROWS, None, 0.5, seed=0, n_unheld=ROWS.n_rows - 10)
    assert len(held) == 5
    assert held.max() < 10

"""Nodes under the root of very long fits are trained in slices of the rows."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from labeltree import LabelTree
from labeltree.execution import PoolExecutor
from labeltree.training.checkpoint import TreeParts
from labeltree.training.nodes import make_trainer, train_nodes
from labeltree.training.solver_settings import SolverSettings
from tests.execution.test_same_model import Shuffled
from tests.reference import training as reference
from tests.training.test_nodes import EXACT, TREE, dense, problem, rows_of_nodes, weights_of

SLICED = {"slice_entries": 1, "slice_rows": 1.0, "slice_positive": 1}


def settings(n_slices: int, X, **options) -> SolverSettings:
    """Return settings for so many slices of these rows."""
    return SolverSettings(**SLICED | {"slice_entries": X.nnz // n_slices} | options)


def slices(X, Y, **options) -> np.ndarray:
    return make_trainer(TREE, X, Y, SolverSettings(**SLICED | options)).n_slices()


def arrays(trained) -> list[bytes]:
    """Return all weights, and the work that they took."""
    return [*(one.tobytes() for one in trained.layout), str(trained.counts).encode()]


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("n_slices", [2, 3])
def test_weights_are_the_mean_over_slices(loss, n_slices) -> None:
    X, Y = problem(n_rows=300)
    options = settings(n_slices, X, **EXACT, loss=loss, C_decay=(0.0, 0.0))
    found = weights_of(TREE, X, Y, options)
    sliced = make_trainer(TREE, X, Y, options).n_slices()
    assert set(sliced.tolist()) == {0, n_slices}  # all nodes are in the pack of the root
    for v, (positive, negative) in enumerate(rows_of_nodes(TREE, Y)):
        if not positive:
            continue
        rows = np.array(sorted(positive | negative))
        y = np.where(np.isin(rows, list(positive)), 1.0, -1.0)
        one = X.toarray()[rows], y, np.ones(len(rows)), rows, n_slices
        expected, bias = reference.fit_sliced(*one, loss=loss, bias=1.0)
        np.testing.assert_allclose(dense(found, X.shape[1])[v], expected, atol=2e-3)
        assert found.bias[v] == pytest.approx(bias, abs=2e-3)


@pytest.mark.parametrize(
    "options",
    [
        {"slice_entries": 1},
        {"slice_entries": 50},
        {"slice_entries": 100},
        {"slice_entries": 1000},
        {"slice_rows": 0.5},
        {"slice_rows": 2.0},
        {"slice_rows": 3.0},
    ],
)
def test_slices_follow_from_counts(options) -> None:
    X, Y = problem()
    n_labeled = int((np.diff(Y.indptr) > 0).sum())
    chosen = SolverSettings(**SLICED | options)
    expected = reference.n_slices(X.nnz, n_labeled, X.shape[1], chosen)
    assert slices(X, Y, **options).max() == expected


def test_no_slices_unless_a_fit_is_very_long() -> None:
    X, Y = problem()
    assert make_trainer(TREE, X, Y, SolverSettings()).n_slices().max() == 1
    assert slices(X, Y, slice_entries=0).max() == 1


def test_a_pack_with_a_rare_node_is_not_sliced() -> None:
    X, Y = problem()
    rarest = min(len(p) for p, _ in rows_of_nodes(TREE, Y) if p)
    n = slices(X, Y).max()
    assert n > 1
    assert slices(X, Y, slice_positive=rarest // n).max() == n
    assert slices(X, Y, slice_positive=rarest // n + 1).max() == 1


def test_nodes_below_are_trained_at_once() -> None:
    X, Y = problem(n_rows=200, n_labels=60)
    tree = LabelTree.from_nested([list(range(20)), list(range(20, 40)), list(range(40, 60))])
    n = make_trainer(tree, X, Y, SolverSettings(**SLICED)).n_slices()
    assert (n[1:4] > 1).all()
    assert n[4:].max() == 1


def test_means_are_thresholded() -> None:
    X, Y = problem(n_rows=300)
    whole = dense(weights_of(TREE, X, Y, settings(2, X, weight_threshold=0.0)), X.shape[1])
    large = dense(weights_of(TREE, X, Y, settings(2, X, weight_threshold=0.2)), X.shape[1])
    few = dense(weights_of(TREE, X, Y, settings(2, X, max_nonzeros=3)), X.shape[1])
    assert (np.abs(large[large != 0]) > 0.2).all()
    # A slice drops its smallest weights before the mean.
    np.testing.assert_allclose(large[large != 0], whole[large != 0], atol=0.1)
    assert (few != 0).sum(axis=1).max() == 3


def test_means_of_pairs_are_thresholded_more() -> None:
    X, Y = problem(n_rows=300)
    options = settings(2, X, weight_threshold=0.1, n_pairs=4)
    found = np.abs(dense(weights_of(TREE, X, Y, options), X.shape[1]))
    features, pairs = found[:, :-4], found[:, -4:]
    assert 0.1 < features[features > 0].min() < options.pair_threshold
    assert pairs[pairs > 0].min() > options.pair_threshold


def test_every_row_that_is_held_back_is_scored_once() -> None:
    X, Y = problem(n_rows=300)
    held = np.arange(0, 300, 7, dtype=np.int32)
    trainer = make_trainer(TREE, X, Y, settings(3, X), held=held)
    *_, pairs, scores = trainer.train(0, len(trainer.costs()), 1)
    whole = make_trainer(TREE, X, Y, SolverSettings(), held=held)
    *_, expected, _ = whole.train(0, len(whole.costs()), 1)
    assert sorted(pairs.tolist()) == sorted(expected.tolist())
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("executor", [Shuffled(), Shuffled(n_workers=7, seed=1)])
def test_any_order_of_jobs_gives_the_same_bits(executor) -> None:
    X, Y = problem(n_rows=300)
    one = TREE, X, Y, settings(3, X)
    expected = arrays(train_nodes(*one))
    assert arrays(train_nodes(*one, executor=executor)) == expected
    assert arrays(train_nodes(*one, n_threads=4)) == expected


def test_processes_give_the_same_bits() -> None:
    X, Y = problem(n_rows=300)
    one = TREE, X, Y, settings(3, X)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for n_workers in (1, 5):
            executor = PoolExecutor(pool, n_workers=n_workers)
            assert arrays(train_nodes(*one, executor=executor)) == arrays(train_nodes(*one))


def test_a_window_gives_the_same_bits() -> None:
    X, Y = problem(n_rows=2000)
    trainer = make_trainer(TREE, X, Y, settings(2, X))
    n = len(trainer.costs())
    for whole, windowed in zip(
        trainer.train(0, n, 1), trainer.train(0, n, 1, trainer.min_window_bytes), strict=True
    ):
        np.testing.assert_array_equal(whole, windowed)


def test_a_checkpoint_has_slices(tmp_path) -> None:
    X, Y = problem(n_rows=300)
    one = TREE, X, Y, settings(3, X)
    store = TreeParts(tmp_path, 0)
    expected = arrays(train_nodes(*one, store=store))
    for path in list(tmp_path.iterdir())[1::2]:
        path.unlink()
    assert store.finished()
    assert arrays(train_nodes(*one, store=store)) == expected

import os
import signal
import threading

import numpy as np
import pytest
from scipy import sparse

from labeltree import LabelTree, cost, trees
from labeltree.data import as_features, as_labels
from labeltree.model import Model
from labeltree.model.layout import NodeWeights
from labeltree.training.nodes import NEVER, make_trainer, train_nodes, train_tree
from labeltree.training.solver_settings import SolverSettings
from labeltree.trees._auto import training_work
from labeltree.trees.vectors import native_rows
from tests.reference import training as reference

EXACT = {"tol": 1e-5, "max_iter": 3000, "weight_threshold": 0.0}
TREE = LabelTree.from_nested([[0, 1], 2, [3, [4, 5]]])


def problem(n_rows: int = 60, n_features: int = 12, n_labels: int = 6, density: float = 0.4):
    """Rows with a few features and labels; some rows have no labels, the last label has no rows."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((n_rows, n_features), density=density, rng=rng, dtype=np.float64)
    Y = sparse.random_array((n_rows, n_labels), density=0.3, rng=rng).toarray() > 0
    Y[:, -1] = False
    return as_features(X), as_labels(Y.astype(np.uint8))


def weights_of(tree, X, *rest, **options) -> NodeWeights:
    """Train a tree and return the weights in the order of nodes."""
    layout = train_tree(tree, X, *rest, **options)
    return Model([tree], [layout], "logistic", X.shape[1], has_root=True).weights()


def dense(weights: NodeWeights, n_features: int) -> np.ndarray:
    shape = (len(weights.bias), n_features)
    return sparse.csr_array(
        (weights.values, weights.features, weights.indptr), shape=shape
    ).toarray()


def rows_of_nodes(tree: LabelTree, Y) -> list[tuple[set[int], set[int]]]:
    """Positive and negative rows of each node, by Algorithm 1."""
    found = [(set(), set()) for _ in range(tree.n_nodes)]
    for i in range(Y.n_rows):
        for kind, nodes in enumerate(cost.assign(tree, Y.row(i).tolist())):
            for v in nodes:
                found[v][kind].add(i)
    return found


@pytest.mark.parametrize("spread", [1, 50])
def test_small_weights_of_pairs_are_dropped_like_slightly_larger_ones(spread: int) -> None:
    X, Y = problem(n_rows=300)
    X = sparse.csr_array((X.data, X.indices * spread, X.indptr), shape=(300, X.shape[1] * spread))
    n_pairs = 4 * spread
    plain = dense(weights_of(TREE, X, Y, SolverSettings(weight_threshold=0.1)), X.shape[1])
    options = SolverSettings(weight_threshold=0.1, n_pairs=n_pairs)
    found = dense(weights_of(TREE, X, Y, options), X.shape[1])
    expected = plain.copy()
    expected[:, -n_pairs:][np.abs(expected[:, -n_pairs:]) <= options.pair_threshold] = 0
    assert (expected != plain).any()
    np.testing.assert_array_equal(found, expected)


def test_pairs_of_nodes_far_from_their_optimum_are_counted() -> None:
    X, Y = problem()
    all_far = train_nodes(TREE, X, Y, SolverSettings(tol=0.0)).counts.n_far_pairs
    positive, negative = zip(*rows_of_nodes(TREE, Y), strict=True)
    trained = [len(p) + len(n) for p, n in zip(positive, negative, strict=True) if p]
    assert all_far == sum(trained)
    assert train_nodes(TREE, X, Y, SolverSettings(**EXACT)).counts.n_far_pairs == 0


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("bias", [1.0, 0.0])
@pytest.mark.parametrize(("n_features", "density"), [(12, 0.4), (12, 1.0), (500, 0.6)])
def test_every_node_has_the_weights_that_minimize_its_objective(
    loss, bias, n_features, density
) -> None:
    X, Y = problem(n_features=n_features, density=density)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, Y.n_rows).astype(np.float32)
    settings = SolverSettings(
        loss=loss,
        C=0.7,
        intercept_scaling=bias,
        pos_neg_weight=(2.0, 0.5),
        C_decay=(0.2, 0.4),
        **EXACT,
    )
    trained = weights_of(TREE, X, Y, settings, sample_weight=weight)
    for v, (positive, negative) in enumerate(rows_of_nodes(TREE, Y)):
        if not positive:
            continue
        rows = sorted(positive | negative)
        y = np.array([1.0 if i in positive else -1.0 for i in rows])
        fewer = min(1.0, 10 / weight[sorted(positive)].sum())
        c = 0.7 * weight[rows] * np.where(y > 0, 2.0 * fewer**0.2, 0.5 * fewer**0.4)
        w, b = reference.fit_node(X.toarray()[rows], y, c, loss, bias)
        np.testing.assert_allclose(dense(trained, X.shape[1])[v], w, atol=2e-3)
        assert trained.bias[v] == pytest.approx(b, abs=2e-3)


def test_balanced_classes_have_the_same_total_weight() -> None:
    X, Y = problem()
    v = 1
    positive, negative = rows_of_nodes(TREE, Y)[v]
    rows = sorted(positive | negative)
    y = np.array([1.0 if i in positive else -1.0 for i in rows])
    c = len(rows) / (2 * np.where(y > 0, len(positive), len(negative)))
    w, _ = reference.fit_node(X.toarray()[rows], y, c, "squared_hinge", 1.0)
    trained = weights_of(TREE, X, Y, SolverSettings(class_weight="balanced", **EXACT))
    np.testing.assert_allclose(dense(trained, X.shape[1])[v], w, atol=2e-3)


def big_problem():
    rng = np.random.default_rng(3)
    Y = as_labels(sparse.random_array((400, 90), density=0.03, rng=rng).astype(bool))
    X = as_features(sparse.random_array((400, 150), density=0.1, rng=rng, dtype=np.float64))
    return trees.cheapest(Y), X, Y


def assert_same(a: NodeWeights, b: NodeWeights) -> None:
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_weights_are_the_same_to_the_last_bit_for_any_number_of_threads(loss: str) -> None:
    tree, X, Y = big_problem()
    settings = SolverSettings(loss=loss, weight_threshold=0.0)
    one = weights_of(tree, X, Y, settings)
    for n_threads in (2, 5):
        assert_same(one, weights_of(tree, X, Y, settings, n_threads=n_threads))


def test_full_rows_give_almost_the_weights_of_the_same_rows_with_an_empty_column() -> None:
    X, Y = problem(n_rows=203, n_features=21, density=1.0)  # whole blocks of rows, and some more
    beside_nothing = as_features(sparse.hstack([X, sparse.csr_array((203, 1))]))
    full, sparse_ = (weights_of(TREE, x, Y, SolverSettings(**EXACT)) for x in (X, beside_nothing))
    np.testing.assert_allclose(dense(full, 22), dense(sparse_, 22), atol=1e-3)


def test_another_seed_visits_rows_in_another_order() -> None:
    tree, X, Y = big_problem()
    one, other = (
        weights_of(tree, X, Y, SolverSettings(seed=seed, weight_threshold=0.0)) for seed in (0, 1)
    )
    assert not np.array_equal(one.values, other.values)


def test_a_wide_node_is_split_into_packs_and_trained_whole() -> None:
    X, Y = problem(n_labels=40)
    tree = trees.star(40)
    trained = weights_of(tree, X, Y, SolverSettings(C_decay=(0.0, 0.0), **EXACT))
    for v in (1, 17, 39):
        y = np.where(
            np.isin(np.arange(Y.n_rows), [i for i in range(Y.n_rows) if v - 1 in Y.row(i)]),
            1.0,
            -1.0,
        )
        rows = np.diff(Y.indptr) > 0
        w, _ = reference.fit_node(
            X.toarray()[rows], y[rows], np.ones(rows.sum()), "squared_hinge", 1.0
        )
        np.testing.assert_allclose(dense(trained, X.shape[1])[v], w, atol=2e-3)


def test_nodes_without_positive_rows_have_probability_zero() -> None:
    X, Y = problem()
    trained = weights_of(TREE, X, Y, SolverSettings())
    leaf = TREE.leaf(5)
    assert trained.bias[leaf] == NEVER
    assert trained.indptr[leaf] == trained.indptr[leaf + 1]


def test_the_root_is_trained_if_rows_have_no_labels() -> None:
    X = as_features([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    tree = LabelTree.from_nested([0, 1])
    with_empty_rows = weights_of(
        tree, X, as_labels([[0], [1], [], []], n_labels=2), SolverSettings()
    )
    assert dense(with_empty_rows, 2)[0, 0] > 0 > dense(with_empty_rows, 2)[0, 1]
    without = weights_of(tree, X, as_labels([[0], [1], [0], [1]], n_labels=2), SolverSettings())
    assert without.indptr[1] == 0


def test_small_weights_are_dropped() -> None:
    X, Y = problem()
    whole = dense(weights_of(TREE, X, Y, SolverSettings(weight_threshold=0.0)), X.shape[1])
    pruned = dense(weights_of(TREE, X, Y, SolverSettings(weight_threshold=0.2)), X.shape[1])
    np.testing.assert_array_equal(pruned, np.where(np.abs(whole) > 0.2, whole, 0.0))


def test_a_node_keeps_its_largest_weights() -> None:
    X, Y = problem()
    whole = np.abs(dense(weights_of(TREE, X, Y, SolverSettings(weight_threshold=0.0)), X.shape[1]))
    few = dense(
        weights_of(TREE, X, Y, SolverSettings(weight_threshold=0.0, max_nonzeros=3)), X.shape[1]
    )
    trained = whole.any(axis=1)
    assert (np.count_nonzero(few, axis=1)[trained] == 3).all()
    for v in np.flatnonzero(trained):
        assert np.abs(few[v][few[v] != 0]).min() >= np.sort(whole[v])[-3]


@pytest.mark.parametrize(
    "rows",
    [[[], [], []], [[0], [0], [0]], [{0, 1}, {0, 1}, {0, 1}]],
    ids=["no labels at all", "one label only", "all labels"],
)
def test_constant_labels_give_finite_weights(rows) -> None:
    X = as_features([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    weights = weights_of(
        LabelTree.from_nested([0, 1]), X, as_labels(rows, n_labels=2), SolverSettings()
    )
    assert np.isfinite(weights.values).all()
    assert np.isfinite(weights.bias).all()


def test_rows_without_features_can_be_trained() -> None:
    X = as_features(sparse.csr_array((4, 3), dtype=np.float32))
    weights = weights_of(
        LabelTree.from_nested([0, 1]), X, as_labels([[0], [1], [0], [0]]), SolverSettings()
    )
    assert weights.bias[1] > weights.bias[2]


def test_training_without_rows_gives_probability_zero() -> None:
    X = as_features(sparse.csr_array((0, 3), dtype=np.float32))
    weights = weights_of(
        LabelTree.from_nested([0, 1]), X, as_labels([], n_labels=2), SolverSettings()
    )
    assert (weights.bias == NEVER).all()


def test_a_memory_limit_uses_fewer_threads() -> None:
    tree, X, Y = big_problem()
    trainer = make_trainer(tree, X, Y, SolverSettings())
    enough_for_one = trainer.shared_bytes + 1.5 * trainer.thread_bytes()
    settings = SolverSettings()
    limited = weights_of(tree, X, Y, settings, n_threads=4, max_memory=enough_for_one)
    assert_same(limited, weights_of(tree, X, Y, settings))
    with pytest.raises(ValueError, match="max_memory must be at least"):
        weights_of(tree, X, Y, settings, max_memory=1000.0)


def test_progress_ends_with_all_work_done() -> None:
    tree, X, Y = big_problem()
    reported = []
    weights_of(tree, X, Y, SolverSettings(), progress=lambda *args: reported.append(args))
    done = [step[0] for step in reported]
    assert done == sorted(done)
    assert reported[-1][0] == pytest.approx(reported[-1][1])


def test_ctrl_c_stops_training() -> None:
    # Far more work than can be done before the signal arrives.
    rng = np.random.default_rng(0)
    X = as_features(rng.random((5000, 200), dtype=np.float32))
    Y = as_labels(rng.integers(2, size=(5000, 200), dtype=np.uint8))
    settings = SolverSettings(loss="logistic", C=1000.0, tol=0.0, max_iter=1_000_000)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            weights_of(trees.star(200), X, Y, settings, n_threads=2)
    finally:
        timer.cancel()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of squared_hinge, logistic, but is 'hinge'"),
        ({"C": 0.0}, "C must be above 0, but is 0.0"),
        ({"C": float("nan")}, "C must be above 0"),
        ({"pos_neg_weight": (1.0, 0.0)}, "pos_neg_weight must be above 0, but is \\(1.0, 0.0\\)"),
        ({"C_decay": (0.1,)}, "C_decay must be two numbers from 0 to 1, but is \\(0.1,\\)"),
        ({"C_decay": (0.1, -0.1)}, "C_decay must be two numbers from 0 to 1"),
        ({"intercept_scaling": -1.0}, "intercept_scaling must be at least 0"),
        ({"tol": -0.1}, "tol must be at least 0"),
        ({"weight_threshold": float("inf")}, "weight_threshold must be at most 1e"),
        ({"max_iter": 0}, "max_iter must be at least 1, but is 0"),
        ({"max_nonzeros": 0}, "max_nonzeros must be at least 1, but is 0"),
    ],
)
def test_settings_are_checked(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        SolverSettings(**options)


def test_different_numbers_of_rows_are_refused() -> None:
    X, Y = problem()
    with pytest.raises(ValueError, match="equally many rows"):
        weights_of(TREE, X, Y.select(slice(0, 5)), SolverSettings())


@pytest.mark.parametrize("n_empty", [0, 1])  # full rows are visited in blocks
def test_long_rows_near_their_optimum_are_left_out_of_some_passes(n_empty) -> None:
    X, Y = long_problem()
    visits = [
        train_nodes(TREE, with_columns(X, n, n + n_empty), Y, SolverSettings()).counts.n_visits
        for n in (500, 501)
    ]
    assert visits[1] < visits[0]


@pytest.mark.parametrize("n_rows", [50, 400])  # with products of rows, or without
@pytest.mark.parametrize("n_empty", [0, 1])
def test_rows_that_are_left_out_of_some_passes_reach_their_optimum(n_empty, n_rows) -> None:
    X, Y = long_problem(n_rows)
    short, long = (
        weights_of(TREE, with_columns(X, n, n + n_empty), Y, SolverSettings(**EXACT))
        for n in (500, 501)
    )
    found, expected = (dense(weights, 502)[:, :500] for weights in (long, short))
    np.testing.assert_allclose(found, expected, atol=1e-3)


def long_problem(n_rows: int = 400):
    """Rows of length 1 with 501 features, of which the last hardly counts."""
    X, Y = problem(n_rows, n_features=501, density=1.0)
    values = X.toarray() ** 8
    values[:, -1] = 1e-6
    return as_features(values / np.linalg.norm(values, axis=1, keepdims=True)), Y


def with_columns(X, n_kept, n_features):
    """Return the first columns of X as a matrix with more features."""
    kept = X[:, :n_kept]
    shape = (X.shape[0], n_features)
    return as_features(sparse.csr_array((kept.data, kept.indices, kept.indptr), shape))


def test_the_work_of_training_is_the_sum_of_the_costs_of_packs() -> None:
    tree, X, Y = big_problem()
    costs = make_trainer(tree, X, Y, SolverSettings()).costs()
    assert training_work(tree, native_rows(X, Y)[0]) == pytest.approx(costs.sum())


def test_nodes_with_many_rows_per_feature_end_near_their_optimum() -> None:
    X, Y = problem(n_rows=5000)
    exact = dense(weights_of(TREE, X, Y, SolverSettings(C=10.0, **EXACT)), X.shape[1])
    few = SolverSettings(C=10.0, tol=0.0, max_iter=8, weight_threshold=0.0)
    averaged = dense(weights_of(TREE, X, Y, few), X.shape[1])
    sparser = dense(weights_of(TREE, with_columns(X, X.shape[1], 600), Y, few), 600)[
        :, : X.shape[1]
    ]
    assert np.abs(averaged - exact).mean() < 0.7 * np.abs(sparser - exact).mean()

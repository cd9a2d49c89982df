import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree import LabelTree, PLTClassifier, trees
from labeltree.data import as_features, as_labels
from labeltree.data.row_scaling import UNIT
from labeltree.model import Model
from labeltree.model.label_limits import LabelLimits
from labeltree.training.nodes import train_tree
from labeltree.training.solver_settings import SolverSettings
from tests.node_estimates import node_estimates
from tests.reference import search as reference


def forest(
    loss: str = "squared_hinge",
    n_trees: int = 1,
    seed: int = 0,
    empty_rows: bool = False,
    spread: int = 1,
):
    """A trained forest over 12 labels, and rows to search.

    With a large spread, most columns are empty and features share buckets.
    """
    rng = np.random.default_rng(seed)
    X = as_features(sparse.random_array((80, 15), density=0.3, rng=rng, dtype=np.float64))
    X = sparse.csr_array((X.data, X.indices * spread, X.indptr), shape=(80, 15 * spread))
    labels = rng.random((80, 12)) < 0.2
    if not empty_rows:
        labels[~labels.any(axis=1), 0] = True
    Y = as_labels(labels.astype(np.uint8))
    grown = [trees.random(12, arity=3, random_state=seed + t) for t in range(n_trees)]
    settings = SolverSettings(loss=loss)
    weights = [train_tree(tree, X, Y, settings) for tree in grown]
    return Model(grown, weights, loss, 15 * spread, empty_rows), X


def probabilities_by_hand(model: Model, X) -> np.ndarray:
    """The probability of every node of the first tree: the product along its path."""
    tree, estimates = model.trees[0], node_estimates(model, X)
    for v in range(1, tree.n_nodes):
        estimates[:, v] *= estimates[:, tree.parent[v]]
    return estimates


def search(model: Model, X, k=None, threshold=0.0, n_threads=1):
    return model.search(X, k=k, threshold=threshold, n_threads=n_threads)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("empty_rows", [False, True])
@pytest.mark.parametrize("spread", [1, 100])
def test_probabilities_are_products_along_paths(loss: str, empty_rows: bool, spread: int) -> None:
    model, X = forest(loss, empty_rows=empty_rows, spread=spread)
    expected = probabilities_by_hand(model, X)[:, model.trees[0].leaves]
    np.testing.assert_allclose(search(model, X)[0].toarray(), expected, atol=1e-5)


@given(st.integers(1, 12), st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_top_k_equals_sorting_all_probabilities(k: int, seed: int) -> None:
    model, X = forest(seed=seed)
    every = search(model, X)[0].toarray()
    found, _ = search(model, X, k=k)
    assert (np.diff(found.indptr) == k).all()
    best = -np.sort(-every, axis=1)[:, :k]
    np.testing.assert_array_equal(found.data.reshape(-1, k), best)
    np.testing.assert_array_equal(
        np.take_along_axis(every, found.indices.reshape(-1, k).astype(np.int64), axis=1), best
    )


@given(st.floats(0.01, 1.0), st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_threshold_search_is_algorithm_2(threshold: float, seed: int) -> None:
    model, X = forest("logistic", seed=seed)
    threshold = float(np.float32(threshold))
    every = search(model, X)[0].toarray()
    found, calls = search(model, X, threshold=threshold)
    np.testing.assert_array_equal(found.toarray(), np.where(every >= threshold, every, 0))
    # c_τ(T, x) = 1 + Σ deg_v [η̂_v >= τ]; without the 1, because every row has a label and the
    # root has no classifier
    nodes = probabilities_by_hand(model, X)
    clear = (np.abs(nodes - threshold) > 1e-4).all(axis=1)
    expected = (nodes >= threshold) @ model.trees[0].degree
    np.testing.assert_array_equal(calls[clear], expected[clear])


def test_a_forest_returns_the_mean_of_its_trees() -> None:
    model, X = forest(n_trees=3)
    parts = [
        search(Model([tree], [w], model.link, 15, False), X)[0].toarray()
        for tree, w in zip(model.trees, model.layouts, strict=True)
    ]
    np.testing.assert_allclose(search(model, X)[0].toarray(), np.mean(parts, axis=0), atol=1e-6)


def test_a_forest_drops_labels_whose_mean_is_below_the_threshold() -> None:
    model, X = forest(n_trees=3)
    every = search(model, X)[0].toarray()
    found = search(model, X, threshold=0.3)[0].toarray()
    np.testing.assert_array_equal(found, np.where(every >= np.float32(0.3), every, 0))


@pytest.mark.parametrize("n_trees", [1, 2])
def test_batch_and_single_and_threads_agree(n_trees: int) -> None:
    model, X = forest(n_trees=n_trees)
    whole, calls = search(model, X, k=4)
    threaded, threaded_calls = search(model, X, k=4, n_threads=3)
    np.testing.assert_array_equal(whole.indices, threaded.indices)
    np.testing.assert_array_equal(whole.data, threaded.data)
    np.testing.assert_array_equal(calls, threaded_calls)
    for i in (0, 17, 79):
        single, _ = search(model, X[[i]], k=4)
        np.testing.assert_array_equal(single.indices, whole.indices[4 * i : 4 * i + 4])
        np.testing.assert_array_equal(single.data, whole.data[4 * i : 4 * i + 4])


@pytest.mark.parametrize("n_nodes", [2, 5, 100])
def test_evaluating_several_nodes_per_step_changes_no_label(n_nodes: int) -> None:
    model, X = forest(spread=100)
    expected, fewest = search(model, X, k=3)
    found, calls = model.search(X, k=3, nodes_per_step=n_nodes)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)
    assert (calls >= fewest).all()


def test_features_share_buckets_only_where_most_are_missing() -> None:
    assert (forest(spread=1)[0].layouts[0].shift[1:] == 0).all()  # group 0, the root, is empty
    assert (forest(spread=100)[0].layouts[0].shift[1:] > 0).all()


def test_a_tree_with_one_label_is_searched() -> None:
    X = as_features([[1.0], [0.0]])
    tree = LabelTree.from_nested(0)
    weights = train_tree(tree, X, as_labels([[0], []], n_labels=1), SolverSettings())
    found, _ = search(Model([tree], [weights], "squared_hinge", 1, True), X)
    assert found[0, 0] > found[1, 0]


def test_no_rows_give_empty_results() -> None:
    model, _ = forest()
    found, calls = search(model, sparse.csr_array((0, 15), dtype=np.float32), k=3)
    assert found.shape == (0, 12)
    assert len(calls) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be at least 1, but is 0"),
        ({"threshold": 1.5}, "threshold must lie in 0..1, but is 1.5"),
    ],
)
def test_search_parameters_are_checked(options, message) -> None:
    model, X = forest()
    with pytest.raises(ValueError, match=message):
        search(model, X, **options)


def test_another_number_of_columns_in_a_search_is_refused() -> None:
    model, _ = forest()
    with pytest.raises(ValueError, match="X has 3 columns, but the model was trained with 15"):
        search(model, np.ones((1, 3)))


@given(st.integers(1, 12), st.integers(0, 4), st.integers(1, 3))
@settings(deadline=None, max_examples=30)
def test_weighted_top_k_equals_sorting_all_weighted_probabilities(k, seed, n_trees) -> None:
    model, X = forest(n_trees=n_trees, seed=seed)
    weights = np.random.default_rng(seed).uniform(0.1, 3.0, 12).astype(np.float32)
    every = search(model, X)[0].toarray()
    limits = LabelLimits(weights=weights, n_labels=12)
    found, _ = model.search(X, k=k, limits=limits)
    best = -np.sort(-(every * weights), axis=1)[:, :k]
    labels = found.indices.reshape(-1, k)
    np.testing.assert_allclose(found.data.reshape(-1, k) * weights[labels], best, rtol=1e-6)
    chosen = np.take_along_axis(every, labels.astype(np.int64), axis=1)
    np.testing.assert_array_equal(chosen, found.data.reshape(-1, k))


@given(st.integers(1, 12), st.integers(0, 8), st.integers(2, 4))
@settings(deadline=None, max_examples=30)
def test_a_forest_finds_the_best_labels_on_average(k: int, seed: int, n_trees: int) -> None:
    model, X = forest(n_trees=n_trees, seed=seed)
    every = search(model, X)[0].toarray()
    found, _ = search(model, X, k=k)
    best = -np.sort(-every, axis=1)[:, :k]
    np.testing.assert_array_equal(found.data.reshape(-1, k), best)


@pytest.mark.parametrize("n_trees", [1, 3])
def test_every_label_has_its_own_threshold(n_trees: int) -> None:
    model, X = forest(n_trees=n_trees)
    thresholds = np.random.default_rng(1).uniform(0, 0.6, 12).astype(np.float32)
    every = search(model, X)[0].toarray()
    found, _ = model.search(X, limits=LabelLimits(thresholds=thresholds, n_labels=12))
    np.testing.assert_array_equal(found.toarray(), np.where(every >= thresholds, every, 0))


@pytest.mark.parametrize("n_trees", [1, 3])
def test_only_labels_with_a_weight_are_returned(n_trees: int) -> None:
    model, X = forest(n_trees=n_trees)
    every = search(model, X)[0].toarray()
    weights = np.isin(np.arange(12), [3, 7, 8])
    found, calls = model.search(X, k=2, limits=LabelLimits(weights=weights, n_labels=12))
    best = -np.sort(-every[:, [3, 7, 8]], axis=1)[:, :2]
    np.testing.assert_array_equal(found.data.reshape(-1, 2), best)
    assert set(found.indices) <= {3, 7, 8}
    assert (calls <= model.search(X)[1]).all()


@pytest.mark.parametrize("n_trees", [1, 3])
def test_given_labels_have_the_probabilities_of_a_full_search(n_trees: int) -> None:
    model, X = forest(n_trees=n_trees, empty_rows=True)
    every = search(model, X)[0].toarray()
    given_labels = as_labels([[i % 12, (5 * i + 1) % 12] for i in range(80)], n_labels=12)
    found = model.probabilities_of(X, given_labels, n_threads=2)
    rows = np.repeat(np.arange(80), np.diff(given_labels.indptr))
    np.testing.assert_array_equal(found, every[rows, given_labels.indices])


def test_a_wide_beam_is_exact_and_a_narrow_one_evaluates_fewer_nodes() -> None:
    model, X = forest()
    exact, _ = search(model, X, k=3)
    wide, _ = model.search(X, k=3, beam=12)
    np.testing.assert_array_equal(wide.indices, exact.indices)
    narrow, calls = model.search(X, k=3, beam=1)
    assert calls.max() <= model.trees[0].depth * model.trees[0].max_degree
    assert (narrow.data[narrow.indptr[:-1]] <= exact.data[exact.indptr[:-1]]).all()


def test_the_fewest_calls_are_those_of_best_first_search() -> None:
    model, X = forest()
    nodes = probabilities_by_hand(model, X)
    for k in (1, 4):
        found, calls = model.search(X, k=k)
        worst = found.data.reshape(-1, k)[:, -1]
        clear = (np.abs(nodes - worst[:, None]) > 1e-5).sum(axis=1) >= nodes.shape[1] - 1
        expected = (nodes >= worst[:, None] - 1e-5) @ model.trees[0].degree
        np.testing.assert_array_equal(calls[clear], expected[clear])


def test_estimates_of_siblings_are_normalized_to_cover_their_parent() -> None:
    model, X = forest("logistic", empty_rows=True)
    tree, estimates = model.trees[0], node_estimates(model, X)
    expected = reference.normalized_products(tree.parent, estimates)
    np.testing.assert_allclose(model.covered(X), expected[:, tree.leaves], atol=1e-5)


@pytest.mark.parametrize(("weight_bytes", "n_steps"), [(1, 127), (2, 32_767)])
@pytest.mark.parametrize("spread", [1, 100])
def test_weights_of_few_bytes_are_multiples_of_a_step(
    spread: int, weight_bytes: int, n_steps: int
) -> None:
    model, X = forest(spread=spread)
    small = model.with_weight_bytes(weight_bytes)
    exact, rounded = model.weights(), small.weights()
    node = np.repeat(np.arange(len(exact.bias)), np.diff(exact.indptr))
    step = np.zeros(len(exact.bias))
    np.maximum.at(step, node, np.abs(exact.values))
    shape = len(exact.bias), model.n_features
    matrix = [
        sparse.csr_array((w.values, w.features, w.indptr), shape=shape).toarray()
        for w in (exact, rounded)
    ]
    # Each row is a node, whose error is at most half a step: 1/n_steps of its largest weight.
    bound = step[:, None] * (0.5 / n_steps + 1e-7)  # and the error of float32
    assert (np.abs(matrix[0] - matrix[1]) <= bound).all()
    atol = 6.0 / n_steps
    np.testing.assert_allclose(
        search(model, X)[0].toarray(), search(small, X)[0].toarray(), atol=atol
    )
    assert small.n_bytes < model.n_bytes


@given(st.integers(0, 10**6), st.floats(1e-3, 1e3))
@settings(deadline=None, max_examples=50)
def test_16_bit_weights_change_scores_of_rows_of_length_1_by_a_known_bound(
    seed: int, factor: float
) -> None:
    model, X = forest(seed=seed % 5, spread=1 + seed % 2 * 99)
    X = UNIT(as_features(X * np.float32(factor)))
    small = model.with_weight_bytes(2)
    largest = np.zeros(model.trees[0].n_nodes)
    weights = model.weights()
    node = np.repeat(np.arange(len(weights.bias)), np.diff(weights.indptr))
    np.maximum.at(largest, node, np.abs(weights.values))
    for row in range(3):
        x = X[[row]]
        for v in range(1, model.trees[0].n_nodes):  # the root has no classifier
            exact, rounded = (m.classifier(0, v, x.indices)[0] @ x.data for m in (model, small))
            bound = largest[v] * (np.sqrt(x.nnz) / 65_534 + 1e-6)
            assert abs(exact - rounded) <= bound


def test_model_of_rows_of_length_1_has_16_bit_weights_and_others_have_float32() -> None:
    X, Y = np.eye(4, dtype=np.float32), [[0], [1], [2], [3]]
    for normalize, weight_bytes in ((True, 2), (False, 4)):
        clf = PLTClassifier(normalize=normalize, n_jobs=1).fit(X, Y)
        assert clf.model_.layouts[0].weight_bytes == [weight_bytes]


def test_small_weights_of_features_with_large_values_are_kept_without_normalization() -> None:
    rng = np.random.default_rng(0)
    side = rng.choice([-1.0, 1.0], 200)
    X = np.c_[1e6 * side, rng.normal(size=200)].astype(np.float32)
    clf = PLTClassifier(normalize=False, weight_threshold=0.0, n_jobs=1)
    assert clf.fit(X, side.astype(int)).score(X, side.astype(int)) == 1.0


def test_nodes_with_more_than_256_children_are_searched() -> None:
    rng = np.random.default_rng(0)
    X = as_features(sparse.random_array((900, 40), density=0.3, rng=rng, dtype=np.float64))
    Y = as_labels((np.arange(900) % 600)[:, None].tolist(), n_labels=600)
    tree = trees.star(600)
    model = Model([tree], [train_tree(tree, X, Y, SolverSettings())], "logistic", 40, False)
    expected = probabilities_by_hand(model, X)[:, tree.leaves]
    np.testing.assert_allclose(search(model, X)[0].toarray(), expected, atol=1e-5)
    quantized, _ = search(model.quantized(), X)
    np.testing.assert_allclose(quantized.toarray(), expected, atol=0.02)


def test_rows_are_scaled_to_length_one_on_request() -> None:
    model, X = forest()
    scaled, _ = search(model, UNIT(X), k=3)
    found, _ = model.search(X * np.float32(7), k=3, scaling=UNIT)
    np.testing.assert_array_equal(found.indices, scaled.indices)
    np.testing.assert_allclose(found.data, scaled.data, rtol=1e-5)


@given(st.integers(0, 10**6), st.sampled_from([1, 100]))
@settings(deadline=None, max_examples=300)
def test_no_search_leaves_arrays_of_any_content(seed: int, spread: int) -> None:
    model, X = forest(spread=spread)
    rng = np.random.default_rng(seed)
    layout = model.layouts[0]._replace(
        buckets=model.layouts[0].buckets.copy(), bytes=model.layouts[0].bytes.copy()
    )
    for array in (layout.buckets, layout.bytes):
        where = rng.integers(0, len(array), 20)
        array[where] = rng.integers(0, np.iinfo(array.dtype).max, 20, dtype=array.dtype)
    try:
        broken = Model(model.trees, [layout], "squared_hinge", 15 * spread, False)
    except ValueError:
        return
    found, _ = broken.search(X, k=3)
    assert np.isfinite(found.data).all()


def test_neighboring_features_with_many_siblings_are_found() -> None:
    # 300 siblings and dense rows: the length of a bucket of the usual width would overflow.
    rng = np.random.default_rng(0)
    X = sparse.lil_array((300, 100_000), dtype=np.float32)
    X[:, 50_000:50_400] = rng.random((300, 400), np.float32)
    X = as_features(X.tocsr())
    Y = as_labels(np.arange(300)[:, None].tolist(), n_labels=300)
    tree = trees.star(300)
    layout = train_tree(tree, X, Y, SolverSettings(weight_threshold=0.0, max_iter=2))
    model = Model([tree], [layout], "logistic", 100_000, False)
    expected = probabilities_by_hand(model, X)[:, tree.leaves]
    np.testing.assert_allclose(search(model, X)[0].toarray(), expected, atol=1e-4)

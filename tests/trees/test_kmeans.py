import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from labeltree import trees
from labeltree.trees import LabelTree
from tests.interrupting import interrupted
from tests.reference import merging as reference

N_LABELS = 200


def random_rows(seed, n_rows=400, n_features=60, n_labels=N_LABELS):
    """Every label has rows, and some rows have several labels."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n_rows, n_features), density=0.1, rng=rng, dtype=np.float32)
    Y = [[i % n_labels, *rng.integers(0, n_labels, rng.integers(3))] for i in range(n_rows)]
    return X, Y


def points(*labels):
    """One row per label, so that the label vectors are the rows."""
    return np.array(labels, np.float32), [[j] for j in range(len(labels))]


def n_labels_under(tree: LabelTree) -> np.ndarray:
    below = (tree.degree == 0).astype(int)
    for v in range(tree.n_nodes - 1, 0, -1):
        below[tree.parent[v]] += below[v]
    return below


def assert_every_label_once(tree: LabelTree, n_labels: int) -> None:
    assert sorted(tree.label[tree.degree == 0]) == list(range(n_labels))


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            arrays.arrays(np.float32, (n, 3), elements=st.integers(-3, 3).map(float)),
            st.lists(st.sets(st.integers(0, 4)), min_size=n, max_size=n),
        )
    )
)
@settings(deadline=None)
def test_label_vectors_equal_the_reference(case) -> None:
    X, rows = case
    Y = sparse.csr_array([[float(j in row) for j in range(5)] for row in rows])
    expected = reference.label_vectors(X.tolist(), rows, 5)
    np.testing.assert_allclose(trees.label_vectors(X, Y).toarray(), expected, atol=1e-6)


def test_label_vectors_of_huge_values_are_finite() -> None:
    vectors = trees.label_vectors([[3e38, 0], [3e38, 3e38]], [["a"], ["a"]]).toarray()
    np.testing.assert_allclose(vectors, [[2 / 5**0.5, 1 / 5**0.5]], rtol=1e-6)


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize(("arity", "max_leaf_size"), [(2, 1), (2, 7), (3, 5), (16, 100), (100, 10)])
def test_every_label_has_a_leaf_and_no_node_is_too_wide(balanced, arity, max_leaf_size) -> None:
    X, Y = random_rows(seed=1)
    tree = trees.kmeans(X, Y, arity=arity, max_leaf_size=max_leaf_size, balanced=balanced)
    assert_every_label_once(tree, N_LABELS)
    assert tree.max_degree <= max(arity, max_leaf_size)


@pytest.mark.parametrize("arity", [2, 3, 7, 16])
def test_balanced_clusters_of_a_node_differ_by_at_most_one_label(arity) -> None:
    X, Y = random_rows(seed=2)
    tree = trees.kmeans(X, Y, arity=arity, max_leaf_size=5)
    below = n_labels_under(tree)
    for v in np.flatnonzero(tree.degree):
        assert np.ptp(below[tree.children(v)]) <= 1


def test_a_split_node_has_arity_children() -> None:
    X, Y = random_rows(seed=3)
    for balanced in (True, False):
        assert trees.kmeans(X, Y, arity=7, balanced=balanced).degree[0] == 7


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("balanced", [True, False])
def test_two_obvious_clusters_are_found(seed, balanced) -> None:
    X, Y = points([9, 1], [1, 9], [9, 2], [2, 9], [9, 0], [0, 9])
    tree = trees.kmeans(X, Y, max_leaf_size=3, balanced=balanced, random_state=seed)
    assert sorted(map(sorted, tree.to_nested())) == [[0, 2, 4], [1, 3, 5]]


def test_unbalanced_clusters_may_differ_in_size() -> None:
    X, Y = points([9, 1], [9, 2], [9, 0], [9, 3], [0, 9])
    sizes = {
        tuple(sorted(n_labels_under(tree)[tree.children(0)]))
        for tree in (
            trees.kmeans(X, Y, max_leaf_size=4, balanced=False, random_state=s) for s in range(5)
        )
    }
    assert (1, 4) in sizes


def test_the_length_of_a_label_vector_does_not_matter() -> None:
    X, Y = points([90, 10], [1, 9], [9, 2], [0.2, 0.9])
    tree = trees.kmeans(X, Y, max_leaf_size=2)
    assert sorted(map(sorted, tree.to_nested())) == [[0, 2], [1, 3]]


def test_only_the_largest_entries_of_a_label_vector_are_used() -> None:
    n_labels, n_heaviest = 40, 512
    rng = np.random.default_rng(9)
    heavy = np.argsort(rng.random((n_labels, 700)), axis=1) < n_heaviest
    values = rng.uniform(0.5, 1, heavy.shape)
    Y = [[j] for j in range(n_labels)]
    only, all_ = (
        trees.kmeans(np.where(heavy, values, light), Y, max_leaf_size=2)
        for light in (0, 0.49 * values)
    )
    assert only == all_


@pytest.mark.parametrize("options", [{}, {"balanced": False}, {"arity": 5}])
def test_the_tree_does_not_depend_on_threads(options) -> None:
    X, Y = random_rows(seed=4)
    one = trees.kmeans(X, Y, max_leaf_size=4, n_jobs=1, **options)
    for n_jobs in (2, 5, None):
        assert trees.kmeans(X, Y, max_leaf_size=4, n_jobs=n_jobs, **options) == one


def test_threads_that_share_one_bisection_give_the_same_tree() -> None:
    X, Y = random_rows(seed=5, n_rows=6000, n_features=20, n_labels=5000)  # above MIN_SHARED
    assert trees.kmeans(X, Y, n_jobs=2) == trees.kmeans(X, Y, n_jobs=1)


def test_another_random_state_gives_another_tree() -> None:
    X, Y = random_rows(seed=6)
    assert trees.kmeans(X, Y, random_state=0) == trees.kmeans(X, Y, random_state=0)
    assert trees.kmeans(X, Y, random_state=0) != trees.kmeans(X, Y, random_state=1)


def test_max_depth_is_the_depth_in_edges() -> None:
    X, Y = random_rows(seed=7)
    for max_depth in (1, 2, 3):
        tree = trees.kmeans(X, Y, max_leaf_size=1, max_depth=max_depth)
        assert tree.depth == max_depth
        assert_every_label_once(tree, N_LABELS)


def test_unbalanced_trees_are_not_deep_even_if_labels_split_off_one_by_one() -> None:
    n = 300
    tree = trees.kmeans(np.eye(n), [[j] for j in range(n)], max_leaf_size=1, balanced=False)
    assert tree.depth <= 8 + 5 * np.log2(n) + 2


def test_labels_without_rows_are_grouped_together() -> None:
    X = np.eye(4, dtype=np.float32)
    Y = sparse.csr_array(([1, 1, 1, 1], ([0, 1, 2, 3], [1, 3, 5, 7])), shape=(4, 8))
    for balanced in (True, False):
        tree = trees.kmeans(X, Y, max_leaf_size=4, balanced=balanced)
        assert len(set(tree.parent[tree.leaves[::2]])) == 1


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("n_labels", [1, 2, 3, 50])
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((0, 4), np.float32),
        np.zeros((6, 0), np.float32),
        np.zeros((6, 4), np.float32),
        np.ones((6, 4), np.float32),
        np.array([[1.0], [-1.0]] * 3, np.float32),
    ],
    ids=["no rows", "no columns", "zeros", "equal labels", "sums of zero"],
)
def test_labels_with_zero_or_equal_vectors_still_get_a_tree(X, n_labels, balanced) -> None:
    Y = sparse.csr_array(np.ones((X.shape[0], n_labels), np.uint8))
    for arity in (2, 3):
        tree = trees.kmeans(X, Y, arity=arity, max_leaf_size=2, balanced=balanced)
        assert_every_label_once(tree, n_labels)
        assert tree.max_degree <= arity


def test_names_keep_their_labels() -> None:
    tree = trees.kmeans([[1, 0], [0, 1]], [["b"], ["a"]])
    assert tree.names == ("a", "b")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"arity": 1}, "arity must be at least 2, but is 1"),
        ({"max_leaf_size": 0}, "max_leaf_size must be at least 1, but is 0"),
        ({"max_depth": 0}, "max_depth must be at least 1 or None, but is 0"),
        ({"random_state": -1}, "random_state must be at least 0, but is -1"),
        ({"n_jobs": 0}, "n_jobs must be a number of threads"),
    ],
)
def test_options_outside_their_range_are_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        trees.kmeans([[1.0]], [[0]], **options)


def test_x_and_y_must_have_the_same_rows() -> None:
    with pytest.raises(ValueError, match="X has 2 rows, but Y has 1"):
        trees.kmeans([[1.0], [2.0]], [[0]])


def test_zero_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="a tree needs at least one label"):
        trees.kmeans([[1.0]], sparse.csr_array((1, 0), dtype=np.uint8))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_long_call(n_jobs) -> None:
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.random((1500, 1500), np.float32))
    Y = rng.integers(0, 9000, (1500, 60)).tolist()
    with interrupted():
        trees.kmeans(X, Y, max_leaf_size=1, n_jobs=n_jobs)

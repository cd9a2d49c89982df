from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from labeltree import _core, cost, trees
from labeltree.execution import Threads
from labeltree.trees import spread
from labeltree.trees.vectors import native_rows
from tests.reference import merging as reference


def random_rows(seed, n_rows=60, n_features=8, n_labels=12):
    """Every label has rows, and all label vectors differ, so that there are no ties."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_features), np.float32)
    Y = [
        {i % n_labels, *rng.integers(0, n_labels, rng.integers(4)).tolist()} for i in range(n_rows)
    ]
    return X, Y


def unordered(nested: object) -> object:
    return nested if isinstance(nested, int) else frozenset(map(unordered, nested))


@pytest.mark.parametrize("similarity", [0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_blend_equals_the_reference(seed, similarity) -> None:
    X, Y = random_rows(seed)
    binary = trees.LabelTree.from_nested(reference.blend_merge(X.tolist(), Y, 12, similarity))
    tree = trees.blend(X, Y, similarity=similarity)
    assert unordered(tree.to_nested()) == unordered(trees.collapse(binary, Y).to_nested())


@pytest.mark.parametrize("sweeps", [0, 2])
def test_zero_similarity_gives_the_cheapest_tree(sweeps) -> None:
    X, Y = random_rows(seed=1, n_rows=300, n_labels=60)
    assert trees.blend(X, Y, similarity=0, sweeps=sweeps) == trees.cheapest(Y, sweeps=sweeps)


def test_similarity_groups_similar_labels_and_cost_groups_labels_of_the_same_rows() -> None:
    X = [[1, 0]] * 6 + [[0, 1]] * 6 + [[1, 1]] * 2
    Y = [[0], [2], [4]] * 2 + [[1], [3], [5]] * 2 + [[0, 1]] * 2
    similar, cheap = (trees.blend(X, Y, similarity=similarity) for similarity in (1, 0))
    assert unordered(similar.to_nested()) == unordered([0, [2, 4], 1, [3, 5]])
    assert unordered(cheap.to_nested()) == unordered([[0, 1], [2, 3], [4, 5]])


def test_sweeps_never_raise_the_cost_of_a_blend() -> None:
    X, Y = random_rows(seed=2, n_rows=300, n_labels=60)
    costs = [cost.training_cost(trees.blend(X, Y, sweeps=sweeps), Y) for sweeps in (0, 1, 2)]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("n", [500, 6000])  # far more than are compared in a step, or in a part
def test_neighbors_without_common_rows_are_found_among_many_labels(n) -> None:
    rng = np.random.default_rng(3)
    directions = rng.standard_normal((n // 2, 40)).astype(np.float32)
    X = np.repeat(directions, 2, axis=0) + 0.01 * rng.standard_normal((n, 40)).astype(np.float32)
    tree = trees.blend(X, [[j] for j in range(n)], similarity=1)
    twins = tree.parent[tree.leaves[::2]] == tree.parent[tree.leaves[1::2]]
    assert twins.mean() > 0.9


@pytest.mark.parametrize("n_labels", [150, 5000])  # one part, or several
def test_the_tree_does_not_depend_on_threads(n_labels) -> None:
    X, Y = random_rows(seed=4, n_rows=2 * n_labels, n_labels=n_labels)
    one = trees.blend(X, Y, similarity=0.75, n_jobs=1)
    for n_jobs in (2, 3, None):
        assert trees.blend(X, Y, similarity=0.75, n_jobs=n_jobs) == one


def test_labels_of_all_parts_are_in_the_tree_exactly_once() -> None:
    n = 9000
    Y = sparse.diags_array(np.arange(n) % 3 > 0, dtype=np.uint8).tocsr()  # a third has no rows
    X = sparse.random_array((n, 50), density=0.1, rng=1, dtype=np.float32)
    tree = trees.blend(X, Y, similarity=0.75)
    assert sorted(tree.label[tree.degree == 0]) == list(range(n))


@pytest.mark.parametrize("similarity", [0.5, 1.0])
@pytest.mark.parametrize("n_labels", [1, 2, 3, 50])
@pytest.mark.parametrize("shape", [(0, 4), (6, 0), (6, 4)])
def test_labels_with_zero_vectors_still_get_a_tree(shape, n_labels, similarity) -> None:
    Y = sparse.csr_array((shape[0], n_labels), dtype=np.uint8)
    for rows in (Y, sparse.csr_array(np.ones(Y.shape, np.uint8))):
        tree = trees.blend(np.zeros(shape, np.float32), rows, similarity=similarity)
        assert tree.n_labels == n_labels


def test_labels_that_share_rows_are_joined_across_parts_if_cost_outweighs_similarity() -> None:
    # Labels j and j + n / 2 share a row, but most of their features differ.
    n = 6000
    rng = np.random.default_rng(5)
    own = sparse.csr_array(rng.random((n, 200), np.float32) ** 40)
    X = sparse.vstack([own, own[: n // 2]]).tocsr()
    Y = [[j] for j in range(n)] + [[j, j + n // 2] for j in range(n // 2)]
    cheapest = cost.training_cost(trees.cheapest(Y), Y)
    assert cost.training_cost(trees.blend(X, Y, similarity=0.05), Y) < 1.01 * cheapest


def test_names_keep_their_labels() -> None:
    assert trees.blend([[1, 0], [0, 1]], [["b"], ["a"]]).names == ("a", "b")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"similarity": -0.1}, r"similarity must lie in 0\.\.1, but is -0\.1"),
        ({"similarity": 2}, r"similarity must lie in 0\.\.1, but is 2"),
        ({"similarity": float("nan")}, r"similarity must lie in 0\.\.1, but is nan"),
        ({"sweeps": -1}, "sweeps must be at least 0, but is -1"),
        ({"random_state": -1}, "random_state must be at least 0, but is -1"),
    ],
)
def test_options_outside_their_range_are_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        trees.blend([[1.0]], [[0]], **options)


def test_x_and_y_must_have_the_same_rows() -> None:
    with pytest.raises(ValueError, match="X has 2 rows, but Y has 1"):
        trees.blend([[1.0], [2.0]], [[0]])


def last_part(X, Y, max_top_rows: int):
    """Return the rows of the last part of a blend as lists of clusters, and its step."""
    (*arrays, n_features, indptr, indices, _), _ = native_rows(X, Y)
    executor, rows = Threads(), (*arrays, n_features, indptr, indices, 5000)
    vectors = spread.short_label_vectors(rows, executor)
    options = {"similarity": 0.75, "seed": 0, "n_threads": 1, "max_top_rows": max_top_rows}
    blending = _core.Blending(*vectors, n_features, indptr, indices, **options)
    join = spread._PartJoin(trees.CostModel(), len(indptr) - 1, 0.75, 1)
    while blending.split() > 1:
        blending.join([join(blending.part(p)) for p in range(len(blending.order()))])
    *_, row_begin, clusters, _, _, step = blending.part(0)
    return [row.tolist() for row in np.split(clusters, row_begin[1:-1])], step


def test_the_top_is_built_from_every_nth_of_many_rows() -> None:
    X, Y = random_rows(seed=5, n_rows=10_000, n_labels=5000)
    every, step = last_part(X, Y, 10_000)
    assert (len(every), step) == (10_000, 1)
    for max_rows, expected in ((5001, 2), (5000, 2), (4999, 3), (3000, 4)):
        some, step = last_part(X, Y, max_rows)
        assert step == expected
        assert some == every[::step]


def test_a_top_of_some_rows_is_the_same_on_workers_and_about_as_cheap(monkeypatch) -> None:
    X, Y = random_rows(seed=6, n_rows=20_000, n_labels=5000)
    whole = cost.training_cost(trees.blend(X, Y, similarity=0.75), Y)
    monkeypatch.setattr(spread, "MAX_TOP_ROWS", 5000)
    tree = trees.blend(X, Y, similarity=0.75, n_jobs=1)
    with ThreadPoolExecutor(2) as pool:
        assert trees.blend(X, Y, similarity=0.75, executor=pool) == tree
    assert cost.training_cost(tree, Y) == pytest.approx(whole, rel=0.05)


def test_a_tree_of_one_part_is_built_from_all_rows(monkeypatch) -> None:
    X, Y = random_rows(seed=7, n_rows=300, n_labels=60)
    tree = trees.blend(X, Y, similarity=0.75)
    monkeypatch.setattr(spread, "MAX_TOP_ROWS", 10)
    assert trees.blend(X, Y, similarity=0.75) == tree

import numpy as np
import pytest
from scipy import sparse

from labeltree import cost, trees
from labeltree.data import as_features, as_labels
from labeltree.trees import CostModel
from labeltree.trees._auto import affordable, training_work
from labeltree.trees.by_name import find_builder
from labeltree.trees.vectors import native_rows


def long_rows(n_labels=1500, n_features=700):
    """One row for each label, with many values: a star takes far longer than a narrow tree."""
    X = np.random.default_rng(0).random((n_labels, n_features), np.float32)
    return as_features(X), as_labels(sparse.eye_array(n_labels, dtype=np.uint8).tocsr())


def auto(X, Y, n_jobs=1, **options):
    return find_builder("auto")(X, Y, seed=0, n_jobs=n_jobs, options=options)


def blend(X, Y, cost_model):
    return trees.blend(X, Y, similarity=0.75, cost_model=cost_model)


def binary_tree(Y):
    return trees.huffman(Y.counts, arity=2)


def test_short_rows_get_the_full_width() -> None:
    X, Y = long_rows(300, n_features=20)
    assert auto(X, Y) == blend(X, Y, CostModel(per_row=60.0))


def test_a_cheap_tree_keeps_its_full_width() -> None:
    X, Y = long_rows(60)
    assert auto(X, Y) == blend(X, Y, CostModel(per_row=2100.0))


def test_long_rows_get_narrower_nodes() -> None:
    X, Y = long_rows()
    widest = blend(X, Y, CostModel(per_row=2100.0))
    assert auto(X, Y).max_degree < widest.max_degree / 2


@pytest.mark.parametrize(
    ("options", "per_row"),
    [({"width": 3.0}, 2100.0), ({"width": 2.0}, 1400.0), ({"cost_model": CostModel(99.0)}, 99.0)],
)
def test_a_width_that_is_given_is_kept(options, per_row) -> None:
    X, Y = long_rows()
    assert auto(X, Y, **options) == blend(X, Y, CostModel(per_row=per_row))


def test_the_width_does_not_depend_on_threads() -> None:
    X, Y = long_rows()
    assert auto(X, Y, n_jobs=3) == auto(X, Y)


@pytest.mark.parametrize("max_work", [1.5, 2.0, 4.0, 10.0])
def test_the_work_is_within_the_limit(max_work) -> None:
    X, Y = long_rows()
    rows, binary = native_rows(X, Y)[0], binary_tree(Y)
    price = affordable(
        binary, cost.node_weights(binary, Y), rows, CostModel(per_row=2100.0), max_work
    )
    narrow, chosen = (
        training_work(trees.collapse(binary, Y, cost_model=model), rows)
        for model in (CostModel(per_row=30.0), price)
    )
    assert chosen <= max_work * narrow


def test_more_work_allows_wider_nodes() -> None:
    X, Y = long_rows()
    rows, binary, widest = native_rows(X, Y)[0], binary_tree(Y), CostModel(per_row=2100.0)
    limits = (1.0, 2.0, 4.0, 8.0, 1000.0)
    per_row = [
        affordable(binary, cost.node_weights(binary, Y), rows, widest, limit).per_row
        for limit in limits
    ]
    assert per_row == sorted(per_row)
    assert per_row[0] < 60.0
    assert per_row[-1] == 2100.0

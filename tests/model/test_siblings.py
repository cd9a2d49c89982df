"""Normalization of the estimates of siblings, in every kind of search."""

import numpy as np
import pytest

from labeltree import _core
from labeltree.data import as_labels
from labeltree.model import Calibration
from labeltree.model.label_limits import LabelLimits
from tests.model.test_search import forest, search
from tests.node_estimates import node_estimates


def normalized(n_trees: int, siblings: str, seed: int = 0):
    model, X = forest(n_trees=n_trees, seed=seed)
    return model.calibrated(Calibration(siblings=siblings)), X


def by_hand(model, X) -> np.ndarray:
    """Mean products along paths whose siblings are normalized, [row, label]."""
    products = []
    for t, tree in enumerate(model.trees):
        slope, intercept = model.links(t)
        alone = type(model)([tree], [model.layouts[t]], "logistic", model.n_features, False)
        odds = node_estimates(alone, X).clip(1e-12, 1 - 1e-12)
        p = 1 / (1 + np.exp(-(slope * np.log(odds / (1 - odds)) + intercept)))
        p[:, 0] = 1
        for v in np.flatnonzero(tree.degree):
            sums = p[:, tree.children(v)].sum(axis=1)
            if model.calibration.siblings == "at_least_one":
                sums = np.minimum(sums, 1)
            p[:, tree.children(v)] *= (p[:, v] / sums)[:, None]
        products.append(p[:, tree.leaves])
    return np.mean(products, axis=0)


@pytest.mark.parametrize("siblings", ["at_least_one", "one"])
@pytest.mark.parametrize("n_trees", [1, 3])
def test_products_along_paths_are_of_normalized_estimates(siblings: str, n_trees: int) -> None:
    model, X = normalized(n_trees, siblings)
    np.testing.assert_allclose(search(model, X)[0].toarray(), by_hand(model, X), atol=1e-5)


@pytest.mark.parametrize("n_trees", [1, 3])
def test_probabilities_of_a_row_sum_to_one(n_trees: int) -> None:
    model, X = normalized(n_trees, "one")
    np.testing.assert_allclose(search(model, X)[0].toarray().sum(axis=1), 1, atol=1e-5)


def test_probabilities_of_a_row_sum_to_at_least_one() -> None:
    model, X = normalized(1, "at_least_one")
    assert (search(model, X)[0].toarray().sum(axis=1) >= 1 - 1e-5).all()


@pytest.mark.parametrize("siblings", ["at_least_one", "one"])
@pytest.mark.parametrize("n_trees", [1, 3])
def test_the_best_labels_are_those_of_the_full_search(siblings: str, n_trees: int) -> None:
    model, X = normalized(n_trees, siblings)
    full = search(model, X)[0].toarray()
    found = search(model, X, k=4, n_threads=2)[0]
    np.testing.assert_array_equal(
        found.data.reshape(-1, 4), -np.sort(-full, axis=1, kind="stable")[:, :4]
    )


def test_one_row_has_the_same_probabilities_as_many() -> None:
    model, X = normalized(1, "one")
    many = search(model, X, k=3)[0]
    for i in range(X.shape[0]):
        labels, found = model.top_k_row(X[[i]].indices, X[[i]].data, 3)
        part = slice(many.indptr[i], many.indptr[i + 1])
        np.testing.assert_array_equal(labels, many.indices[part])
        np.testing.assert_array_equal(found, many.data[part])


def test_a_threshold_finds_what_is_above_it() -> None:
    model, X = normalized(1, "one")
    full = search(model, X)[0].toarray()
    found = search(model, X, threshold=0.1)[0].toarray()
    np.testing.assert_array_equal(found, np.where(full >= np.float32(0.1), full, 0))


def test_a_wide_beam_finds_the_best_labels() -> None:
    model, X = normalized(1, "one")
    np.testing.assert_array_equal(
        model.search(X, k=3, beam=100)[0].indices, search(model, X, k=3)[0].indices
    )


def test_label_weights_rank_normalized_probabilities() -> None:
    model, X = normalized(3, "one")
    weights = np.linspace(0.5, 2.0, model.n_labels, dtype=np.float32)
    full = search(model, X)[0].toarray() * weights
    found = model.search(X, k=1, limits=LabelLimits(weights=weights, n_labels=model.n_labels))[0]
    np.testing.assert_array_equal(found.indices, full.argmax(axis=1))


def test_given_labels_have_the_probabilities_of_the_search() -> None:
    model, X = normalized(3, "one")
    labels = as_labels([[i % 12] for i in range(X.shape[0])], n_labels=12)
    expected = search(model, X)[0].toarray()[np.arange(X.shape[0]), labels.indices]
    np.testing.assert_array_equal(model.probabilities_of(X, labels), expected)


def test_siblings_without_any_probability_share_it_evenly() -> None:
    model, X = normalized(1, "one")
    layout = model.layouts[0]
    layout = layout._replace(bias=np.full_like(layout.bias, -1e6))
    never = type(model)(model.trees, [layout], model.link, 15, False, model.calibration)
    np.testing.assert_allclose(search(never, X)[0].toarray().sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("siblings", ["independent", "at_least_one", "one"])
def test_a_pickled_or_quantized_model_keeps_its_normalization(siblings: str) -> None:
    model, _ = normalized(1, siblings)
    kind, parts = model.__reduce__()
    assert kind(*parts).calibration.siblings == siblings
    assert model.quantized().calibration.siblings == siblings


def test_every_mode_is_native() -> None:
    assert [mode.name for mode in _core.SiblingSums] == ["independent", "at_least_one", "one"]

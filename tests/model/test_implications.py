"""Searches of models whose labels imply others: these are at least as probable."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree.data import as_labels
from labeltree.model import Model
from labeltree.model.curve import odds_curve
from labeltree.model.implications import Implications, probable_source
from labeltree.model.label_limits import LabelLimits
from labeltree.model.subforest import subforest, without_names
from tests.model.test_rankers import ranked_forest
from tests.model.test_search import forest
from tests.reference.implications import lifted

N_LABELS = 12


def chosen(seed: int, share: float = 0.3) -> Implications:
    """A random order of the labels, where some imply earlier ones and what those imply."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(N_LABELS).tolist()
    implied: dict[int, set[int]] = {label: set() for label in order}
    for i, label in enumerate(order):
        for other in order[:i]:
            if rng.random() < share:
                implied[label] |= {other} | implied[other]
    rows = [sorted(implied[label], key=order.index) for label in range(N_LABELS)]
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return Implications(indptr, np.array([b for row in rows for b in row], np.int32))


def implied_forest(n_trees: int = 1, seed: int = 0) -> tuple[Model, np.ndarray, np.ndarray]:
    """A forest with implications, rows, and the probabilities of all labels by definition."""
    model, X = forest(n_trees=n_trees, seed=seed)
    implications = chosen(seed)
    implied = {label: implications.of(label).tolist() for label in range(N_LABELS)}
    plain = model.search(X)[0].toarray()
    rows = [lifted(dict(enumerate(row.tolist())), implied) for row in plain]
    expected = np.array([[row[b] for b in range(N_LABELS)] for row in rows], np.float32)
    return model.with_implications(implications), X, expected


def table(model: Model, X, **query) -> tuple[np.ndarray, np.ndarray]:
    found = model.search(X, **query)[0]
    shape = X.shape[0], -1
    return found.indices.reshape(shape), found.data.reshape(shape)


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_label_is_as_probable_as_the_most_probable_label_that_implies_it(n_trees, seed) -> None:
    model, X, expected = implied_forest(n_trees, seed)
    np.testing.assert_array_equal(model.search(X)[0].toarray(), expected)


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("k", [1, 2, 5, 12])
@pytest.mark.parametrize("seed", range(4))
def test_top_k_is_exact(n_trees: int, k: int, seed: int) -> None:
    model, X, expected = implied_forest(n_trees, seed)
    labels, probabilities = table(model, X, k=k)
    best = -np.sort(-expected, axis=1)[:, :k]
    np.testing.assert_array_equal(probabilities, best)
    np.testing.assert_array_equal(np.take_along_axis(expected, labels, axis=1), best)
    assert all(len(set(row)) == k for row in labels.tolist())


@pytest.mark.parametrize("seed", range(4))
def test_a_label_comes_after_the_labels_that_it_implies(seed: int) -> None:
    model, X, _ = implied_forest(seed=seed)
    for row in table(model, X, k=6)[0].tolist():
        for place, label in enumerate(row):
            assert set(model.implications.of(label).tolist()) <= set(row[:place])


@pytest.mark.parametrize("n_trees", [1, 3])
def test_one_row_gives_what_a_batch_gives(n_trees: int) -> None:
    model, X, _ = implied_forest(n_trees)
    labels, probabilities = table(model, X, k=4)
    for i in range(X.shape[0]):
        found = model.top_k_row(X[[i]].indices, X[[i]].data, 4)
        np.testing.assert_array_equal(found[0], labels[i])
        np.testing.assert_array_equal(found[1], probabilities[i])


def test_results_are_the_same_for_any_number_of_threads() -> None:
    model, X, _ = implied_forest()
    limits = LabelLimits(weights=np.linspace(0, 2, N_LABELS), n_labels=N_LABELS)
    for query in ({"k": 4}, {"threshold": 0.1}, {"k": 4, "limits": limits}):
        one, four = (model.search(X, n_threads=n, **query)[0] for n in (1, 4))
        np.testing.assert_array_equal(one.indices, four.indices)
        np.testing.assert_array_equal(one.data, four.data)


@pytest.mark.parametrize("n_trees", [1, 3])
def test_a_threshold_finds_every_label_above_it(n_trees: int) -> None:
    model, X, every = implied_forest(n_trees)
    found = model.search(X, threshold=0.2)[0].toarray()
    np.testing.assert_array_equal(found, np.where(every >= np.float32(0.2), every, 0))


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_thresholds_of_labels_hold_for_their_raised_probabilities(n_trees, seed) -> None:
    model, X, every = implied_forest(n_trees, seed)
    least = np.random.default_rng(seed).random(N_LABELS).astype(np.float32) / 2
    limits = LabelLimits(thresholds=least, n_labels=N_LABELS)
    allowed = np.where(every >= least, every, 0)
    np.testing.assert_array_equal(model.search(X, limits=limits)[0].toarray(), allowed)
    for k in (1, 3):
        best = -np.sort(-allowed, axis=1)[:, :k]
        found = model.search(X, k=k, limits=limits)[0].toarray()
        np.testing.assert_array_equal(-np.sort(-found, axis=1)[:, :k], best)


@given(st.integers(1, N_LABELS), st.integers(0, 9), st.sampled_from([1, 3]), st.booleans())
@settings(deadline=None, max_examples=60)
def test_weights_of_labels_rank_raised_probabilities(k, seed, n_trees, curved) -> None:
    model, X, every = implied_forest(n_trees, seed % 3)
    if curved:
        curve = odds_curve(0.7, -0.5)
        model = model.calibrated(type(model.calibration)(curve=curve))
        every = curve(every.ravel()).reshape(every.shape)
    weights = np.random.default_rng(seed).choice([0, 0.1, 1, 5], N_LABELS).astype(np.float32)
    limits = LabelLimits(weights=weights, n_labels=N_LABELS)
    found = model.search(X, k=k, limits=limits)[0]
    expected = -np.sort(-every * weights, axis=1)[:, : min(k, int((weights > 0).sum()))]
    for i in range(X.shape[0]):
        own = slice(found.indptr[i], found.indptr[i + 1])
        labels = found.indices[own]
        np.testing.assert_array_equal(found.data[own], every[i, labels])
        np.testing.assert_allclose(found.data[own] * weights[labels], expected[i], rtol=1e-5)


def test_a_label_that_is_left_out_still_raises_those_that_it_implies() -> None:
    model, X, every = implied_forest()
    implying = int(np.argmax(np.diff(model.implications.indptr)))
    kept = np.ones(N_LABELS, np.float32)
    kept[implying] = 0
    found = model.search(X, limits=LabelLimits(weights=kept, n_labels=N_LABELS))[0].toarray()
    np.testing.assert_array_equal(found, np.where(kept > 0, every, 0))


@pytest.mark.parametrize("n_trees", [1, 3])
def test_given_labels_have_their_raised_probabilities(n_trees: int) -> None:
    model, X, every = implied_forest(n_trees)
    Y = as_labels((np.random.default_rng(9).random((80, N_LABELS)) < 0.3).astype(np.uint8))
    rows = np.repeat(np.arange(80), np.diff(Y.indptr))
    for n_threads in (1, 3):
        found = model.probabilities_of(X, Y, n_threads=n_threads)
        np.testing.assert_array_equal(found, every[rows, Y.indices])


def test_labels_are_raised_after_rankers() -> None:
    model, X = ranked_forest(n_trees=2, n_candidates=N_LABELS)
    implications = chosen(1)
    implied = {label: implications.of(label).tolist() for label in range(N_LABELS)}
    plain = model.search(X)[0].toarray()
    rows = [lifted(dict(enumerate(row.tolist())), implied) for row in plain]
    expected = np.array([[row[b] for b in range(N_LABELS)] for row in rows], np.float32)
    both = model.with_implications(implications)
    np.testing.assert_array_equal(both.search(X)[0].toarray(), expected)
    np.testing.assert_array_equal(table(both, X, k=4)[1], -np.sort(-expected, axis=1)[:, :4])


def test_a_beam_raises_what_it_finds() -> None:
    model, X, every = implied_forest()
    labels, probabilities = table(model, X, k=3, beam=2)
    assert (probabilities <= np.take_along_axis(every, labels, axis=1)).all()
    assert (np.diff(probabilities, axis=1) <= 0).all()


def test_the_source_of_a_probability_is_the_label_that_it_comes_from() -> None:
    model, X, every = implied_forest()
    plain = model.with_implications(None).search(X)[0].toarray()
    sources = set()
    for i in range(20):
        for label in range(N_LABELS):
            source = probable_source(model, X[[i]], label)
            assert plain[i, source] == every[i, label]
            assert source == label or label in model.implications.of(source)
            sources.add(source == label)
    assert sources == {True, False}


def test_implications_are_pickled_and_kept_by_changes_of_the_model() -> None:
    model, X, every = implied_forest()
    for copy in (pickle.loads(pickle.dumps(model)), without_names(model)):
        np.testing.assert_array_equal(copy.search(X)[0].toarray(), every)
    assert model.quantized().implications is model.implications
    assert subforest(model, [0]).implications is None


def test_implications_of_other_labels_are_refused() -> None:
    model, _ = forest()
    indptr, none = np.zeros(N_LABELS + 1, np.int64), np.empty(0, np.int32)
    with pytest.raises(ValueError, match=r"implications\.indptr must have 13 entries, but has 12"):
        model.with_implications(Implications(indptr[1:], none))
    indptr[-1] = 1
    with pytest.raises(ValueError, match=r"implications: label 12 is outside 0\.\.11"):
        model.with_implications(Implications(indptr, np.array([12], np.int32)))

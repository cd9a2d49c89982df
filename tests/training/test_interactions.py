"""Interactions: which pairs are found, and what they do for a classifier."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier
from labeltree.data import as_features, as_labels, read_npz
from labeltree.execution import Threads
from labeltree.training import interactions
from labeltree.training.interactions import count_pairs, informative_pairs
from tests.crossed_words import crossed
from tests.fitted import with_state
from tests.model_files import content_edit, edited, put
from tests.reference import interactions as reference


@given(st.integers(0, 10**6), st.integers(1, 3))
@settings(deadline=None, max_examples=50)
def test_counted_pairs_equal_the_reference(seed: int, n_threads: int) -> None:
    rng = np.random.default_rng(seed)
    X = (rng.random((25, 7)) < 0.4).astype(np.float32)
    Y = [set(np.flatnonzero(row).tolist()) for row in rng.random((25, 5)) < 0.3]
    rows = as_labels([sorted(y) for y in Y], n_labels=5)
    found = count_pairs(as_features(X), rows, rows.counts, Threads(n_threads))
    expected = reference.pairs(X.tolist(), Y, interactions._MIN_ROWS)
    assert [tuple(pair) for pair in found.pairs.tolist()] == list(expected)
    assert found.n_rows.tolist() == [one.n_rows for one in expected.values()]
    shared = [one.shared for one in expected.values()]
    np.testing.assert_allclose(found.shared, shared, rtol=1e-4)


def test_shared_labels_of_frequent_pairs_are_estimated_from_some_rows() -> None:
    X, Y = np.ones((999, 2), np.float32), [[i % 3] for i in range(999)]
    rows = as_labels(Y, n_labels=3)
    [shared] = count_pairs(as_features(X), rows, rows.counts, Threads()).shared
    exact = 3 * 333 * 332 / np.sqrt(333)
    assert shared == pytest.approx(exact, rel=0.1)


def test_the_pairs_are_the_same_for_any_number_of_threads_and_workers() -> None:
    X, Y = crossed()
    rows = as_labels(Y)
    affinity = np.zeros(72)
    expected = informative_pairs(X, rows, affinity, 2.0, Threads(1))
    for executor in (Threads(3), Threads(1, n_workers=3), Threads(2, n_workers=70)):
        found = informative_pairs(X, rows, affinity, 2.0, executor)
        assert found.pairs.tolist() == expected.pairs.tolist()
        assert found.shared.tolist() == expected.shared.tolist()


def test_rows_get_at_most_the_given_number_of_pairs() -> None:
    X, Y = crossed()
    for number in (0.5, 1.0, 3.0):
        clf = PLTClassifier(interactions=number, n_jobs=1).fit(X, Y)
        per_row = clf._fitted.row_scaling(X).nnz / X.shape[0] - X.nnz / X.shape[0]
        assert 0.3 * number < per_row <= number


def test_very_many_pairs_are_counted_in_some_rows(monkeypatch) -> None:
    X, Y = crossed()
    rows = as_labels(Y)
    monkeypatch.setattr(interactions, "_MAX_COUNTED", 10_000)
    counted = interactions._counted_rows(X, np.arange(0, 2000, 2, dtype=np.int32))
    assert 100 < len(counted) < 700
    assert (counted % 2 == 1).all()
    assert len(informative_pairs(X, rows, np.zeros(72), 1.0, Threads()).pairs) >= 30


def test_pairs_do_not_depend_on_the_labels_of_held_back_rows() -> None:
    X, Y = crossed()
    held = np.arange(0, 2000, 10, dtype=np.int32)
    others = [[] if i % 10 == 0 else y for i, y in enumerate(Y)]
    found, again = (
        informative_pairs(X, as_labels(y), np.zeros(72), 2.0, Threads(), held) for y in (Y, others)
    )
    assert found.pairs.tolist() == again.pairs.tolist()
    assert found.shared.tolist() == again.shared.tolist()


@pytest.mark.parametrize("kind", [PLTClassifier, HSMClassifier])
def test_pairs_find_labels_that_no_single_feature_tells(kind) -> None:
    X, Y = crossed(4000)
    Y = [y[0] for y in Y] if kind is HSMClassifier else Y
    accuracy = {}
    for number in (3.0, None):
        clf = kind(interactions=number, n_jobs=1).fit(X[:3000], Y[:3000])
        found = clf.classes_[clf.top_k(X[3000:], k=1)[0][:, 0]]
        accuracy[number] = np.mean(found == np.ravel(Y[3000:]))
    assert accuracy[3.0] > 0.9
    assert accuracy[None] < 0.5


def test_informative_pairs_are_kept_first() -> None:
    X, Y = crossed()
    clf = PLTClassifier(interactions=1.0, n_jobs=1).fit(X, Y)
    together = [(a < 6 and 6 <= b < 12) for a, b in clf.interactions_.tolist()]
    assert sum(together) == 36


def test_a_given_number_of_pairs_needs_no_minimum_of_rows() -> None:
    X, Y = crossed(400)
    clf = PLTClassifier(interactions=1.0, n_jobs=1).fit(X, Y)
    assert 0 < clf._fitted.row_scaling(X).nnz - X.nnz <= 400
    assert (clf.value_power_, len(clf._fitted.row_scaling.weights)) == (1.0, 0)


def test_rows_of_weight_0_do_not_change_the_pairs() -> None:
    X, Y = crossed(10_000)
    long = as_features(np.ones((300, 72)))
    weight = np.r_[np.ones(10_000), np.zeros(300)]
    both = as_features(sparse.vstack([X, long]))
    expected = PLTClassifier(n_jobs=1, C=1.0).fit(X, Y).interactions_.tolist()
    found = PLTClassifier(n_jobs=1, C=1.0).fit(both, Y + [["0"]] * 300, weight)
    assert found.interactions_.tolist() == expected


def test_rows_without_informative_pairs_get_none() -> None:
    rng = np.random.default_rng(0)
    X = as_features(np.eye(5, dtype=np.float32)[rng.integers(0, 5, 1500)])
    clf = PLTClassifier(interactions=3.0, n_jobs=1, C=1.0).fit(X, [[i % 3] for i in range(1500)])
    assert clf.interactions_.shape == (0, 2)
    assert clf._fitted.row_scaling.pairs.begin.size == 0


def test_auto_leaves_out_pairs_of_long_rows_and_of_few_rows() -> None:
    X, Y = crossed(10_000)
    long = as_features(np.random.default_rng(0).random((10_000, 41)))
    assert len(PLTClassifier(n_jobs=1, C=0.01).fit(long, Y).interactions_) == 0
    assert len(PLTClassifier(n_jobs=1).fit(X[:9_900], Y[:9_900]).interactions_) == 0
    assert len(PLTClassifier(n_jobs=1, effort="fast").fit(X, Y).interactions_) == 0
    assert len(PLTClassifier(normalize=False, C=0.01).fit(X, Y).interactions_) == 0
    assert len(PLTClassifier(n_jobs=1).fit(X, Y).interactions_) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interactions": "many"}, "interactions must be 'auto', None or a number from 0, but is"),
        ({"interactions": -1.0}, "interactions must be 'auto', None or a number from 0, but is -1"),
        ({"interactions": np.nan}, "interactions must be 'auto', None or a number from 0"),
        ({"interactions": [1.0]}, "interactions must be "),
        ({"interactions": 1j}, "interactions must be "),
        ({"interactions": True}, "interactions must be "),
        ({"interactions": 2, "normalize": False}, "interactions requires rows of length 1"),
    ],
)
def test_numbers_of_pairs_that_make_no_sense_are_refused(options, message) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        PLTClassifier(**options).fit([[1.0], [2.0]], [0, 1])


@pytest.fixture(scope="module")
def fitted() -> PLTClassifier:
    return PLTClassifier(interactions=3.0, n_jobs=1).fit(*crossed())


def test_a_saved_model_predicts_the_same(fitted, tmp_path) -> None:
    X, _ = crossed(seed=1)
    fitted.save(tmp_path / "model.lt")
    loaded = lt.load(tmp_path / "model.lt")
    assert loaded.n_features_in_ == 72 == len(loaded.feature_weights_)
    assert loaded.interactions_.tolist() == fitted.interactions_.tolist()
    for found, expected in zip(loaded.top_k(X, k=3), fitted.top_k(X, k=3), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_one_row_is_predicted_like_many(fitted) -> None:
    X, _ = crossed(seed=1)
    labels, probabilities = fitted.top_k(X, k=3)
    for i in range(20):
        row = X[[i]]
        for order in (slice(None), slice(None, None, -1)):
            indices, values = row.indices[order].copy(), row.data[order].copy()
            found, p = fitted.top_k_row(indices, values, k=3)
            assert found.tolist() == labels[i].tolist()
            np.testing.assert_allclose(p, probabilities[i], rtol=1e-5)


def test_probabilities_of_the_best_labels_are_those_of_all(fitted) -> None:
    X, _ = crossed(20, seed=1)
    every = fitted.predict_proba(X)
    every = every.toarray() if sparse.issparse(every) else every
    for i, row in enumerate(fitted.predict_proba(X, k=6).toarray()):
        np.testing.assert_allclose(row, every[i], rtol=1e-5, atol=1e-7)


def test_a_pair_is_explained_by_both_names(fitted) -> None:
    X, _ = crossed(seed=1)
    why = fitted.explain(X[[0]], feature_names=[f"w{f}" for f in range(72)])
    entries = [one for step in why.steps if step.evidence for one in step.evidence.contributions]
    [pair, *_] = [one for one in entries if one.partner is not None]
    assert pair.name == f"w{pair.feature} & w{pair.partner}"
    assert (pair.feature, pair.partner) in set(map(tuple, fitted.interactions_.tolist()))


def test_online_learning_goes_on_with_the_pairs_of_fit() -> None:
    X, Y = crossed()
    clf = PLTClassifier(interactions=3.0, n_jobs=1).fit(X, Y)
    pairs = clf.interactions_.tolist()
    clf.partial_fit(X[:200], Y[:200])
    assert clf.interactions_.tolist() == pairs
    labels, probabilities = clf.top_k(X[[0]], k=1)
    [(label, p)] = clf.predict_proba_one(X[[0]].indices, X[[0]].data, k=1).items()
    assert label == clf.classes_[labels[0, 0]]
    assert p == pytest.approx(probabilities[0, 0], rel=1e-4)


def test_a_warm_start_keeps_the_pairs() -> None:
    X, Y = crossed()
    clf = PLTClassifier(interactions=3.0, n_jobs=1, warm_start=True).fit(X, Y)
    pairs = clf.interactions_.tolist()
    assert clf.fit(X[:1500], Y[:1500]).interactions_.tolist() == pairs


def test_mapped_rows_give_the_same_model(tmp_path) -> None:
    X, Y = crossed()
    sparse.save_npz(tmp_path / "X.npz", sparse.csr_matrix(X), compressed=False)
    mapped = read_npz(tmp_path / "X.npz")
    expected = PLTClassifier(interactions=3.0, n_jobs=1).fit(X, Y)
    found = PLTClassifier(interactions=3.0, n_jobs=1).fit(mapped, Y)
    assert found.interactions_.tolist() == expected.interactions_.tolist()
    np.testing.assert_array_equal(found.top_k(X, k=2)[1], expected.top_k(X, k=2)[1])


@pytest.mark.parametrize(
    ("begin", "partners", "message"),
    [
        (np.zeros(73), np.zeros(3), "has 3 pairs of 72 features, but the model has"),
        (np.zeros(3), None, "pairs of 2 features, but the model has"),
        (np.zeros(73), None, "pairs must begin with 0 and end with"),
        (None, np.zeros(0), "has 0 pairs of 72 features"),
    ],
)
def test_hostile_pairs_of_a_file_are_refused(tmp_path, begin, partners, message) -> None:
    clf = PLTClassifier(interactions=3.0, n_jobs=1).fit(*crossed())
    own = clf._fitted.row_scaling
    arrays = {"begin": begin, "partners": partners}
    changed = {name: one.astype(np.int32) for name, one in arrays.items() if one is not None}
    with_state(clf, row_scaling=replace(own, pairs=_Stored(own.pairs, changed)))
    clf.save(tmp_path / "model.lt")
    with pytest.raises(lt.ModelFileError, match=message):
        lt.load(tmp_path / "model.lt")


class _Stored:
    """Pairs with some arrays of another length."""

    def __init__(self, pairs, changed) -> None:
        self.begin, self.partners, self.factor = pairs.begin, pairs.partners, pairs.factor
        vars(self).update(changed)

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize("factor", [0.0, -1.0, 1e9, "much", None])
def test_a_hostile_factor_of_a_file_is_refused(fitted, tmp_path, factor) -> None:
    fitted.save(tmp_path / "model.lt")
    edit = content_edit("row_scaling", "pair_factor", value=factor)
    with pytest.raises(lt.ModelFileError, match="factor"):
        lt.load(put(tmp_path, edited((tmp_path / "model.lt").read_bytes(), edit)))


def test_weights_of_pairs_have_a_higher_threshold() -> None:
    X, Y = crossed(1000)
    clf = PLTClassifier(interactions=3.0, n_jobs=1).fit(X, Y)
    weights = clf.model_.weights()
    is_pair = weights.features >= X.shape[1]
    threshold = clf.weight_threshold
    # Weights are rounded to steps of a 127th of the largest of their node.
    assert threshold * 0.9 < np.abs(weights.values[~is_pair]).min() < threshold * 1.3
    assert np.abs(weights.values[is_pair]).min() > threshold * 5 / 3 * 0.9


def test_models_with_pairs_of_short_rows_have_8_bit_weights() -> None:
    X, Y = crossed(1000)
    assert weight_bytes(PLTClassifier(interactions=3.0, n_jobs=1).fit(X, Y)) == 1
    assert weight_bytes(PLTClassifier(interactions=None, n_jobs=1).fit(X, Y)) == 2
    long = sparse.hstack([X, np.ones((1000, 90), np.float32)]).tocsr()
    assert weight_bytes(PLTClassifier(interactions=3.0, n_jobs=1).fit(long, Y)) == 2


def weight_bytes(clf: PLTClassifier) -> int:
    return int(clf.model_.layouts[0].weight_bytes[0])

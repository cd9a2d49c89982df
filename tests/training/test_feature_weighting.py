"""Feature weighting: compared with the reference, and its effect on accuracy."""

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import labeltree as lt
from labeltree import PLTClassifier
from labeltree.data import as_features, as_labels, read_npz
from labeltree.data.row_scaling import AS_THEY_ARE, UNIT, RowScaling
from labeltree.estimators.summary import summarize
from labeltree.execution import Threads
from labeltree.model.layout import Layout
from labeltree.training.feature_weighting import (
    ENOUGH_ROWS,
    find_powers,
    label_affinity,
    learn_scaling,
)
from tests.fitted import with_model, with_state
from tests.model_files import edited, put, section
from tests.reference import training as reference


def problem(seed: int, n_rows: int = 30, n_features: int = 6, n_labels: int = 5):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n_rows, n_features)) < 0.4, rng.random((n_rows, n_features)), 0.0)
    Y = [set(np.flatnonzero(row).tolist()) for row in rng.random((n_rows, n_labels)) < 0.3]
    return X.astype(np.float32), Y


def words(n_rows: int = 2000, seed: int = 0, *, counts: bool = False):
    """Rows of words: one that identifies the label, and ten that are unrelated to it."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 40, n_rows)
    unrelated = 40 + rng.integers(0, 60, (n_rows, 10))
    columns = np.column_stack([labels, unrelated]).ravel()
    values = rng.lognormal(0, 1.5 if counts else 0.1, len(columns)).astype(np.float32)
    X = sparse.csr_array((values, columns, np.arange(0, len(columns) + 1, 11)), shape=(n_rows, 100))
    X.sum_duplicates()
    return as_features(X), [[int(label)] for label in labels]


@given(st.integers(0, 10**6), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_label_affinity_equals_the_reference(seed: int, n_threads: int) -> None:
    X, Y = problem(seed)
    rows = as_labels([sorted(y) for y in Y], n_labels=5)
    found = label_affinity(as_features(X), rows, Threads(n_threads))
    np.testing.assert_allclose(found, reference.label_affinity(X.tolist(), Y), rtol=1e-4)


def test_label_affinity_is_the_same_for_any_number_of_threads_and_workers() -> None:
    rng = np.random.default_rng(0)
    X = as_features(sparse.random_array((500, 50), density=0.2, rng=rng, dtype=np.float32))
    Y = as_labels([rng.choice(2000, 3, replace=False).tolist() for _ in range(500)], n_labels=2000)
    expected = label_affinity(X, Y, Threads(1))
    for executor in (Threads(2), Threads(5), Threads(1, n_workers=3), Threads(2, n_workers=2000)):
        assert label_affinity(X, Y, executor).tolist() == expected.tolist()


def test_counting_rows_of_features_copies_a_small_part_of_x() -> None:
    X = as_features(np.ones((20_000, 400), np.float32))
    Y = as_labels([[row % 3] for row in range(20_000)])
    label_affinity(X[:10], Y.select(slice(0, 10)))
    tracemalloc.start()
    label_affinity(X, Y, Threads(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # 64-bit copies of all indices would be twice as large as these.
    assert peak < 1.5 * X.indices.nbytes


def test_a_feature_without_rows_has_the_mean_affinity() -> None:
    X = as_features([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    affinity = label_affinity(X, as_labels([["a"], ["a"], ["b"]]))
    assert affinity[1] == pytest.approx(2 / 6 / np.sqrt(2), rel=1e-4)


@given(
    st.lists(st.floats(-100, 100, width=32, allow_subnormal=False), min_size=1, max_size=20),
    st.floats(0, 2, width=32),
    st.integers(0, 100),
)
def test_a_scaled_row_equals_the_reference(values, power, seed) -> None:
    weights = np.random.default_rng(seed).uniform(0.01, 1, len(values)).astype(np.float32)
    X = as_features(np.array([values], np.float32))
    expected = reference.scaled_row(X.toarray()[0].tolist(), power, weights.tolist())
    scaling = RowScaling(power=power, weights=weights)
    np.testing.assert_allclose(scaling(X).toarray()[0], expected, rtol=2e-5, atol=2e-5)
    np.testing.assert_array_equal(scaling.of_row(X.indices, X.data)[1], scaling(X).data)


@pytest.mark.parametrize("value", [1e-45, 1e-38, 1e-30, 3e38, -3e38])
@pytest.mark.parametrize("power", [0.0, 0.55, 1.0, 2.0])
def test_extreme_values_stay_finite(value: float, power: float) -> None:
    X = as_features(np.array([[value, 1.0], [value, 0.0]], np.float32))
    for weights in (np.array([1e-3, 1.0]), np.array([3e38, 1e-38])):
        scaled = RowScaling(power=power, weights=weights.astype(np.float32))(X).toarray()
        assert np.isfinite(scaled).all()
        assert (np.abs(scaled) <= 1.000001).all()


def test_rows_are_scaled_the_same_in_training_and_prediction() -> None:
    X, Y = words(counts=True)
    clf = PLTClassifier(n_jobs=1, interactions=None).fit(X, Y)
    assert clf._fitted.row_scaling.power < 1
    assert len(clf._fitted.row_scaling.weights) == 100
    plain = PLTClassifier(n_jobs=1, normalize=False).fit(clf._fitted.row_scaling(X), Y)
    rounded = Layout(*plain.model_._native[0].with_weight_bytes(2))
    np.testing.assert_array_equal(rounded.bytes, clf.model_.layouts[0].bytes)
    with_model(plain, plain.model_._changed(layouts=[rounded]))
    for k in (1, 5):
        found, expected = clf.top_k(X, k), plain.top_k(clf._fitted.row_scaling(X), k)
        np.testing.assert_allclose(found[1], expected[1], atol=1e-4)  # curves of other bits
    row = X[[3]]
    np.testing.assert_array_equal(clf.top_k_row(row.indices, row.data, 5)[1], clf.top_k(X, 5)[1][3])
    explained = clf.explain(row, Y[3][0])
    assert explained.probability == pytest.approx(clf.label_proba(row, [Y[3]]).data[0], rel=1e-5)


def test_words_of_high_affinity_weigh_more_and_accuracy_improves() -> None:
    X, Y = words()
    clf = PLTClassifier(n_jobs=1, interactions=None).fit(X, Y)
    assert clf._fitted.row_scaling.weights[:40].min() > clf._fitted.row_scaling.weights[40:].max()
    plain = PLTClassifier(n_jobs=1, feature_weighting=(1, 0), interactions=None).fit(X, Y)
    new, truth = words(seed=1)
    assert clf.score(new, truth) >= plain.score(new, truth)
    assert plain._fitted.row_scaling.is_plain


def test_exponents_depend_on_the_spread_of_values() -> None:
    X, Y = words()
    rows = as_labels(Y)
    even = find_powers(X, label_affinity(X, rows))
    uneven = find_powers(words(counts=True)[0], label_affinity(X, rows))
    assert even.value == 1
    assert even.affinity > 0
    assert uneven.value == 0.55
    signed = X.copy()
    signed.data = np.where(np.arange(X.nnz) % 2, -1, 1) * words(counts=True)[0].data[: X.nnz]
    assert find_powers(as_features(signed), label_affinity(X, rows)).value == 1


def test_rows_with_a_weight_of_zero_do_not_affect_feature_weights() -> None:
    X, Y = words()
    weight = (np.arange(2000) % 3 > 0).astype(np.float32)
    kept = np.flatnonzero(weight)
    some = PLTClassifier(n_jobs=1, interactions=None).fit(X, Y, sample_weight=weight)
    rest = PLTClassifier(n_jobs=1, interactions=None).fit(X[kept], [Y[i] for i in kept])
    np.testing.assert_array_equal(
        some._fitted.row_scaling.weights, rest._fitted.row_scaling.weights
    )


def test_values_that_contain_the_affinity_need_no_weights() -> None:
    X, Y = words()
    affinity = label_affinity(X, as_labels(Y))
    weighted = RowScaling(weights=(affinity**0.5).astype(np.float32))(X)
    assert find_powers(weighted, affinity).affinity == 0


@pytest.mark.parametrize(
    ("X", "Y"),
    [
        (words(ENOUGH_ROWS - 1)),
        (words(ENOUGH_ROWS)[0], [[i] for i in range(ENOUGH_ROWS)]),  # no label is shared
    ],
)
def test_rows_are_not_weighted_if_nothing_can_be_learned(X, Y) -> None:
    assert learn_scaling(X, as_labels(Y)) is UNIT


def test_dense_features_and_empty_rows_are_accepted() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 5)).astype(np.float32)
    X[::7] = 0
    clf = PLTClassifier().fit(X, [[i % 3] for i in range(1200)])
    assert clf._fitted.row_scaling.power == 1
    nothing = sparse.csr_array((1200, 4), dtype=np.float32)
    assert PLTClassifier().fit(nothing, [[0]] * 1200)._fitted.row_scaling.is_plain


def test_a_model_file_and_a_pickle_keep_the_scaling(tmp_path) -> None:
    X, Y = words(counts=True)
    clf = PLTClassifier(n_jobs=1, interactions=None).fit(X, Y)
    clf.save(tmp_path / "model.lt")
    for copy in (lt.load(tmp_path / "model.lt"), pickle.loads(pickle.dumps(clf))):
        np.testing.assert_array_equal(copy.top_k(X, 3)[1], clf.top_k(X, 3)[1])
    assert "; values to the power of 0.55, weighted by labels" in str(
        summarize(tmp_path / "model.lt")
    )
    plain = PLTClassifier(feature_weighting=(0.5, 0)).fit(X, Y)
    plain.save(tmp_path / "plain.lt")
    assert str(summarize(tmp_path / "plain.lt")).count("values to the power of 0.5\n") == 1
    assert lt.load(tmp_path / "plain.lt")._fitted.row_scaling.power == 0.5


def test_later_training_keeps_the_scaling_of_the_first_fit() -> None:
    X, Y = words(counts=True)
    clf = PLTClassifier(n_jobs=1, warm_start=True, interactions=None).fit(X, Y)
    scaling = clf._fitted.row_scaling
    clf.fit(X[:1500], Y[:1500])
    assert clf._fitted.row_scaling is scaling
    clf.partial_fit(X[:10], Y[:10])
    assert clf._fitted.row_scaling is scaling
    assert clf.score(X, Y) > 0.8
    best = clf.predict_proba_one(X[[0]].indices, X[[0]].data, 1)
    assert best[Y[0][0]] == pytest.approx(clf.top_k(X[[0]], 1)[1][0, 0], abs=1e-3)
    online = PLTClassifier().partial_fit(X, Y)
    assert online._fitted.row_scaling is UNIT
    assert PLTClassifier(normalize=False).partial_fit(X, Y)._fitted.row_scaling is AS_THEY_ARE


@pytest.mark.parametrize("power", [1.0, 0.5])
def test_rows_may_be_scaled_in_place(power: float) -> None:
    X, _ = words(counts=True)
    scaling = RowScaling(power=power, weights=np.linspace(0.1, 1, 100).astype(np.float32))
    expected, own = scaling(X), X.copy()
    scaled = scaling(own, in_place=True)
    assert np.shares_memory(scaled.data, own.data)
    np.testing.assert_array_equal(scaled.data, expected.data)


@pytest.mark.parametrize("form", ["csr32", "csr64", "csc", "coo", "array", "full", "frame"])
def test_fit_does_not_change_x(form: str) -> None:
    X, Y = words(counts=True)
    dense = X.toarray()
    made = {
        "csr32": lambda: X.copy(),
        "csr64": lambda: X.astype(np.float64),
        "csc": lambda: X.tocsc(),
        "coo": lambda: X.tocoo(),
        "array": lambda: dense.copy(),
        "full": lambda: dense + np.float32(0.1),
        "frame": lambda: pytest.importorskip("pandas").DataFrame(dense.copy()),
    }[form]()
    before = made.copy()
    found = PLTClassifier(n_jobs=1, feature_weighting=(0.5, 0.1)).fit(made, Y)
    after, before = ((m.toarray() if sparse.issparse(m) else np.asarray(m)) for m in (made, before))
    np.testing.assert_array_equal(after, before)
    again = PLTClassifier(n_jobs=1, feature_weighting=(0.5, 0.1)).fit(as_features(before), Y)
    np.testing.assert_array_equal(found.model_.layouts[0].bytes, again.model_.layouts[0].bytes)


def test_values_of_a_mapped_file_are_scaled_into_a_file(tmp_path) -> None:
    X, Y = words(counts=True)
    sparse.save_npz(tmp_path / "X.npz", X, compressed=False)
    mapped = read_npz(tmp_path / "X.npz")
    np.save(tmp_path / "values.npy", X.data)
    mapped.data = np.load(tmp_path / "values.npy", mmap_mode="r")
    scaled = RowScaling(power=0.5)(mapped)
    assert isinstance(scaled.data, np.memmap)
    np.testing.assert_array_equal(scaled.data, RowScaling(power=0.5)(X).data)
    expected = PLTClassifier(n_jobs=1, interactions=None).fit(X, Y)
    found = PLTClassifier(n_jobs=1, interactions=None).fit(mapped, Y)
    np.testing.assert_array_equal(found.model_.layouts[0].bytes, expected.model_.layouts[0].bytes)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"power": 3}, "power of row_scaling must lie in 0..2, but is 3"),
        ({"power": -0.5}, "power of row_scaling must lie in 0..2"),
        ({"power": True}, "section 'row_scaling': power must be a number, but is True"),
        ({"power": "1"}, "section 'row_scaling': power must be a number"),
        ({}, "section 'row_scaling': 'power' is missing"),
        ({"power": 1, "shift": 0}, "section 'row_scaling': 'shift' is unknown"),
        ([0.5], "content of section . must be dict"),
    ],
)
def test_a_hostile_scaling_of_a_file_is_refused(tmp_path, value, message) -> None:
    def edit(parts) -> None:
        section(parts, "row_scaling")["content"] = value

    PLTClassifier(feature_weighting=(0.5, 0), interactions=None).fit(*words()).save(
        tmp_path / "model.lt"
    )
    data = edited((tmp_path / "model.lt").read_bytes(), edit)
    with pytest.raises(lt.ModelFileError, match=message):
        lt.load(put(tmp_path, data))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "row_scaling has 3 weights, but there are 100 features"),
        (np.full(100, np.nan), "weights of features must be finite and above 0"),
        (np.zeros(100), "weights of features must be finite and above 0"),
    ],
)
def test_hostile_weights_of_a_file_are_refused(tmp_path, weights, message) -> None:
    clf = PLTClassifier(interactions=None).fit(*words())
    with_state(clf, row_scaling=RowScaling(power=0.5, weights=weights.astype(np.float32)))
    clf.save(tmp_path / "model.lt")
    with pytest.raises(lt.ModelFileError, match=message):
        lt.load(tmp_path / "model.lt")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"feature_weighting": (1,)}, "feature_weighting must be a pair of numbers, but has 1"),
        ({"feature_weighting": (1, -1)}, "feature_weighting must be two numbers from 0 to 2"),
        ({"feature_weighting": (np.nan, 0)}, "feature_weighting must be two numbers from 0 to 2"),
        ({"feature_weighting": (1, 0.5), "normalize": False}, "but normalize is False"),
    ],
)
def test_invalid_exponents_are_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        PLTClassifier(**options).fit([[1.0], [2.0]], [0, 1])


def test_a_word_other_than_auto_is_refused() -> None:
    with pytest.raises(ValueError, match="feature_weighting must be 'auto', a pair of numbers or"):
        PLTClassifier(feature_weighting="best").fit([[1.0], [2.0]], [0, 1])


def test_negative_zeros_stay_zeros() -> None:
    X = sparse.csr_array(np.ones((1, 2), np.float32))
    X.data[0] = -0.0
    scaled = RowScaling(power=0.5)(as_features(X), 1)
    np.testing.assert_array_equal(scaled.toarray(), [[0, 1]])

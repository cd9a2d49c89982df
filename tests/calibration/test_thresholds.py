from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import HSMClassifier, metrics
from labeltree.calibration import decisions, methods
from labeltree.calibration.expected_f1 import best_sizes, expected_f1
from labeltree.calibration.thresholds import (
    Candidates,
    label_thresholds,
    macro_threshold,
    micro_threshold,
)
from labeltree.data import as_features
from tests.calibration.chance_rows import data, fitted
from tests.reference import calibration as reference


@st.composite
def candidates(draw: st.DrawFn) -> Candidates:
    """Pairs of three labels, with ties, and some true rows that are not among the pairs."""
    n = draw(st.integers(0, 12))
    numbers = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    labels = np.array(draw(numbers), np.int32)
    steps = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    p = (np.array(steps) / 10).astype(np.float32)
    hits = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    missed = draw(st.lists(st.integers(0, 2), min_size=3, max_size=3))
    return Candidates(labels, p, hits, np.bincount(labels[hits], minlength=3) + missed)


GRID = [0.01, *(np.float32(step / 10) for step in range(1, 10)), 1.0]


def f1_of_label(pairs: Candidates, j: int, threshold: float) -> float:
    own = pairs.labels == j
    return reference.f1_of_threshold(
        pairs.probabilities[own], pairs.is_true[own], pairs.n_true[j], threshold
    )


@given(candidates())
@settings(deadline=None, max_examples=50)
def test_the_micro_threshold_has_the_best_f1(pairs: Candidates) -> None:
    def f1(threshold: float) -> float:
        total = pairs.n_true.sum()
        return reference.f1_of_threshold(pairs.probabilities, pairs.is_true, total, threshold)

    assert f1(micro_threshold(pairs, 0.5)) == pytest.approx(max(map(f1, GRID)))


@given(candidates())
@settings(deadline=None, max_examples=50)
def test_the_macro_threshold_has_the_best_mean_f1(pairs: Candidates) -> None:
    def f1(threshold: float) -> float:
        return sum(f1_of_label(pairs, j, threshold) for j in range(3))

    assert f1(macro_threshold(pairs, 0.5)) == pytest.approx(max(map(f1, GRID)))


@given(candidates())
@settings(deadline=None, max_examples=50)
def test_without_smoothing_every_label_has_its_best_f1(pairs: Candidates) -> None:
    thresholds = label_thresholds(pairs, 0.5, 0.0)
    for j in range(3):
        best = max(f1_of_label(pairs, j, threshold) for threshold in GRID)
        assert f1_of_label(pairs, j, thresholds[j]) == pytest.approx(best)


@given(candidates(), st.floats(0, 30), st.sampled_from(GRID))
@settings(deadline=None, max_examples=50)
def test_smoothed_thresholds_are_no_worse_than_one_for_all(pairs, smoothing, threshold) -> None:
    thresholds = label_thresholds(pairs, macro_threshold(pairs, 0.5), smoothing)
    same = np.full(3, threshold, np.float32)
    assert pairs.macro_f1(thresholds) >= pairs.macro_f1(same) - 1e-12


def test_strong_smoothing_gives_all_labels_nearly_the_same_threshold() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(2), 500).astype(np.int32)
    p = rng.random(1000).astype(np.float32)
    hits = rng.random(1000) < np.where(labels == 0, p, p**3)
    pairs = Candidates(labels, p, hits, np.bincount(labels[hits]))
    own, smoothed = (label_thresholds(pairs, 0.5, smoothing) for smoothing in (0.0, 1e6))
    assert abs(smoothed[0] - smoothed[1]) < 0.02 < abs(own[0] - own[1])


# Expected F1 ------------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
@settings(deadline=None, max_examples=60)
def test_expected_f1_is_the_mean_over_all_label_sets(p: list[float]) -> None:
    p = sorted(p, reverse=True)
    expected = [reference.expected_f1(p, size) for size in range(1, len(p) + 1)]
    np.testing.assert_allclose(expected_f1(np.array([p]))[0], expected, atol=1e-9)


def test_padding_changes_no_size() -> None:
    rows = np.array([[0.9, 0.5, 0.2], [0.3, 0.0, 0.0], [0.0, 0.0, 0.0]])
    padded = np.hstack([rows, np.zeros((3, 5))])
    assert best_sizes(rows).tolist() == best_sizes(padded).tolist() == [2, 1, 0]


def test_the_sizes_of_many_rows_equal_those_of_single_rows() -> None:
    p = -np.sort(-(np.random.default_rng(0).random((300, 64)) ** 4), axis=1)
    whole = best_sizes(p)
    assert whole.tolist() == [int(best_sizes(row[None])[0]) for row in p]


# Estimators -------------------------------------------------------------------------------------


def test_predict_uses_the_threshold_of_each_label() -> None:
    clf = fitted().tune_thresholds(*data(150, seed=1))
    X, _ = data(60, seed=2)
    every = clf.predict_proba(X).toarray()
    np.testing.assert_array_equal(clf.predict(X).toarray(), every >= clf.thresholds_)
    expected = [np.flatnonzero(row).tolist() for row in every >= clf.thresholds_]
    assert [sorted(row) for row in clf.predict_labels(X)] == expected


def test_micro_f1_has_one_threshold_for_all_labels() -> None:
    clf = fitted().tune_thresholds(*data(150, seed=1), "micro_f1")
    assert len(set(clf.thresholds_.tolist())) == 1
    assert len(clf.thresholds_) == 10


@pytest.mark.parametrize("seed", range(5))
def test_tuning_rows_have_at_least_the_f1_of_threshold_one_half(seed: int) -> None:
    rows = data(100, seed=seed + 1)
    clf = fitted()
    half = clf.predict(rows[0])
    macro = clf.tune_thresholds(*rows, "macro_f1").predict(rows[0])
    micro = clf.tune_thresholds(*rows, "micro_f1").predict(rows[0])
    assert metrics.macro_f1(rows[1], macro) >= metrics.macro_f1(rows[1], half)
    assert metrics.micro_f1(rows[1], micro) >= metrics.micro_f1(rows[1], half)


def test_expected_f1_predicts_the_best_number_of_labels_per_row() -> None:
    clf = fitted().tune_thresholds(*data(150, seed=1), "expected_f1")
    X, _ = data(10, seed=2)
    assert clf.thresholds_ is None
    every = clf.predict_proba(X).toarray()
    predicted = clf.predict(X).toarray()
    for p, row in zip(every, predicted, strict=True):
        order = np.argsort(-p, kind="stable")
        kept = p[order][p[order] >= 0.001].astype(float).tolist()
        size = int(row.sum())
        scores = [reference.expected_f1(kept, s) for s in range(1, len(kept) + 1)]
        assert scores[size - 1] == pytest.approx(max(scores), abs=1e-6)
        assert sorted(order[:size]) == np.flatnonzero(row).tolist()


@pytest.mark.parametrize("objective", ["macro_f1", "expected_f1"])
def test_rows_in_parts_have_the_same_predictions_as_all_at_once(
    objective: str, monkeypatch
) -> None:
    rows = data(150, seed=1)
    clf = fitted().tune_thresholds(*rows, objective)
    X, _ = data(50, seed=2)
    whole, calls = clf.predict(X).toarray(), clf.prediction_cost(X)
    monkeypatch.setattr(methods, "ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(clf.predict(X).toarray(), whole)
    np.testing.assert_array_equal(clf.prediction_cost(X), calls)
    again = fitted().tune_thresholds(*rows, objective)
    np.testing.assert_array_equal(again.predict(X).toarray(), whole)


def test_no_rows_have_no_labels() -> None:
    clf = fitted().tune_thresholds(*data(150, seed=1))
    assert clf.predict(np.empty((0, 12))).shape == (0, 10)
    assert decisions.decide(
        clf.tune_thresholds(*data(150, seed=1), "expected_f1").model_.calibration,
        partial(clf._search, clf._fitted),
        as_features(np.empty((0, 12))),
    )[0].shape == (0, 10)


def test_a_threshold_in_the_call_applies_to_that_call_only() -> None:
    clf = fitted().tune_thresholds(*data(150, seed=1))
    X, _ = data(60, seed=2)
    tuned = clf.predict(X).toarray()
    every = clf.predict_proba(X).toarray()
    np.testing.assert_array_equal(clf.predict(X, threshold=0.3).toarray(), every >= np.float32(0.3))
    np.testing.assert_array_equal(clf.predict(X).toarray(), tuned)


def test_set_params_does_not_touch_tuned_thresholds() -> None:
    clf = fitted().tune_thresholds(*data(150, seed=1))
    X, _ = data(60, seed=2)
    tuned = clf.predict(X).toarray()
    np.testing.assert_array_equal(clf.set_params(threshold=1.0).predict(X).toarray(), tuned)
    assert clf.tune_thresholds(objective=None).predict(X).nnz == 0


def test_calibrate_drops_thresholds() -> None:
    clf = fitted().tune_thresholds(*data(150, seed=1)).calibrate(*data(150, seed=1))
    assert clf.thresholds_ is None


def test_tuning_keeps_the_calibration() -> None:
    clf = fitted().calibrate(*data(300, seed=1))
    X, _ = data(60, seed=2)
    before = clf.predict_proba(X).toarray()
    clf.tune_thresholds(*data(150, seed=1))
    np.testing.assert_array_equal(clf.predict_proba(X).toarray(), before)


def test_an_interrupted_call_does_not_change_the_estimator(monkeypatch) -> None:
    clf = fitted()
    model = clf.model_

    def stop(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(methods, "label_thresholds", stop)
    with pytest.raises(KeyboardInterrupt):
        clf.tune_thresholds(*data(150, seed=1))
    assert clf.model_ is model


def test_classes_have_no_thresholds() -> None:
    clf = HSMClassifier(n_jobs=1).fit([[1, 0], [0, 1]], ["a", "b"])
    with pytest.raises(ValueError, match="y had one class per row"):
        clf.tune_thresholds([[1, 0]], ["a"])

"""Steeper links of nodes with few positive rows."""

from dataclasses import replace

import numpy as np
import pytest

from labeltree import PLTClassifier
from labeltree.data import as_features
from labeltree.metrics import propensities
from labeltree.model import Calibration
from labeltree.training.slope_factors import POWER, factors_of
from tests.estimators.few_rows import data, dense

X, Y = data()


def test_a_factor_is_a_power_of_the_inverse_propensity() -> None:
    counts = np.array([0.0, 1.0, 50.0, 1000.0])
    expected = propensities(counts=counts, n_rows=1000) ** -POWER
    np.testing.assert_allclose(factors_of(counts, 1000), expected, rtol=1e-6)


def test_the_probability_of_the_target_of_negative_rows_does_not_change() -> None:
    slope, intercept = PLTClassifier().fit(X, Y).model_.links(0)
    np.testing.assert_allclose(intercept - slope, 1.5 - 4.0, atol=1e-5)


def test_nodes_with_fewer_rows_have_steeper_links() -> None:
    clf = PLTClassifier(tree="star").fit(X, Y)
    slope, _ = clf.model_.links(0)
    leaves = clf.tree_.leaves
    counts = Y.sum(axis=0)
    order = np.argsort(counts)
    assert (np.diff(slope[leaves][order]) <= 0).all()
    assert slope.min() > 4.0


def test_logistic_nodes_have_no_factors() -> None:
    assert PLTClassifier(loss="logistic").fit(X, Y).model_.calibration.factors is None


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
def test_a_calibration_keeps_the_factors(method: str) -> None:
    clf = PLTClassifier().fit(X, Y)
    before = clf.model_.links(0)[0]
    np.testing.assert_array_equal(clf.calibrate(X, Y, method=method).model_.links(0)[0], before)


def test_the_probabilities_of_fit_are_restored() -> None:
    clf = PLTClassifier().fit(X, Y)
    before = dense(clf, X)
    clf.calibrate(X, Y, method="depth").calibrate(method=None)
    np.testing.assert_array_equal(dense(clf, X), before)


def test_rows_of_a_warm_start_raise_no_factor() -> None:
    clf = PLTClassifier(warm_start=True).fit(X, Y)
    before = clf.model_.calibration.factors[0]
    clf.fit(X[:20], Y[:20])
    assert (clf.model_.calibration.factors[0] <= before).all()


@pytest.mark.parametrize("factor", [0.0, np.nan, np.inf, 1e30])
def test_factors_of_a_file_are_checked(factor: float) -> None:
    clf = PLTClassifier().fit(X, Y)
    meta, arrays = clf.model_.calibration.to_arrays()
    arrays["tree0.factor"] = np.full_like(arrays["tree0.factor"], factor)
    with pytest.raises(ValueError, match="factors of slopes must lie above 0 and up to 1000"):
        Calibration.from_arrays(meta, arrays, [clf.tree_.n_nodes], 20)


def test_factors_give_the_bits_of_the_links_that_they_stand_for() -> None:
    model = PLTClassifier().fit(X, Y).model_
    slope, intercept = model.links(0)
    explicit = model.calibrated(
        replace(model.calibration, slope=[slope], intercept=[intercept], factors=None)
    )
    rows = as_features(X)
    found, expected = (one.search(rows)[0].toarray() for one in (model, explicit))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("factor", [np.nan, np.inf, 0.0, -1.0, 1001.0])
def test_a_factor_out_of_range_is_refused(factor: float) -> None:
    factors = np.array([1.0, factor, 1.0], np.float32)
    with pytest.raises(ValueError, match="factors of slopes must lie above 0 and up to 1000"):
        Calibration.from_arrays({"objective": None}, {"tree0.factor": factors}, [3], 2)

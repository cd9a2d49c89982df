"""The calibration that fit learns from training rows that it holds back at first."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from labeltree import HSMClassifier, PLTClassifier, metrics
from tests.calibration.chance_rows import data

N_ROWS = 3000


def fitted(**options) -> PLTClassifier:
    return PLTClassifier(tree="huffman", n_jobs=1, **options).fit(*data(N_ROWS))


def ece(clf: PLTClassifier) -> float:
    X, Y = data(4000, seed=1)
    return metrics.ece_at_k(Y, *clf.top_k(X, k=5)[:1], 5, clf.top_k(X, k=5)[1])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loss": "logistic"},
        {"n_trees": 2, "tree": "random"},
        {"max_samples": 0.7},
    ],
    ids=str,
)
def test_fit_lowers_the_calibration_error(options: dict) -> None:
    make = {"tree": "huffman", "n_jobs": 1} | options
    fixed, learned = (
        ece(PLTClassifier(**make, validation_fraction=fraction).fit(*data(N_ROWS)))
        for fraction in (None, "auto")
    )
    assert learned < min(fixed, 0.03)


def test_labels_that_are_ranked_again_are_calibrated() -> None:
    clf = fitted(rerank=True)
    assert clf.model_.calibration.is_learned
    assert ece(clf) < 0.04


@pytest.mark.parametrize("normalize_proba", [False, True])
def test_classes_are_calibrated_unless_their_probabilities_sum_to_one(normalize_proba) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((N_ROWS, 4))
    y = np.where(rng.random(N_ROWS) < 0.6, X.argmax(axis=1), rng.integers(0, 4, N_ROWS))
    clf = HSMClassifier(n_jobs=1, normalize_proba=normalize_proba).fit(X, y)
    assert clf.model_.calibration.is_learned != normalize_proba


def test_few_rows_have_the_fixed_curve() -> None:
    clf = PLTClassifier(n_jobs=1).fit(*data(300))
    assert not clf.model_.calibration.is_learned


def test_without_a_validation_fraction_there_is_the_fixed_curve() -> None:
    assert not fitted(validation_fraction=None).model_.calibration.is_learned


@pytest.mark.parametrize("rerank", [False, True])
def test_label_weights_do_not_change_the_curve(rerank: bool) -> None:
    plain, weighted = (fitted(rerank=rerank, label_weighting=p).model_ for p in (None, 0.5))
    assert weighted.calibration.weights is not None
    np.testing.assert_array_equal(weighted.curve.x, plain.curve.x)
    np.testing.assert_array_equal(weighted.curve.y, plain.curve.y)


def test_a_single_pass_learns_from_all_rows() -> None:
    with pytest.warns(match="did not converge"):
        clf = fitted(max_iter=1)
    assert clf.n_iter_ == 1
    assert not clf.model_.calibration.is_learned


def test_any_number_of_threads_gives_the_same_curve() -> None:
    one, two = (fitted(tree_params=None).set_params(n_jobs=n).fit(*data(N_ROWS)) for n in (1, 2))
    np.testing.assert_array_equal(one.model_.curve.y, two.model_.curve.y)


def test_a_warm_start_with_few_rows_keeps_the_curve() -> None:
    clf = fitted(warm_start=True)
    curve = clf.model_.curve
    clf.fit(*data(300, seed=2))
    np.testing.assert_array_equal(clf.model_.curve.y, curve.y)


def test_a_warm_start_without_rankers_does_not_keep_their_curve() -> None:
    clf = fitted(rerank=True).set_params(rerank=False, warm_start=True)
    assert not clf.fit(*data(300, seed=2)).model_.calibration.is_learned


@pytest.mark.parametrize("fraction", [0.0, 0.6, -1.0, "some", np.nan])
def test_an_invalid_fraction_is_refused(fraction: object) -> None:
    message = "validation_fraction must be 'auto', None, or above 0 and up to 0.5, but is"
    with pytest.raises(ValueError, match=message):
        PLTClassifier(validation_fraction=fraction).fit(*data())


def test_other_classifiers_in_nodes_hold_no_rows_back() -> None:
    clf = PLTClassifier(node_estimator=LogisticRegression(), validation_fraction=0.1)
    with pytest.raises(ValueError, match="validation_fraction requires the native solver"):
        clf.fit(*data())

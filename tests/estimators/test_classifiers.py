"""Classifiers in use: predictions, progress, Ctrl-C and a second fit."""

import logging
import os
import signal
import threading

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from labeltree import HSMClassifier, PLTClassifier
from tests.estimators.few_rows import data, dense

# Predictions ------------------------------------------------------------------------------------


def test_top_k_is_padded_beyond_the_number_of_labels() -> None:
    labels, probabilities = PLTClassifier().fit([[1, 0], [0, 1]], [[0], [1]]).top_k([[1, 0]], k=4)
    assert labels.tolist() == [[0, 1, -1, -1]]
    assert probabilities[0, 0] > probabilities[0, 1] > 0
    assert probabilities[0, 2:].tolist() == [0, 0]


def test_predict_proba_keeps_the_k_best_or_those_above_the_threshold() -> None:
    X, Y = data()
    clf = PLTClassifier().fit(X, Y)
    every = dense(clf, X)
    best = clf.predict_proba(X, k=3)
    assert best.has_sorted_indices
    assert (np.diff(best.indptr) == 3).all()
    np.testing.assert_array_equal(best.toarray()[best.toarray() > 0], every[best.toarray() > 0])
    probable = clf.predict_proba(X, threshold=0.2).toarray()
    np.testing.assert_array_equal(probable, np.where(every >= np.float32(0.2), every, 0))


def test_the_default_prediction_cost_is_that_of_predict() -> None:
    X, Y = data()
    clf = PLTClassifier(tree="star").fit(X, Y)
    # the root, because some rows have no label, and all labels of rows whose root is probable
    root = clf.prediction_cost(X, threshold=1.0)
    assert set(root) <= {1, 21}
    np.testing.assert_array_equal(clf.prediction_cost(X), clf.prediction_cost(X, threshold=0.5))
    classes = HSMClassifier(tree="star").fit(X, np.arange(80) % 20)
    assert (classes.prediction_cost(X) == 20).all()


def test_batch_equals_single() -> None:
    X, Y = data()
    clf = PLTClassifier().fit(X, Y)
    singles = [dense(clf, X[[i]]) for i in range(10)]
    np.testing.assert_array_equal(dense(clf, X[:10]), np.vstack(singles))


def test_the_number_of_threads_changes_nothing() -> None:
    X, Y = data()
    one, three = (PLTClassifier(n_jobs=n).fit(X, Y) for n in (1, 3))
    np.testing.assert_array_equal(dense(one, X), dense(three, X))


def test_predicting_before_fit_is_refused() -> None:
    with pytest.raises(NotFittedError):
        PLTClassifier().predict([[1]])
    with pytest.raises(NotFittedError):
        PLTClassifier().top_k([[1]])


# Interaction ------------------------------------------------------------------------------------


def test_verbose_reports_progress(capsys) -> None:
    X, Y = data()
    PLTClassifier(tree="kmeans", n_trees=2, verbose=1).fit(X, Y)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["building trees", "training 2 trees"]


def test_nothing_is_printed_by_default(capsys) -> None:
    PLTClassifier().fit(*data())
    assert capsys.readouterr() == ("", "")


def test_training_is_logged(caplog) -> None:
    with caplog.at_level(logging.INFO, "labeltree"):
        PLTClassifier().fit(*data())
    assert "trained" in caplog.text


def test_ctrl_c_does_not_change_the_estimator() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((4000, 200), dtype=np.float32)
    Y = rng.integers(2, size=(4000, 100), dtype=np.uint8)
    clf = PLTClassifier(tree="star").fit(X[:20], Y[:20, :5])
    before = dict(vars(clf))
    clf.set_params(loss="logistic", C=1000.0, tol=0.0, max_iter=1_000_000)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X, Y)
    finally:
        timer.cancel()
    assert {k: v for k, v in vars(clf).items() if k.endswith("_")} == {
        k: v for k, v in before.items() if k.endswith("_")
    }


def test_a_second_fit_replaces_the_first() -> None:
    pandas = pytest.importorskip("pandas")
    clf = PLTClassifier().fit(pandas.DataFrame({"a": [1, 0], "b": [0, 1]}), [0, 1])
    assert clf.feature_names_in_.tolist() == ["a", "b"]
    clf.fit([[1], [0]], [[0], [1]])
    assert not hasattr(clf, "feature_names_in_")
    assert clf.n_features_in_ == 1

"""Dense and sparse predictions, and the tools of scikit-learn that need dense ones."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, log_loss, ndcg_score
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier, metrics
from labeltree.estimators import output

BOTH = pytest.mark.parametrize("kind", [PLTClassifier, HSMClassifier])


def classes():
    """Rows with one of three classes, and the names of the classes."""
    X, y = make_classification(
        120, n_features=8, n_informative=5, n_classes=3, class_sep=2.0, random_state=0
    )
    return X, np.array(["jam", "milk", "tea"])[y]


def indicator():
    """Rows with any of five labels, as a dense indicator."""
    return make_multilabel_classification(150, n_features=10, n_classes=5, random_state=0)


def lists(Y) -> list[list[str]]:
    return [[f"label{j}" for j in np.flatnonzero(row)] for row in Y]


def sparse_frame(Y) -> pd.DataFrame:
    return pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(Y))


# The form of Y decides ---------------------------------------------------------------------------


@BOTH
def test_probabilities_of_classes_are_dense(kind) -> None:
    X, y = classes()
    found = kind().fit(X, y).predict_proba(X)
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape) == (np.float32, (120, 3))


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, list, pd.DataFrame])
def test_a_dense_indicator_has_dense_predictions(form) -> None:
    X, Y = indicator()
    clf = PLTClassifier().fit(X, form(Y))
    assert type(clf.predict_proba(X)) is np.ndarray
    assert type(clf.predict(X)) is np.ndarray
    assert (clf.predict(X).dtype, clf.predict(X).shape) == (np.int64, Y.shape)


@pytest.mark.parametrize(
    "form",
    [
        sparse.csr_array,
        sparse.csc_matrix,
        sparse_frame,
        lists,
        lt.data.as_labels,
    ],
)
def test_a_sparse_indicator_and_label_lists_have_sparse_predictions(form) -> None:
    X, Y = indicator()
    clf = PLTClassifier().fit(X, form(Y))
    assert type(clf.predict_proba(X)) is sparse.csr_array
    assert type(clf.predict(X)) is sparse.csr_array
    assert clf.predict(X).dtype == np.uint8


def test_dense_and_sparse_predictions_are_equal() -> None:
    X, Y = indicator()
    clf = PLTClassifier().fit(X, Y)
    dense = clf.predict_proba(X), clf.predict(X)
    clf.set_params(sparse_output=True)
    np.testing.assert_array_equal(clf.predict_proba(X).toarray(), dense[0])
    np.testing.assert_array_equal(clf.predict(X).toarray(), dense[1])


def test_sparse_output_false_makes_predictions_of_label_lists_dense() -> None:
    X, Y = indicator()
    clf = PLTClassifier(sparse_output=False).fit(X, lists(Y))
    assert type(clf.predict_proba(X)) is type(clf.predict(X)) is np.ndarray


@BOTH
def test_sparse_output_true_makes_probabilities_of_classes_sparse(kind) -> None:
    X, y = classes()
    clf = kind(sparse_output=True).fit(X, y)
    assert type(clf.predict_proba(X)) is sparse.csr_array
    assert clf.predict(X).shape == (120,)


@pytest.mark.parametrize("limit", [{"k": 2}, {"threshold": 0.3}])
def test_probabilities_with_a_limit_are_sparse(limit) -> None:
    X, Y = indicator()
    assert type(PLTClassifier().fit(X, Y).predict_proba(X, **limit)) is sparse.csr_array


def test_the_form_is_that_of_the_first_partial_fit() -> None:
    X, Y = indicator()
    clf = PLTClassifier().partial_fit(X[:50], Y[:50]).partial_fit(X[50:], sparse.csr_array(Y[50:]))
    assert type(clf.predict(X)) is np.ndarray
    other = PLTClassifier().partial_fit(X[:50], sparse.csr_array(Y[:50])).partial_fit(X, Y)
    assert type(other.predict(X)) is sparse.csr_array


def test_partial_fit_and_rebuild_tree_keep_the_form_of_fit() -> None:
    X, Y = indicator()
    clf = PLTClassifier().fit(X, Y).partial_fit(X[:9], Y[:9]).rebuild_tree(X, Y, tree="huffman")
    assert type(clf.predict_proba(X)) is np.ndarray


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("sparse_output", ["auto", True, False])
def test_the_form_survives_saving(form, sparse_output, tmp_path) -> None:
    X, Y = indicator()
    clf = PLTClassifier(sparse_output=sparse_output).fit(X, form(Y))
    clf.save(tmp_path / "model.lt")
    loaded = lt.load(tmp_path / "model.lt")
    assert loaded.sparse_output == sparse_output
    assert type(loaded.predict(X)) is type(clf.predict(X))
    assert type(loaded.predict_proba(X)) is type(clf.predict_proba(X))


def test_calibrate_and_quantize_keep_the_form() -> None:
    X, Y = indicator()
    clf = PLTClassifier().fit(X[:99], Y[:99]).calibrate(X[99:], Y[99:]).quantize()
    assert type(clf.tune_thresholds(X[99:], Y[99:]).predict(X)) is np.ndarray


def test_an_unknown_sparse_output_is_refused() -> None:
    with pytest.raises(ValueError, match='sparse_output must be "auto", True or False, but is 1'):
        PLTClassifier(sparse_output=1).fit(*classes())


# Results that are too large ----------------------------------------------------------------------


def test_too_many_dense_probabilities_are_refused_with_the_remedies(monkeypatch) -> None:
    X, y = classes()
    clf = HSMClassifier().fit(X, y)
    monkeypatch.setattr(output, "MAX_TABLE_BYTES", 3 * 4 * 119)
    assert clf.predict_proba(X[1:]).shape == (119, 3)
    rule = "a dense result of predict_proba must have at most .*, but 120 rows x 3 labels have .*;"
    with pytest.raises(ValueError, match=f"{rule} pass k, threshold or fewer rows, or set sparse"):
        clf.predict_proba(X)
    assert clf.predict_proba(X, k=1).nnz == 120
    assert clf.set_params(sparse_output=True).predict_proba(X).nnz == 360


def test_too_large_a_dense_indicator_is_refused_with_the_remedies(monkeypatch) -> None:
    X, Y = indicator()
    clf = PLTClassifier().fit(X, Y)
    monkeypatch.setattr(output, "MAX_TABLE_BYTES", 8 * Y.size - 1)
    with pytest.raises(ValueError, match="set sparse_output=True, or call predict_labels"):
        clf.predict(X)
    assert len(clf.predict_labels(X)) == 150
    assert clf.score(X, Y) > 0  # needs no dense array


# Tools of scikit-learn ---------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr", "accuracy", "f1_macro"])
def test_classes_are_scored_by(kind, scoring: str) -> None:
    scores = cross_val_score(kind(), *classes(), scoring=scoring)
    assert (scores > (-1.0 if scoring == "neg_log_loss" else 0.7)).all()


@pytest.mark.parametrize("scoring", ["average_precision", "roc_auc", "f1_micro", "accuracy"])
def test_a_dense_indicator_is_scored_by(scoring: str) -> None:
    assert (cross_val_score(PLTClassifier(), *indicator(), scoring=scoring) > 0).all()


@BOTH
def test_log_loss_takes_the_probabilities_of_classes(kind) -> None:
    X, y = classes()
    assert 0 < log_loss(y, kind().fit(X, y).predict_proba(X)) < 0.8


def test_ndcg_and_average_precision_take_the_probabilities_of_an_indicator() -> None:
    X, Y = indicator()
    found = PLTClassifier().fit(X, Y).predict_proba(X)
    assert ndcg_score(Y, found) > 0.8
    assert average_precision_score(Y, found) > 0.6


@BOTH
def test_calibrated_classifier_cv_takes_an_estimator(kind) -> None:
    X, y = classes()
    clf = CalibratedClassifierCV(kind(), cv=3).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1, rtol=1e-5)
    assert clf.score(X, y) > 0.8


@BOTH
def test_stacking_classifier_takes_an_estimator(kind) -> None:
    X, y = classes()
    clf = StackingClassifier([("tree", kind())], LogisticRegression(), cv=3).fit(X, y)
    assert clf.score(X, y) > 0.8


@BOTH
def test_one_vs_rest_classifier_takes_an_estimator(kind) -> None:
    X, y = classes()
    clf = OneVsRestClassifier(kind()).fit(X, y)
    assert clf.predict_proba(X).shape == (120, 3)
    assert clf.score(X, y) > 0.8


def test_one_vs_rest_classifier_takes_an_indicator() -> None:
    X, Y = indicator()
    assert OneVsRestClassifier(HSMClassifier()).fit(X, Y).predict(X).shape == Y.shape


def test_cross_val_predict_returns_probabilities() -> None:
    X, Y = indicator()
    found = cross_val_predict(PLTClassifier(), X, Y, method="predict_proba")
    assert found.shape == Y.shape


def test_set_output_names_the_columns_of_a_pipeline_and_of_a_stack() -> None:
    X, y = classes()
    frame = pd.DataFrame(X).add_prefix("x")
    clf = make_pipeline(StandardScaler(), HSMClassifier()).set_output(transform="pandas")
    assert clf.fit(frame, y)[-1].feature_names_in_.tolist() == list(frame.columns)
    stack = StackingClassifier([("tree", HSMClassifier())], cv=3).set_output(transform="pandas")
    columns = stack.fit(frame, y).transform(frame).columns
    assert columns.tolist() == [f"stackingclassifier_tree{j}" for j in range(3)]


def test_metrics_take_dense_predictions() -> None:
    X, Y = indicator()
    clf = PLTClassifier().fit(X, Y)
    proba, predicted = clf.predict_proba(X), clf.predict(X)
    found = metrics.evaluate(Y, proba, ks=[1], probabilities=True, predicted=predicted)
    assert found["P@1"] == metrics.precision_at_k(Y, clf.top_k(X, 1)[0], 1)

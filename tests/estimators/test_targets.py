"""Forms of Y, and predictions in the same form."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from labeltree import HSMClassifier, PLTClassifier
from labeltree.data import as_labels
from labeltree.model import Model
from labeltree.training.nodes import NEVER
from tests.estimators.few_rows import data, dense
from tests.fitted import with_model


def test_predictions_for_an_indicator_are_an_indicator() -> None:
    X, Y = data()
    clf = PLTClassifier(threshold=0.3).fit(X, Y)
    predicted = clf.predict(X)
    assert predicted.dtype == np.uint8
    assert predicted.has_sorted_indices
    np.testing.assert_array_equal(predicted.toarray(), dense(clf, X) >= np.float32(0.3))


def test_all_forms_of_multi_label_y_make_the_same_model() -> None:
    X, Y = data()
    lists = [[f"label{j:02}" for j in as_labels(Y).row(i)] for i in range(80)]
    by_matrix, by_array, by_names = (
        PLTClassifier().fit(X, form) for form in (Y, Y.toarray(), lists)
    )
    np.testing.assert_array_equal(dense(by_matrix, X), dense(by_array, X))
    np.testing.assert_array_equal(dense(by_matrix, X), dense(by_names, X))
    assert by_names.classes_[3] == "label03"


def test_predict_labels_names_the_predicted_labels_best_first() -> None:
    X = [[1, 0], [1, 0], [1, 0], [0, 1]]
    clf = PLTClassifier(threshold=0.1).fit(X, [["tea"], ["tea", "milk"], ["tea"], ["bread"]])
    assert clf.predict_labels([[1, 0]]) == [["tea", "milk"]]
    assert clf.predict([[1, 0]]).toarray().tolist() == [[0, 1, 1]]


@pytest.mark.parametrize("kind", [PLTClassifier, HSMClassifier])
def test_classes_are_predicted_by_the_most_probable_class(kind) -> None:
    X, _ = data()
    y = np.array(["a", "b", "c", "d"])[np.random.default_rng(0).integers(4, size=80)]
    clf = kind().fit(X, y)
    assert clf.predict(X).dtype == y.dtype
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[dense(clf, X).argmax(axis=1)])


def test_probabilities_of_classes_sum_to_one_by_default() -> None:
    X, _ = data()
    y = np.arange(80) % 7
    np.testing.assert_allclose(dense(HSMClassifier().fit(X, y), X).sum(axis=1), 1, atol=1e-6)
    clf = HSMClassifier(normalize_proba=False).fit(X, y)
    np.testing.assert_allclose(
        clf.top_k(X, k=7)[1].sum(axis=1), dense(clf, X).sum(axis=1), rtol=1e-5
    )


def test_a_row_of_zero_probabilities_is_divided_evenly() -> None:
    clf = HSMClassifier(normalize=False, intercept_scaling=0.0).fit([[1.0], [-1.0]], [0, 1])
    weights = clf.model_.layouts
    weights[0].bias[:] = NEVER
    with_model(clf, Model(clf.model_.trees, weights, "squared_hinge", 1, has_root=False))
    assert dense(clf, [[100.0]]).tolist() == [[0.5, 0.5]]


def test_the_softmax_accepts_an_indicator_with_one_label_per_row() -> None:
    clf = HSMClassifier().fit([[1, 0], [0, 1]], sparse.csr_array([[0, 1], [1, 0]]))
    assert clf.predict([[1, 0]]).tolist() == [1]


def objects(*values) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array


@pytest.mark.parametrize(
    "y",
    [
        [["a"], ["b", "c"]],
        objects({"a"}, {"b", "c"}),
        sparse.csr_array([[1, 1], [0, 1]]),
        as_labels([[0], []]),
    ],
    ids=["lists", "array of sets", "indicator", "label rows"],
)
def test_the_softmax_refuses_rows_with_several_labels(y) -> None:
    with pytest.raises(ValueError, match=r"one class for each row.*use PLTClassifier"):
        HSMClassifier().fit([[1, 0], [0, 1]], y)


def test_an_array_of_one_column_is_classes() -> None:
    with pytest.warns(DataConversionWarning):
        clf = PLTClassifier().fit([[1, 0], [0, 1]], np.array([[5], [7]]))
    assert clf.predict([[1, 0]]).tolist() == [5]

"""Nested lists as Y: a 0/1 table, or lists of labels."""

import numpy as np
import pytest

from labeltree import PLTClassifier, metrics
from labeltree.data import as_labels
from labeltree.data.nested_lists import form_of_lists

TABLE = np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]])
X = np.eye(3)


@pytest.mark.parametrize("dtype", [int, bool, float, np.uint8])
@pytest.mark.parametrize("rows", [np.ndarray.tolist, list, lambda Y: tuple(map(tuple, Y))])
def test_a_table_of_0_and_1_as_lists_is_an_indicator(dtype, rows) -> None:
    labels = as_labels(rows(TABLE.astype(dtype)))
    assert (labels.kind, labels.is_dense, labels.n_labels) == ("indicator", True, 3)
    assert labels.to_csr().toarray().tolist() == TABLE.tolist()


def test_fit_of_a_table_as_lists_equals_fit_of_the_array() -> None:
    by_lists, by_array = (PLTClassifier().fit(X, Y) for Y in (TABLE.tolist(), TABLE))
    assert by_lists.label_kind_ == "indicator"
    np.testing.assert_array_equal(by_lists.predict_proba(X), by_array.predict_proba(X))


@pytest.mark.parametrize(
    "Y",
    [
        [[0, 1], [1]],  # not the same length
        [[0], [1], [0]],  # one column
        [[0, 2], [1, 0]],  # a label 2
        [["0", "1"], ["1", "0"]],
        [{0, 1}, {0, 1}],
        [[], []],
    ],
)
def test_other_nested_lists_are_label_lists(Y) -> None:
    assert as_labels(Y).kind == "sets"


@pytest.mark.parametrize("Y", [[[0, 1], [1, 0]], [[1, 0]], [(0, 1)] * 3, [np.array([0, 1])]])
def test_lists_that_could_be_both_are_refused_for_training_with_both_readings(Y) -> None:
    assert form_of_lists(Y) == "ambiguous"
    message = r"pass np.array\(Y\) for an indicator with two columns, or sets such as \{0, 1\} for"
    with pytest.raises(ValueError, match=message):
        PLTClassifier().fit(np.eye(len(Y)), Y)
    with pytest.raises(ValueError, match=message):
        PLTClassifier().partial_fit(np.eye(len(Y)), Y)
    assert as_labels(Y).kind == "sets"  # as everywhere else


def test_a_refused_fit_is_answered_by_either_remedy() -> None:
    Y = [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="could be both"):
        PLTClassifier().fit(X[:2], Y)
    assert PLTClassifier().fit(X[:2], np.array(Y)).label_kind_ == "indicator"
    assert PLTClassifier().fit(X[:2], [set(row) for row in Y]).label_kind_ == "sets"


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        ({"n_labels": 5}, "sets"),  # a table would have 5 columns
        ({"names": ["milk", "tea"]}, "indicator"),  # 0 and 1 are not labels
        ({"names": [0, 1, 2]}, "sets"),
    ],
)
def test_known_labels_decide(known, kind: str) -> None:
    assert as_labels([[0, 1], [1, 0]], **known).kind == kind


@pytest.mark.parametrize(("Y", "score"), [(np.eye(2, dtype=int), 1.0), ([{0}, {1}], 0.0)])
def test_a_fitted_model_reads_lists_in_the_form_of_fit(Y, score: float) -> None:
    clf = PLTClassifier(C=100.0).fit(np.eye(2), Y)
    assert clf.score(np.eye(2), [[1, 0], [0, 1]]) == score
    assert clf.label_proba(np.eye(2), [[1, 0], [0, 1]]).nnz == (2 if score else 4)
    assert clf.partial_fit(np.eye(2), [[1, 0], [0, 1]]).n_rows_ == 4


def test_label_numbers_decide_in_metrics() -> None:
    assert metrics.precision_at_k([[0, 1], [0, 1]], [[0, 2], [2, 0]], 1) == 0.5


def test_labels_that_cannot_be_hashed_are_named() -> None:
    with pytest.raises(TypeError, match="row 0 of Y"):
        as_labels([[[0], [1]]])

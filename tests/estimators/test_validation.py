"""Invalid arguments, and unusual valid data."""

import numpy as np
import pytest
from scipy import sparse

from labeltree import HSMClassifier, PLTClassifier, trees
from tests.estimators.few_rows import data, dense


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tree": "oak"}, ValueError, "tree must be one of auto, star, .*, but is 'oak'"),
        (
            {"tree": 3},
            TypeError,
            "tree must be a name, a LabelTree .*, but is or contains int",
        ),
        ({"tree": []}, ValueError, "tree must contain at least one name or LabelTree"),
        ({"tree": trees.star(3)}, ValueError, "20 labels, but 3 are expected"),
        ({"tree": trees.star(20), "n_trees": 2}, ValueError, "n_trees is 2, but 1 trees are given"),
        (
            {"tree": trees.star(20), "tree_params": {"arity": 2}},
            ValueError,
            "require a tree by name",
        ),
        ({"tree": "kmeans", "tree_params": {"arty": 2}}, ValueError, "arty"),
        ({"n_trees": 0}, ValueError, "n_trees must be at least 1, but is 0"),
        ({"n_trees": 1.5}, TypeError, "n_trees must be an integer or None, but is 1.5"),
        ({"max_samples": 0.0}, ValueError, "max_samples must lie above 0 and up to 1, but is 0.0"),
        ({"max_samples": 2}, ValueError, "max_samples must lie above 0 and up to 1, but is 2"),
        ({"loss": "hinge"}, ValueError, "loss must be one of squared_hinge, logistic"),
        ({"C": -1.0}, ValueError, "C must be above 0, but is -1.0"),
        ({"C": "best"}, ValueError, "C must be a number or 'auto', but is 'best'"),
        ({"threshold": 1.5}, ValueError, "threshold must lie in 0..1, but is 1.5"),
        ({"class_weight": "even"}, ValueError, 'class_weight must be "balanced"'),
        ({"pos_neg_weight": (1, 2, 3)}, ValueError, "pos_neg_weight must be a pair .* has 3"),
        ({"class_weight": (2.0, 0.5)}, TypeError, "set factors of C with pos_neg_weight"),
        ({"C_decay": 0.1}, TypeError, "C_decay must be a pair of numbers, but is 0.1"),
        ({"C_decay": [0.1]}, ValueError, "C_decay must be a pair of numbers, but has 1"),
        ({"class_weight": 3}, TypeError, "class_weight must be .*, but is int"),
        ({"class_weight": {99: 2.0}}, ValueError, "class_weight must name labels of Y, but 99"),
        ({"class_weight": {0: -2.0}}, ValueError, "class_weight must be finite and at least 0"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be a number of threads"),
        ({"random_state": -1}, ValueError, "random_state must be at least 0, but is -1"),
        ({"max_memory": "many"}, ValueError, 'such as "60s" or "500MB"'),
        ({"max_memory": -5}, ValueError, "memory must be finite and above 0"),
    ],
)
def test_parameters_are_checked_in_fit(options, error, message) -> None:
    clf = PLTClassifier(**options)
    with pytest.raises(error, match=message):
        clf.fit(*data())
    assert not hasattr(clf, "model_")


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((0, 3)), [], r"0 sample\(s\)"),
        (np.ones((2, 0)), [0, 1], r"0 feature\(s\)"),
        ([[1.0], [np.nan]], [0, 1], "X must not contain NaN or inf, but row 1, column 0 is NaN"),
        ([[1.0], [2.0]], [0, 1, 2], "X has 2 rows, but Y has 3"),
        ([[1.0], [2.0]], [[], []], "Y must have at least one label, but has none"),
        ([[1.0], [2.0]], None, "y is None"),
        ([[1.0], [2.0]], [0.0, np.nan], "label NaN"),
        ([[1.0], [2.0]], np.array([0.5, 0.7]), "continuous"),
    ],
)
def test_data_is_checked(X, y, message) -> None:
    with pytest.raises(ValueError, match=message):
        PLTClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0], r"sample_weight must have one number for each of 2 rows, but its shape is \(1,\)"),
        ([1.0, -1.0], "sample_weight must be finite and at least 0, but number 1 is -1.0"),
        ([1.0, np.nan], "sample_weight must be finite"),
        ([0.0, 0.0], "all weights are zero"),
    ],
)
def test_weights_are_checked(weight, message) -> None:
    with pytest.raises(ValueError, match=message):
        PLTClassifier().fit([[1], [2]], [0, 1], sample_weight=weight)


def test_another_number_of_columns_in_a_search_is_refused() -> None:
    clf = PLTClassifier().fit([[1], [2]], [0, 1])
    with pytest.raises(ValueError, match="X has 2 features, but PLTClassifier is expecting 1"):
        clf.predict([[1, 2]])


def test_search_parameters_are_checked() -> None:
    clf = PLTClassifier().fit([[1], [2]], [0, 1])
    with pytest.raises(ValueError, match="k must be at least 1, but is 0"):
        clf.top_k([[1]], k=0)
    with pytest.raises(ValueError, match="k must be at least 1, but is -1"):
        clf.predict_proba([[1]], k=-1)
    with pytest.raises(ValueError, match=r"threshold must lie in 0\.\.1, but is 2"):
        clf.predict_proba([[1]], threshold=2)


def test_one_label_for_all_rows_is_certain() -> None:
    assert HSMClassifier().fit([[1], [2]], ["a", "a"]).predict([[5]]).tolist() == ["a"]
    assert dense(PLTClassifier().fit([[1], [2]], sparse.csr_array([[1], [1]])), [[5]]) == 1


def test_a_single_label_is_learned() -> None:
    clf = PLTClassifier().fit([[1, 0], [0, 1]], sparse.csr_array([[1], [0]]))
    assert clf.predict([[1, 0], [0, 1]]).toarray().tolist() == [[1], [0]]


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_labels_that_no_row_has_are_impossible(loss: str) -> None:
    clf = PLTClassifier(loss=loss).fit([[1], [2]], sparse.csr_array([[1, 0], [1, 0]]))
    assert clf.predict_proba([[1]])[0, 0] > 0.5
    assert clf.predict_proba([[1]])[0, 1] == 0
    clf = PLTClassifier(loss=loss).fit([[1], [2]], sparse.csr_array((2, 3)))
    assert dense(clf, [[1]]).tolist() == [[0, 0, 0]]


def test_a_row_without_features_gets_the_most_frequent_labels() -> None:
    X = [[1, 0], [1, 0], [1, 0], [0, 1]]
    clf = HSMClassifier().fit(X, ["often", "often", "often", "rare"])
    assert clf.predict(sparse.csr_array((1, 2))).tolist() == ["often"]


def test_no_rows_give_empty_results() -> None:
    clf = PLTClassifier().fit([[1], [2]], [[0], [1]])
    no_rows = np.empty((0, 1))
    assert clf.predict(no_rows).shape == (0, 2)
    assert clf.top_k(no_rows, k=3)[0].shape == (0, 3)
    assert clf.predict_labels(no_rows) == []


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_rows_without_features_or_bias_give_finite_probabilities(loss: str) -> None:
    X, Y = data()
    clf = PLTClassifier(loss=loss, intercept_scaling=0.0).fit(X, Y)
    assert np.isfinite(dense(clf, X)).all()
    assert len(clf.model_.weights().values) > 0

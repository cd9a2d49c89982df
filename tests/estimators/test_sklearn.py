"""The requirements of scikit-learn for a classifier."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from labeltree import HSMClassifier, PLTClassifier, trees
from labeltree.metrics import precision_scorer

# LinearSVC(dual=True) fails the same checks.
_WEIGHTS = "rows are visited in another order, and the solver stops short of the optimum in float32"
_EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": _WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": _WEIGHTS,
}


# Some checks multiply C by sample weights of 3 or 1,000, or set max_iter to 1.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        HSMClassifier(n_jobs=1),
        HSMClassifier(tree="kmeans", n_trees=2, loss="logistic", n_jobs=1),
        PLTClassifier(n_jobs=1),
    ],
    expected_failed_checks=lambda _: _EXPECTED,
)
def test_scikit_learn_check(estimator, check) -> None:
    check(estimator)


TEXTS = ["tea milk", "tea", "milk tea sugar", "bread", "bread jam", "jam bread butter"] * 3
TAGS = [["drink"], ["drink"], ["drink", "sweet"], ["food"], ["food", "sweet"], ["food"]] * 3


def indicator():
    names = ["drink", "food", "sweet"]
    return sparse.csr_array([[int(name in tags) for name in names] for tags in TAGS])


def test_a_pipeline_from_text_to_names() -> None:
    pipeline = make_pipeline(TfidfVectorizer(), PLTClassifier(C=10.0)).fit(TEXTS, TAGS)
    assert pipeline[-1].predict_labels(pipeline[0].transform(["tea", "bread"])) == [
        ["drink"],
        ["food"],
    ]


def test_grid_search_by_precision_finds_the_better_c() -> None:
    pipeline = make_pipeline(TfidfVectorizer(), PLTClassifier())
    grid = {"pltclassifier__max_nonzeros": [None, 1], "pltclassifier__C": [1e-6, 10.0]}
    search = GridSearchCV(pipeline, grid, scoring=precision_scorer(k=1), cv=KFold(3))
    search.fit(TEXTS, indicator())
    assert search.best_params_["pltclassifier__C"] == 10.0
    assert search.best_score_ == 1.0


def test_cross_val_score_of_label_lists() -> None:
    pipeline = make_pipeline(TfidfVectorizer(), PLTClassifier())
    scores = cross_val_score(pipeline, TEXTS, TAGS, scoring=precision_scorer(k=1), cv=KFold(3))
    assert scores.tolist() == [1.0, 1.0, 1.0]


def test_the_precision_scorer_counts_unknown_labels_as_missed() -> None:
    clf = PLTClassifier().fit([[1, 0], [0, 1]], [["tea"], ["bread"]])
    assert precision_scorer(k=1)(clf, [[1, 0], [0, 1]], [["tea"], ["cake"]]) == 0.5


def test_score_is_the_share_of_rows_with_all_labels_correct() -> None:
    X = [[1, 0], [0, 1], [1, 0], [0, 1]]
    clf = PLTClassifier(C=100.0).fit(X, [["tea"], ["bread"]] * 2)
    assert clf.score(X, [["tea"], ["bread"], ["tea", "cake"], ["tea"]]) == 0.5


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_a_copy_predicts_the_same(copied) -> None:
    X = TfidfVectorizer().fit_transform(TEXTS)
    clf = PLTClassifier(tree="kmeans", tree_params={"max_leaf_size": 1}, n_trees=2).fit(X, TAGS)
    np.testing.assert_array_equal(
        copied(clf).predict_proba(X).toarray(), clf.predict_proba(X).toarray()
    )


def test_a_clone_has_the_parameters_and_no_model() -> None:
    clf = PLTClassifier(C=3.0, tree=trees.star(2)).fit([[1], [2]], [0, 1])
    other = clone(clf)
    assert other.get_params() == clf.get_params()
    assert not hasattr(other, "model_")

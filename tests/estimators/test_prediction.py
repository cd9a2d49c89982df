import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from labeltree import PLTClassifier


def sample(n_trees: int = 1, **options):
    """A fitted estimator over named labels, and float32 rows that do not have length 1."""
    rng = np.random.default_rng(3)
    X = sparse.random_array((60, 9), density=0.4, rng=rng, dtype=np.float64).astype(np.float32)
    Y = [[f"t{j}" for j in range(7) if rng.random() < 0.3] for _ in range(60)]
    return PLTClassifier(n_trees=n_trees, tree="random", **options).fit(X, Y), sparse.csr_array(X)


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("k", [1, 3, 9])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])  # with a curve and without
def test_top_k_of_one_row_equals_top_k_of_many(n_trees: int, k: int, loss: str) -> None:
    clf, X = sample(n_trees, loss=loss)
    labels, probabilities = clf.top_k(X, k)
    for i in (0, 7, 59):
        row = X[[i]]
        row.sum_duplicates()
        for one in (clf.top_k(row, k), clf.top_k_row(row.indices, row.data, k)):
            np.testing.assert_array_equal(np.ravel(one[0]), labels[i])
            np.testing.assert_array_equal(np.ravel(one[1]), probabilities[i])


@pytest.mark.parametrize("beam", [1, 2, 5])
def test_top_k_of_one_row_supports_a_beam(beam: int) -> None:
    clf, X = sample()
    labels, probabilities = clf.top_k(X, 3, beam=beam)
    for i in (0, 7, 59):
        row = X[[i]]
        row.sum_duplicates()
        for one in (
            clf.top_k(row, 3, beam=beam),
            clf.top_k_row(row.indices, row.data, 3, beam=beam),
        ):
            np.testing.assert_array_equal(np.ravel(one[0]), labels[i])
            np.testing.assert_array_equal(np.ravel(one[1]), probabilities[i])


@pytest.mark.parametrize(
    ("n_trees", "beam", "message"),
    [
        (1, 0, "beam must be at least 1, but is 0"),
        (2, 3, "beam requires one tree, but the model has"),
    ],
)
def test_top_k_row_refuses_an_invalid_beam(n_trees, beam, message) -> None:
    clf, X = sample(n_trees)
    with pytest.raises(ValueError, match=message):
        clf.top_k_row(X[[0]].indices, X[[0]].data, beam=beam)


def test_top_k_row_supports_online_models() -> None:
    clf, X = sample()
    learning = PLTClassifier().partial_fit(X, clf.predict_labels(X))
    found = learning.top_k_row(X[[0]].indices, X[[0]].data, 2)
    np.testing.assert_array_equal(found[0], learning.top_k(X, 2)[0][0])


@pytest.mark.parametrize(
    ("indices", "values", "k", "message"),
    [
        ([9], [1.0], 1, "feature 9 is outside 0..8"),
        ([-1], [1.0], 1, "feature -1 is outside 0..8"),
        ([2], [np.nan], 1, "X must not contain NaN or inf, but feature 2 does"),
        ([2, 3], [1.0], 1, "every feature of a row has one value"),
        ([2], [1.0], 0, "k must be at least 1, but is 0"),
    ],
)
def test_top_k_row_checks_its_arguments(indices, values, k, message) -> None:
    clf, _ = sample()
    with pytest.raises(ValueError, match=message):
        clf.top_k_row(np.array(indices, np.int32), np.array(values, np.float32), k)


def test_top_k_row_requires_fit() -> None:
    with pytest.raises(NotFittedError):
        PLTClassifier().top_k_row(np.zeros(1, np.int32), np.ones(1, np.float32))


def test_top_k_is_restricted_to_given_labels() -> None:
    clf, X = sample()
    every = clf.predict_proba(X).toarray()
    labels, probabilities = clf.top_k(X, 2, labels=["t1", "t4", "t6"])
    assert set(clf.classes_[labels.ravel()]) <= {"t1", "t4", "t6"}
    chosen = every[:, np.isin(clf.classes_, ["t1", "t4", "t6"])]
    np.testing.assert_array_equal(probabilities, -np.sort(-chosen, axis=1)[:, :2])
    with pytest.raises(ValueError, match="labels must be among classes_, but 'tea' is not"):
        clf.top_k(X, labels=["tea"])


@pytest.mark.parametrize("n_trees", [1, 3])
def test_top_k_ranks_by_weight_times_probability(n_trees: int) -> None:
    clf, X = sample(n_trees)
    weights = np.linspace(0.5, 2.0, 7)
    every = clf.predict_proba(X).toarray() * weights
    labels, probabilities = clf.top_k(X, 3, weights=weights)
    best = -np.sort(-every, axis=1)[:, :3]
    np.testing.assert_allclose(probabilities * weights[labels], best, rtol=1e-6)


def test_label_proba_returns_the_probabilities_of_given_labels() -> None:
    clf, X = sample(n_trees=2)
    every = clf.predict_proba(X).toarray()
    wanted = [["t3"], [], ["t0", "t6"]]
    found = clf.label_proba(X[:3], wanted)
    assert found.shape == (3, 7)
    np.testing.assert_array_equal(found.toarray()[0, 3], every[0, 3])
    np.testing.assert_array_equal(found.toarray()[2, [0, 6]], every[2, [0, 6]])
    assert found.nnz == 3
    with pytest.raises(ValueError, match="Y must have labels of classes_ only"):
        clf.label_proba(X[:1], [["wine"]])


def test_a_beam_requires_one_tree() -> None:
    clf, X = sample(n_trees=2)
    with pytest.raises(ValueError, match="beam requires one tree, but the model has 2"):
        clf.top_k(X, beam=3)


def test_a_quantized_model_predicts_nearly_the_same() -> None:
    clf, X = sample(n_trees=2)
    before = clf.predict_proba(X).toarray()
    assert clf.quantize() is clf
    np.testing.assert_allclose(clf.predict_proba(X).toarray(), before, atol=0.05)
    again = clf.predict_proba(X).toarray()
    np.testing.assert_array_equal(clf.quantize().predict_proba(X).toarray(), again)


def test_only_native_nodes_are_quantized() -> None:
    clf = PLTClassifier(node_estimator=LogisticRegression()).fit([[1, 0], [0, 1]], [["a"], ["b"]])
    with pytest.raises(ValueError, match="quantize is for native nodes"):
        clf.quantize()

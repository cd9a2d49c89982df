"""Training that starts from the weights of a model."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB

from labeltree import LabelTree, PLTClassifier, TextTagger
from labeltree.data import as_features, as_labels
from labeltree.model import Model
from labeltree.model.layout import NodeWeights
from labeltree.training.loss_weights import NodeCounts
from labeltree.training.nodes import NEVER, train_nodes
from labeltree.training.solver_settings import SolverSettings
from labeltree.training.starting_weights import WarmStart
from tests.reference import training as reference

TREE = LabelTree.from_nested([[0, 1], 2])
EXACT = {"tol": 1e-5, "max_iter": 3000, "weight_threshold": 0.0}


def rows(n_rows: int = 40, seed: int = 0, n_labels: int = 3):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n_rows, 8), density=0.5, rng=rng, dtype=np.float64)
    Y = (rng.random((n_rows, n_labels)) < 0.4).astype(np.uint8)
    Y[~Y.any(axis=1), 0] = 1
    return as_features(X), as_labels(Y)


def start(rows_before: int = 40) -> WarmStart:
    rng = np.random.default_rng(9)
    n = TREE.n_nodes
    weights = NodeWeights(
        np.arange(n + 1, dtype=np.int64) * 8,
        np.tile(np.arange(8, dtype=np.int32), n),
        rng.normal(size=8 * n).astype(np.float32),
        rng.normal(size=n).astype(np.float32),
    )
    is_known = np.array([True, True, True, True, False])
    return WarmStart(weights, is_known, rows_before, has_root=False)


def trained(X, Y, loss: str, begin: WarmStart, n_threads: int = 1) -> NodeWeights:
    settings = SolverSettings(loss=loss, **EXACT)
    layout = train_nodes(TREE, X, Y, settings, warm_start=begin, n_threads=n_threads).layout
    return Model([TREE], [layout], loss, 8, has_root=False).weights()


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_weights_minimize_their_distance_from_the_start_and_the_loss(loss: str) -> None:
    X, Y = rows()
    begin = start()
    found = trained(X, Y, loss, begin)
    weights = SolverSettings(loss=loss).loss_weights(NodeCounts.of(TREE, Y, None))
    labels = Y.to_csr().toarray() > 0
    leaf_labels = {int(TREE.leaf(j)): [j] for j in range(3)} | {1: [0, 1]}
    for v in (1, 3, 4):
        reaching = np.ones(40, bool) if TREE.parent[v] == 0 else labels[:, :2].any(axis=1)
        y = np.where(labels[:, leaf_labels[v]].any(axis=1), 1.0, -1.0)[reaching]
        c = np.where(y > 0, weights.positive[v], weights.negative[v])
        c = c * (0.5**0.75 if begin.is_known[v] else 1.0)
        at = slice(8 * v, 8 * v + 8)
        w0 = np.append(begin.weights.values[at], begin.weights.bias[v])
        w, b = reference.fit_node(X.toarray()[reaching], y, c, loss, 1.0, w0)
        np.testing.assert_allclose(
            found.values[found.indptr[v] : found.indptr[v + 1]], w, atol=2e-3
        )
        assert found.bias[v] == pytest.approx(b, abs=2e-3)


def test_weights_are_the_same_for_any_number_of_threads() -> None:
    X, Y = rows()
    one, two = (trained(X, Y, "squared_hinge", start(), n_threads=n) for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


def test_nodes_without_positive_rows_keep_their_weights() -> None:
    X, _ = rows()
    Y = as_labels([[0]] * 40, n_labels=3)
    begin = start()
    found = trained(X, Y, "squared_hinge", begin)
    known, unknown = TREE.leaf(2), TREE.leaf(1)
    assert begin.is_known[[known, unknown]].tolist() == [True, False]
    weights = found.values[found.indptr[known] : found.indptr[known + 1]]
    np.testing.assert_array_equal(weights, begin.weights.values[8 * known : 8 * known + 8])
    assert found.bias[unknown] == NEVER


def test_features_without_new_rows_keep_their_weights() -> None:
    X = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]]
    Y = [["tea"], ["bread"], ["tea"], ["bread"]]
    clf = PLTClassifier(warm_start=True, weight_threshold=0.0).fit(X, Y)
    before = clf.predict_proba([[0, 1, 0]]).toarray()
    clf.fit([[1, 0, 0], [0, 0, 1]], [["tea"], ["tea"]])
    after = clf.predict_proba([[0, 1, 0]]).toarray()
    assert clf.classes_.tolist() == ["bread", "tea"]
    assert after[0, 0] > 0.5 * before[0, 0]
    assert clf.n_rows_ == 6


def test_the_root_keeps_its_classifier_for_rows_without_labels() -> None:
    X = [[1, 0], [0, 1], [1, 1], [0.2, 1]]
    clf = PLTClassifier(warm_start=True, weight_threshold=0.0).fit(X, [["a"], ["b"], ["a"], []])
    before = clf.model_.weights()
    clf.fit([[1, 0], [0, 1]], [["a"], ["b"]])
    assert clf.model_.has_root
    assert clf.model_.weights().bias[0] == pytest.approx(before.bias[0])


def test_rows_without_labels_do_not_suppress_the_labels_of_others() -> None:
    clf = PLTClassifier(warm_start=True).fit([[1, 0], [0, 1]], [["a"], ["b"]])
    before = clf.predict_proba([[1, 0]]).toarray()
    clf.fit([[0.2, 1]], [[]])
    after = clf.predict_proba([[1, 0]]).toarray()
    np.testing.assert_allclose(after, before, atol=0.03)


def test_a_warm_start_beats_training_on_new_rows_alone() -> None:
    rng = np.random.default_rng(1)
    centers = rng.normal(size=(20, 30))
    y = rng.integers(20, size=600)
    X = centers[y] + 2.0 * rng.normal(size=(600, 30))
    first, second, test = (slice(0, 250), slice(250, 400), slice(400, 600))
    clf = PLTClassifier(warm_start=True).fit(X[first], y[first])
    alone = clf.score(X[test], y[test])
    clf.fit(X[second], y[second])
    assert clf.score(X[test], y[test]) > alone
    fresh = PLTClassifier().fit(X[second], y[second])
    assert clf.score(X[test], y[test]) > fresh.score(X[test], y[test])


def test_a_batch_fit_can_start_from_an_online_model() -> None:
    rng = np.random.default_rng(2)
    centers = rng.normal(size=(10, 20))
    y = rng.integers(10, size=200)
    X = centers[y] + 1.5 * rng.normal(size=(200, 20))
    clf = PLTClassifier(warm_start=True).partial_fit(X, y)
    tree, online = clf.tree_, clf.score(X, y)
    clf.fit(X, y)
    assert clf.tree_ == tree
    assert clf.model_.link == "squared_hinge"
    assert clf.score(X, y) > online


def test_the_first_fit_starts_from_scratch() -> None:
    X, Y = rows()
    one, other = (PLTClassifier(warm_start=w).fit(X, Y) for w in (False, True))
    np.testing.assert_array_equal(one.predict_proba(X).toarray(), other.predict_proba(X).toarray())


def test_a_tagger_keeps_its_vocabulary() -> None:
    tagger = TextTagger(warm_start=True).fit(["green tea", "rye bread"], [["tea"], ["bread"]])
    n_words = tagger.n_features_in_
    tagger.fit(["tea with milk", "white bread"], [["tea"], ["bread"]])
    assert tagger.n_features_in_ == n_words
    assert tagger.tag(["green"], k=1)[0][0][0] == "tea"


@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        ([[1, 0, 0]], [["tea"]], "X must have 2 columns, as the model to start from, but has 3"),
        ([[1, 0]], [["jam"]], "jam"),
    ],
)
def test_other_columns_and_labels_are_refused(X, Y, message: str) -> None:
    clf = PLTClassifier(warm_start=True).fit([[1, 0], [0, 1]], [["tea"], ["bread"]])
    before = clf.predict_proba([[1, 0]]).toarray()
    with pytest.raises(ValueError, match=message):
        clf.fit(X, Y)
    np.testing.assert_array_equal(clf.predict_proba([[1, 0]]).toarray(), before)


def test_node_estimators_have_no_warm_start() -> None:
    X, Y = [[1, 0], [0, 1]], [["tea"], ["bread"]]
    clf = PLTClassifier(node_estimator=BernoulliNB(), warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match="warm_start is for native nodes"):
        clf.fit(X, Y)


def test_weights_of_another_tree_are_refused() -> None:
    X, Y = rows()
    begin = start()
    short = begin.weights._replace(bias=begin.weights.bias[:-1])
    with pytest.raises(ValueError, match="a warm start must have weights for each node"):
        trained(X, Y, "squared_hinge", begin._replace(weights=short))


def test_an_unknown_loss_is_refused() -> None:
    clf = PLTClassifier(warm_start=True).fit(*rows())
    with pytest.raises(ValueError, match="loss must be one of"):
        clf.set_params(loss="hinge").fit(*rows())

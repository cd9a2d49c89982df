"""Requests for more than there is take memory for what there is, or are refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from labeltree import LabelTree, PLTClassifier, TextTagger, metrics
from labeltree.training import forest

X = np.eye(4, dtype=np.float32)
Y = [["tea", "milk"], ["tea"], ["bread"], ["jam"]]
ROW = (np.array([0], np.int32), np.array([1.0], np.float32))
MANY = 10**9


@pytest.fixture(scope="module")
def clf() -> PLTClassifier:
    return PLTClassifier(n_jobs=1).fit(X, Y)


def test_a_large_k_returns_all_labels(clf: PLTClassifier) -> None:
    assert clf.predict_proba(X, k=MANY).shape == (4, 4)
    assert clf.prediction_cost(X, k=MANY).shape == (4,)


def test_tables_that_are_mostly_padding_are_refused(clf: PLTClassifier) -> None:
    message = "k must be at most 4, the number of labels, for tables this large, but is 1000000000"
    with pytest.raises(ValueError, match=message):
        clf.top_k(X, MANY)
    with pytest.raises(ValueError, match=message):
        clf.top_k_row(*ROW, MANY)
    with pytest.raises(ValueError, match=message):
        PLTClassifier(n_jobs=1).partial_fit(X, Y).predict_then_fit(X, Y, MANY)


def test_small_tables_are_padded(clf: PLTClassifier) -> None:
    assert clf.top_k(X, 1000)[0].shape == (4, 1000)


def test_a_tagger_returns_all_tags_for_a_large_k() -> None:
    tagger = TextTagger(n_jobs=1).fit(["tea", "bread"], [["a"], ["b"]])
    assert len(tagger.tag(["tea"], k=MANY)[0]) == 2


def test_a_large_beam_is_an_exact_search(clf: PLTClassifier) -> None:
    exact, wide = clf.top_k(X, 4), clf.top_k(X, 4, beam=2**40)
    np.testing.assert_array_equal(exact[0], wide[0])
    np.testing.assert_array_equal(clf.top_k_row(*ROW, 4, beam=2**40)[0], exact[0][0])


@pytest.mark.parametrize("name", ["max_iter", "max_nonzeros", "n_jobs"])
def test_large_limits_limit_nothing(name: str, clf: PLTClassifier) -> None:
    made = PLTClassifier(**{name: 2**40}).fit(X, Y)
    np.testing.assert_array_equal(made.top_k(X, 4)[1], clf.top_k(X, 4)[1])


def test_large_online_limits_limit_nothing() -> None:
    params = {"max_degree": 2**40, "keep_rows": 2**40, "max_weights": 2**40}
    assert PLTClassifier(n_jobs=1, online_params=params).partial_fit(X, Y).tree_.n_labels == 4


def test_too_many_trees_are_refused() -> None:
    with pytest.raises(ValueError, match="n_trees must be at most 1000, but is 1001"):
        PLTClassifier(n_trees=1001).fit(X, Y)


def test_too_many_bins_are_refused() -> None:
    with pytest.raises(ValueError, match="n_bins must be at most 1000000, but is 1000000000"):
        metrics.ece_at_k([[0]], [[0]], 1, [[0.5]], n_bins=MANY)


def chain(n_labels: int) -> LabelTree:
    """Return a tree with one leaf per level, and two at the bottom."""
    nodes = np.arange(2 * n_labels - 2)
    label = np.where(nodes % 2 == 0, nodes // 2, -1)
    label[-1] = n_labels - 1
    return LabelTree.from_parents(
        np.append(-1, np.where(nodes < 2, 0, nodes // 2 * 2)), np.append(-1, label)
    )


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_tree_that_is_too_deep_is_refused(method: str) -> None:
    tree = chain(forest.MAX_DEPTH + 2)
    Y = sparse.csr_array(([1], ([0], [0])), shape=(4, tree.n_labels), dtype=np.uint8)
    with pytest.raises(ValueError, match="at most 10,000 levels below its root to be trained, but"):
        getattr(PLTClassifier(n_jobs=1, tree=tree), method)(X, Y)


def test_a_deep_chain_is_trained_explained_and_printed() -> None:
    tree = chain(2000)
    Y = sparse.csr_array(
        (np.ones(4), (range(4), [0, 1, 1000, 1999])), shape=(4, 2000), dtype=np.uint8
    )
    clf = PLTClassifier(n_jobs=1, tree=tree).fit(X, Y)
    assert clf.top_k(X, 1)[0].shape == (4, 1)
    assert len(clf.explain(X[:1], 1999).steps) == tree.depth + 1
    assert str(tree).startswith("LabelTree: 2,000 labels")


@pytest.mark.parametrize("odd", [np.datetime64("2020"), np.float32(1), np.int32(0), [0], None])
def test_a_row_must_be_arrays(odd, clf: PLTClassifier) -> None:
    with pytest.raises(TypeError, match="indices must be a contiguous array of int32"):
        clf.top_k_row(odd, ROW[1])
    with pytest.raises(TypeError, match="values must be a contiguous array of float32"):
        clf.top_k_row(ROW[0], odd)


def test_more_labels_than_memory_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 100000000 labels, but has 2147483647"):
        PLTClassifier().fit(X, sparse.csr_array((4, 2**31 - 1), dtype=np.uint8))

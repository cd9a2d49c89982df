"""Classifiers with scaled rows, and with weights of rows and labels."""

import numpy as np
import pytest
from scipy import sparse

from labeltree import HSMClassifier, PLTClassifier, trees
from labeltree.data import as_features, as_labels
from labeltree.data.row_scaling import UNIT
from tests.estimators.few_rows import EXACT, data, dense


def test_the_length_of_rows_does_not_matter_by_default() -> None:
    X, Y = data()
    clf, scaled = (PLTClassifier().fit(m, Y) for m in (X, 3 * X))
    np.testing.assert_allclose(dense(clf, X), dense(scaled, 7 * X), atol=1e-4)
    as_is = PLTClassifier(normalize=False).fit(X, Y)
    assert not np.allclose(dense(as_is, X), dense(as_is, 7 * X))


def test_unit_rows_are_not_copied() -> None:
    X = as_features(sparse.csr_array([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]], dtype=np.float32))
    assert UNIT(X) is X
    longer = as_features(sparse.csr_array([[3.0, 4.0]], dtype=np.float32))
    assert np.shares_memory(UNIT(longer).indices, longer.indices)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_rows_with_a_weight_of_zero_are_ignored(loss: str) -> None:
    X, Y = data()
    weight = np.arange(80) % 3.0
    kept = np.flatnonzero(weight)
    tree = trees.huffman(as_labels(Y).counts)
    options = {"tree": tree, "loss": loss, **EXACT}
    weighted = PLTClassifier(**options).fit(X, Y, sample_weight=weight)
    alone = PLTClassifier(**options).fit(X[kept], Y[kept], sample_weight=weight[kept])
    np.testing.assert_allclose(dense(weighted, X), dense(alone, X), atol=2e-3)


def test_a_weight_of_two_equals_the_row_twice() -> None:
    X, Y = data()
    tree = trees.huffman(as_labels(Y).counts)
    twice = np.concatenate([np.arange(80), np.arange(30)])
    weight = np.where(np.arange(80) < 30, 2.0, 1.0)
    one = PLTClassifier(tree=tree, **EXACT).fit(X, Y, sample_weight=weight)
    other = PLTClassifier(tree=tree, **EXACT).fit(X[twice], Y[twice])
    np.testing.assert_allclose(dense(one, X), dense(other, X), atol=2e-3)


def test_class_weights_equal_weights_of_rows() -> None:
    X, _ = data()
    y = np.array(["a", "b", "c"])[np.arange(80) % 3]
    one = HSMClassifier(class_weight={"a": 3.0}).fit(X, y)
    other = HSMClassifier().fit(X, y, sample_weight=np.where(y == "a", 3.0, 1.0))
    np.testing.assert_array_equal(dense(one, X), dense(other, X))


def test_a_row_has_the_largest_weight_of_its_labels() -> None:
    X = [[1, 0], [0, 1], [1, 1]]
    Y = [["a"], ["a", "b"], []]
    one = PLTClassifier(class_weight={"a": 2.0, "b": 5.0}).fit(X, Y)
    other = PLTClassifier().fit(X, Y, sample_weight=[2.0, 5.0, 1.0])
    np.testing.assert_array_equal(dense(one, X), dense(other, X))


def test_balanced_nodes_raise_rare_labels() -> None:
    X = [[1.0]] * 10
    Y = [["often"]] * 9 + [["rare"]]
    plain, balanced = (
        PLTClassifier(class_weight=w, max_iter=100).fit(X, Y) for w in (None, "balanced")
    )
    assert dense(balanced, [[1.0]])[0, 1] > dense(plain, [[1.0]])[0, 1]


def test_rows_with_exactly_one_label_have_their_own_decay() -> None:
    X, _ = data()
    y = np.arange(80) % 3
    indicator = np.eye(3, dtype=np.uint8)[y]
    plain, spelled, other = (
        PLTClassifier(C_decay=d).fit(X, indicator) for d in ("auto", (0.0, 0.25), (0.08, 0.15))
    )
    np.testing.assert_array_equal(dense(plain, X), dense(spelled, X))
    assert not np.array_equal(dense(plain, X), dense(other, X))


def test_equal_pos_neg_weights_are_a_factor_of_c() -> None:
    X, Y = data()
    one = PLTClassifier(pos_neg_weight=(0.5, 0.5)).fit(X, Y)
    other = PLTClassifier(C=0.5).fit(X, Y)
    np.testing.assert_array_equal(dense(one, X), dense(other, X))

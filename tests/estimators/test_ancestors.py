"""The probabilities of the ancestors of labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import labeltree as lt
from labeltree import PLTClassifier, ancestor_proba
from labeltree.trees import Hierarchy, from_hierarchy
from tests.animals import LABELS, PAIRS
from tests.fitted import with_state


def fitted(*, collapse: bool = False, **options) -> tuple[PLTClassifier, np.ndarray]:
    rng = np.random.default_rng(0)
    Y = [[LABELS[j] for j in np.flatnonzero(row)] for row in rng.random((80, 6)) < 0.3]
    X = rng.random((80, 5)).astype(np.float32)
    tree = from_hierarchy(PAIRS, LABELS)
    if collapse:
        tree = lt.LabelTree.from_nested(["oak", "cow", "cat", "boxer", "dog", "poodle"])
        Y = [[*labels, "oak"] for labels in Y]
    return PLTClassifier(tree=tree, n_jobs=1, **options).fit(X, Y), X


def node_probabilities(clf: PLTClassifier, x: np.ndarray, t: int = 0) -> list[float]:
    """The product along the path to every node, computed one by one."""
    model, tree = clf.model_, clf.trees_[t]
    row = lt.data.as_features(x[None] / np.linalg.norm(x))
    products = [float(model.child_estimates(t, -1, row)[0])]
    for v in range(1, tree.n_nodes):
        parent = int(tree.parent[v])
        own = model.child_estimates(t, parent, row)
        products.append(products[parent] * float(own[v - tree.children(parent).start]))
    return products


@pytest.mark.parametrize("options", [{}, {"loss": "logistic"}])
def test_a_concept_has_the_probability_of_its_node(options) -> None:
    clf, X = fitted(**options)
    concepts, found = ancestor_proba(clf, X[:9], Hierarchy(PAIRS), threshold=0.0)
    tree, curve = clf.tree_, clf.model_.calibration.curve
    nodes = {"dog": int(tree.parent[tree.leaf(3)]), "pet": int(tree.parent[tree.leaf(1)])}
    nodes |= {"animal": int(tree.parent[tree.leaf(2)]), "plant": tree.leaf(4)}
    assert set(concepts) == set(nodes)
    for i, x in enumerate(X[:9]):
        products = node_probabilities(clf, x)
        expected = np.array([products[nodes[concept]] for concept in concepts])
        expected = expected if curve is None else curve(expected)
        np.testing.assert_allclose(found.toarray()[i], expected, rtol=1e-5)


def test_a_forest_returns_mean_probabilities_of_concepts() -> None:
    tree = from_hierarchy(PAIRS, LABELS)
    one, X = fitted()
    two = PLTClassifier(tree=[tree, tree], max_samples=0.7, n_jobs=1).fit(X, one.predict(X, 0.2))
    with_state(two, class_names=one.classes_)
    concepts, found = ancestor_proba(two, X[:5], Hierarchy(PAIRS), threshold=0.0)
    v = int(tree.parent[tree.leaf(3)])
    means = [np.mean([node_probabilities(two, x, t)[v] for t in (0, 1)]) for x in X[:5]]
    expected = two.model_.calibration.curve(np.array(means))
    np.testing.assert_allclose(found.toarray()[:, concepts.index("dog")], expected, rtol=1e-5)


def test_a_concept_without_a_node_is_the_union_of_its_parts() -> None:
    clf, X = fitted(collapse=True, loss="logistic")
    concepts, found = ancestor_proba(clf, X[:5], Hierarchy(PAIRS), threshold=0.0)
    labels = clf.predict_proba(X[:5]).toarray()
    root = [node_probabilities(clf, x)[0] for x in X[:5]]
    parts = labels[:, [clf.classes_.tolist().index(name) for name in ("dog", "boxer", "poodle")]]
    expected = root * (1 - np.prod(1 - parts / np.array(root)[:, None], axis=1))
    np.testing.assert_allclose(found.toarray()[:, concepts.index("dog")], expected, rtol=1e-4)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**31), st.booleans())
def test_nothing_is_more_probable_than_its_ancestors(seed, is_collapsed) -> None:
    rng = np.random.default_rng(seed)
    n_labels = 12
    pairs = [(f"c{rng.integers(0, i)}" if i else "top", f"c{i}") for i in range(8)]
    pairs += [(f"c{rng.integers(0, 8)}", f"l{j}") for j in range(n_labels)]
    hierarchy = Hierarchy(pairs)
    Y = [[f"l{j}" for j in np.flatnonzero(row)] for row in rng.random((40, n_labels)) < 0.2]
    Y.append([f"l{j}" for j in range(n_labels)])
    X = rng.random((41, 6)).astype(np.float32)
    tree = from_hierarchy(hierarchy, Y, collapse=is_collapsed)
    clf = PLTClassifier(tree=tree, n_jobs=1).fit(X, Y)
    concepts, found = ancestor_proba(clf, X[:4], hierarchy, threshold=0.0)
    below = {c: found.toarray()[:, i] for i, c in enumerate(concepts)}
    labels = clf.predict_proba(X[:4]).toarray()
    for concept, p in below.items():
        for above in hierarchy.ancestors(concept):
            assert (below[above] >= p).all()
    for j, label in enumerate(clf.classes_.tolist()):
        assert (below[hierarchy.ancestors(label)[0]] >= labels[:, j] - 1e-6).all()


@given(st.floats(0.05, 0.95))
@settings(deadline=None, max_examples=15)
def test_a_threshold_drops_only_concepts_below_it(threshold) -> None:
    clf, X = fitted()
    everything = ancestor_proba(clf, X, Hierarchy(PAIRS), threshold=0.0).probabilities.toarray()
    found = ancestor_proba(clf, X, Hierarchy(PAIRS), threshold=threshold).probabilities.toarray()
    kept = everything >= np.float32(threshold)
    np.testing.assert_array_equal(found, np.where(kept, everything, 0))


def test_labels_that_are_numbers_have_ancestors_too() -> None:
    pairs = [("a", "0"), ("a", "2"), ("b", "1")]
    Y = np.eye(3, dtype=np.uint8).repeat(3, axis=0)
    clf = PLTClassifier(tree=from_hierarchy(pairs, Y), n_jobs=1).fit(Y, Y)
    concepts, found = ancestor_proba(clf, Y[[0, 3]], Hierarchy(pairs))
    assert [[concepts[j] for j in row.nonzero()[0]] for row in found.toarray()] == [["a"], ["b"]]


def test_node_estimators_have_ancestor_probabilities() -> None:
    Y = [["poodle"], ["boxer"], ["cat"]] * 6
    X = np.eye(3).tolist() * 6
    tree = from_hierarchy(PAIRS, Y)
    clf = PLTClassifier(tree=tree, node_estimator=LogisticRegression(C=100.0)).fit(X, Y)
    concepts, found = ancestor_proba(clf, X[:3], Hierarchy(PAIRS))
    dogs = found.toarray()[:, concepts.index("dog")]
    assert (dogs > 0.5).tolist() == [True, True, False]


def test_a_tree_that_does_not_follow_the_hierarchy_is_refused() -> None:
    X = np.eye(3)
    clf = PLTClassifier(tree=lt.LabelTree.from_nested([["poodle", "cow"], "boxer"]), n_jobs=1)
    clf.fit(X, [["poodle"], ["cow"], ["boxer"]])
    with pytest.raises(ValueError, match="labels below 'dog' are mixed with others"):
        ancestor_proba(clf, X, Hierarchy(PAIRS))

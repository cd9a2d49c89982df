"""The trees and forests of a classifier."""

import numpy as np
import pytest
from scipy import sparse

from labeltree import LabelTree, PLTClassifier, cost, trees
from labeltree.data import as_features, as_labels
from labeltree.data.row_scaling import UNIT
from labeltree.model import Calibration, Model, fixed_calibration
from labeltree.training.nodes import train_tree
from labeltree.training.solver_settings import SolverSettings
from labeltree.trees.by_name import BUILDERS
from tests.estimators.few_rows import EXACT, data, dense
from tests.fitted import with_model

# Trees ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(BUILDERS) - {"exact"}))
def test_every_builder_trains_and_predicts(name: str) -> None:
    X, Y = data()
    clf = PLTClassifier(tree=name).fit(X, Y)
    assert dense(clf, X).shape == Y.shape


def test_tree_params_are_passed_to_the_builder() -> None:
    X, Y = data()
    options = {"max_leaf_size": 5, "arity": 4}
    clf = PLTClassifier(tree="kmeans", tree_params=options, random_state=3).fit(X, Y)
    assert clf.tree_ == trees.kmeans(
        UNIT(as_features(X)), Y, max_leaf_size=5, arity=4, random_state=3
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_auto_makes_nodes_wider_if_rows_have_more_features() -> None:
    y = np.arange(500)
    few = sparse.eye_array(500, format="csr", dtype=np.float32)
    many = np.eye(500, 700, dtype=np.float32) + 0.01
    narrow, wide = (PLTClassifier(max_iter=1).fit(X, y).tree_ for X in (few, many))
    assert 1 < narrow.max_degree < wide.max_degree


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("options", "per_row"), [({}, 18), ({"width": 1}, 10), ({"width": 2, "min_per_row": 1}, 12)]
)
def test_auto_is_blend_with_a_minimum_cost_per_row(options, per_row) -> None:
    rng = np.random.default_rng(0)
    six_per_row = np.argsort(rng.random((500, 60)), axis=1) < 6
    X, y = six_per_row * rng.random((500, 60)), np.arange(500)
    clf = PLTClassifier(tree_params=options, max_iter=1).fit(X, y)
    prices = trees.CostModel(per_row=per_row)
    rows = UNIT(as_features(X))
    assert clf.tree_ == trees.blend(rows, y, similarity=0.75, cost_model=prices)


def test_the_model_equals_train_tree_on_unit_rows() -> None:
    X, Y = data()
    tree = trees.huffman(as_labels(Y).counts)
    clf = PLTClassifier(tree=tree, C=0.5).fit(X, Y)
    rows = UNIT(as_features(X))
    weights = train_tree(tree, rows, as_labels(Y), SolverSettings(C=0.5, weight_bytes=2))
    factors = clf.model_.calibration.factors
    calibration = fixed_calibration("squared_hinge", "indicator", factors=factors)
    model = Model([tree], [weights], "squared_hinge", 15, True, calibration=calibration)
    expected, _ = model.search(rows, k=None, threshold=0.0, n_threads=1)
    np.testing.assert_array_equal(dense(clf, X), expected.toarray())
    assert clf.training_cost_ == cost.training_cost(tree, Y)


def test_labels_of_a_tree_with_names_are_numbered_as_in_the_tree() -> None:
    tree = LabelTree.from_nested([["tea", "milk"], "bread"])
    X = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    clf = PLTClassifier(tree=tree).fit(X, [["tea"], ["milk"], ["bread"]])
    assert clf.classes_.tolist() == ["tea", "milk", "bread"]
    assert clf.top_k(X, k=1)[0].tolist() == [[0], [1], [2]]


def test_a_tree_may_have_labels_that_no_row_has() -> None:
    tree = LabelTree.from_nested([["tea", "milk"], "bread"])
    clf = PLTClassifier(tree=tree).fit([[1, 0], [0, 1]], [["tea"], ["bread"]])
    assert dense(clf, [[1, 0]])[0, 1] == 0


def test_a_tree_without_names_accepts_any_labels_in_sorted_order() -> None:
    clf = PLTClassifier(tree=LabelTree.from_nested([[0, 1], 2])).fit(
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [["c"], ["a"], ["b"]]
    )
    assert clf.classes_.tolist() == ["a", "b", "c"]


# Forests ----------------------------------------------------------------------------------------


def test_a_forest_is_the_mean_of_its_trees() -> None:
    X, Y = data()
    grown = [trees.random(20, random_state=t) for t in range(3)]
    forest = PLTClassifier(tree=grown, **EXACT).fit(X, Y)
    alone = [PLTClassifier(tree=tree, **EXACT).fit(X, Y) for tree in grown]
    for clf in [forest, *alone]:
        with_model(clf, clf.model_.calibrated(Calibration()))  # a curve is applied after the mean
    parts = [dense(clf, X) for clf in alone]
    np.testing.assert_allclose(dense(forest, X), np.mean(parts, axis=0), atol=1e-3)
    assert forest.trees_ == grown
    assert forest.training_cost_ == sum(cost.training_cost(tree, Y) for tree in grown)


def test_trees_of_a_forest_differ_by_their_seeds() -> None:
    X, Y = data()
    clf = PLTClassifier(tree="kmeans", tree_params={"max_leaf_size": 2}, n_trees=2).fit(X, Y)
    assert clf.trees_[0] != clf.trees_[1]


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_rows_outside_the_sample_do_not_affect_the_model(loss: str) -> None:
    X, Y = data()
    tree = trees.huffman(as_labels(Y).counts)
    options = {"tree": tree, "loss": loss, "random_state": 5, **EXACT}
    sampled = PLTClassifier(max_samples=0.5, **options).fit(X, Y)
    chosen = np.random.default_rng([5, 80]).choice(80, 40, replace=False)
    alone = PLTClassifier(**options).fit(X[chosen], Y[chosen])
    assert alone.model_.has_root == sampled.model_.has_root
    np.testing.assert_allclose(dense(sampled, X), dense(alone, X), atol=2e-3)


def test_sampled_trees_of_counts_differ() -> None:
    X, Y = data()
    clf = PLTClassifier(tree="huffman", n_trees=2, max_samples=0.5).fit(X, Y)
    assert clf.trees_[0] != clf.trees_[1]


def test_equal_trees_are_refused() -> None:
    with pytest.raises(ValueError, match="all huffman trees are the same; set max_samples"):
        PLTClassifier(tree="huffman", n_trees=2).fit(*data())

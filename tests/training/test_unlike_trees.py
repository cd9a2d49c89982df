"""Forests of trees that are named one by one."""

import numpy as np
import pytest

import labeltree as lt
from labeltree import PLTClassifier, trees
from tests.estimators.few_rows import data

X, Y = data()


def test_a_list_of_names_builds_one_tree_for_each() -> None:
    forest = PLTClassifier(tree=["auto", "kmeans", "kmeans"], random_state=5).fit(X, Y)
    for t, name in enumerate(["auto", "kmeans", "kmeans"]):
        assert forest.trees_[t] == PLTClassifier(tree=name, random_state=5 + t).fit(X, Y).tree_


def test_names_and_trees_stand_together() -> None:
    own = trees.random(20, arity=3)
    forest = PLTClassifier(tree=["huffman", own]).fit(X, Y)
    assert forest.trees_[1] == own


def test_each_tree_has_its_own_parameters() -> None:
    params = [None, {"arity": 4}]
    forest = PLTClassifier(tree=["huffman", "kmeans"], tree_params=params).fit(X, Y)
    alone = PLTClassifier(tree="kmeans", tree_params={"arity": 4}, random_state=1).fit(X, Y)
    assert forest.trees_[1] == alone.tree_


def test_a_file_keeps_the_names(tmp_path) -> None:
    params = [{"similarity": 0.5}, None]
    clf = PLTClassifier(tree=["blend", "kmeans"], tree_params=params).fit(X, Y)
    clf.save(tmp_path / "model.lt")
    opened = lt.load(tmp_path / "model.lt")
    assert opened.tree == ["blend", "kmeans"]
    assert opened.tree_params == params
    np.testing.assert_array_equal(opened.top_k(X, 3)[1], clf.top_k(X, 3)[1])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tree": ["huffman", "huffman"]}, "all huffman trees are the same"),
        ({"tree": ["auto", "kmeans"], "tree_params": {"arity": 2}}, "tree_params must be a list"),
        ({"tree": ["auto", "kmeans"], "tree_params": [None]}, "one entry for each of 2 trees"),
        ({"tree": "auto", "tree_params": [None]}, "tree_params must be a mapping"),
        ({"tree": []}, "at least one name or LabelTree"),
        ({"tree": ["auto", "kmeans"], "n_trees": 3}, "n_trees is 3, but 2 trees are given"),
    ],
)
def test_lists_that_do_not_fit_are_refused(settings, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PLTClassifier(**settings).fit(X, Y)

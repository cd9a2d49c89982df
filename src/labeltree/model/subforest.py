"""A forest of some of the trees of a model."""

from __future__ import annotations

from collections.abc import Sequence

from labeltree.model.model import Model


def subforest(model: Model, numbers: Sequence[int]) -> Model:
    """Return a model of the trees with these numbers, sharing its arrays.

    It has neither rankers nor implications.

    Examples
    --------
    >>> from labeltree import PLTClassifier
    >>> clf = PLTClassifier(n_trees=3, tree="random").fit([[1], [2]], [["a"], ["b"]])
    >>> len(subforest(clf.model_, [0, 2]).trees)
    2
    """
    return Model(
        [model.trees[t] for t in numbers],
        [model.layouts[t] for t in numbers],
        model.link,
        model.n_features,
        model.has_root,
        calibration=model.calibration.of_trees(numbers),
    )


def without_names(model: Model) -> Model:
    """Return the same model, sharing its arrays, without names of labels."""
    return Model(
        [tree.with_names(None) for tree in model.trees],
        model.layouts,
        model.link,
        model.n_features,
        model.has_root,
        model.calibration,
        model.rankers,
        model.implications,
    )

"""The weights of a model as a start for training it again."""

from __future__ import annotations

import numpy as np

from labeltree.model.layout import NodeWeights
from labeltree.model.links import Link
from labeltree.model.model import LINKS, Model
from labeltree.training.nodes import NEVER, WarmStart

#: What the solver wants of positive and of negative rows: the score of a root that every row was
#: positive for, and of other nodes that no row was positive for.
_YES, _NO = 1.0, -1.0


def warm_start_of(model: Model, loss: str, n_rows: int) -> tuple[WarmStart, ...]:
    """Return the weights of each tree in the units of a loss, in which its link reads scores.

    Parameters
    ----------
    model
        What was learnt.
    loss
        That of the training to come.
    n_rows
        Rows that the model was learnt from.

    Examples
    --------
    >>> from labeltree import PLTClassifier
    >>> clf = PLTClassifier().fit([[1, 0], [0, 1]], [["tea"], ["bread"]])
    >>> [start] = warm_start_of(clf.model_, "squared_hinge", n_rows=2)
    >>> np.array_equal(start.weights.values, clf.model_.weights().values)
    True
    """
    return tuple(_start(model, t, Link(*LINKS[loss]), n_rows) for t in range(len(model.trees)))


def _start(model: Model, tree: int, link: Link, n_rows: int) -> WarmStart:
    before = model.weights(tree)
    slopes, intercepts = model.links(tree)
    is_known = before.bias > NEVER
    bias = (before.bias * slopes + intercepts - link.intercept) / link.slope
    bias[~is_known] = _NO
    if not model.has_root:
        is_known[0], bias[0] = True, _YES
    of_weight = np.repeat(slopes / link.slope, np.diff(before.indptr))
    return WarmStart(
        NodeWeights(
            before.indptr,
            before.features,
            (before.values * of_weight).astype(np.float32),
            bias.astype(np.float32),
        ),
        is_known,
        n_rows,
        model.has_root,
    )

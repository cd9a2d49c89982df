"""A trained output layer as a classifier of labeltree, which predicts and serves on a CPU."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch

from labeltree.torch.bce import TreeBCE
from labeltree.torch.head import TreeHead
from labeltree.torch.mixture import TreeMixture

if TYPE_CHECKING:
    from labeltree.estimators import HSMClassifier, PLTClassifier
    from labeltree.model.layout import Layout as ModelLayout
    from labeltree.model.model import Model
    from labeltree.trees import LabelTree

#: Scores of a softmax are lowered by this, so that sigmoids are proportional to exponentials.
SHIFT = 30.0


@torch.no_grad()
def to_classifier(
    head: TreeHead | TreeMixture, *, classes: Iterable[Any] | None = None
) -> PLTClassifier | HSMClassifier:
    """Return a classifier of labeltree whose rows are the encoded rows of the layer.

    A `TreeSoftmax` becomes an `HSMClassifier`, a `TreeMixture` one with several trees, and a
    `TreeBCE` a `PLTClassifier`. Save it with
    ``save``, and `labeltree serve` answers queries of encoded rows. Probabilities of a
    `TreeSoftmax` are the same while no score exceeds 20: the classifier divides the sigmoids of
    siblings by their sum, and lowers all scores so that these are proportional to exponentials.

    Parameters
    ----------
    head
        The trained layer, with one prototype per group. A model file cannot hold several: the
        probability of a group is then a sum over weight vectors, but a node has one vector, and a
        label is in one leaf.
    classes
        Names of the classes; their numbers by default.

    Examples
    --------
    >>> import torch
    >>> from labeltree.torch import TreeSoftmax, to_classifier
    >>> head = TreeSoftmax(16, 100)
    >>> x = torch.ones(1, 16)
    >>> clf = to_classifier(head)
    >>> clf.predict(x.numpy()).tolist() == head.predict(x).tolist()
    True
    """
    from labeltree.data.row_scaling import AS_THEY_ARE
    from labeltree.estimators import HSMClassifier, PLTClassifier
    from labeltree.estimators.state import FitCounts, FittedState

    is_bce = isinstance(head, TreeBCE)
    heads = [cast(TreeHead, one) for one in head.heads] if isinstance(head, TreeMixture) else [head]
    for one in heads:
        _check(one, is_bce)
    classifier = (PLTClassifier if is_bce else HSMClassifier)(
        loss="logistic", normalize=False, n_trees=len(heads)
    )
    names = np.arange(head.n_classes) if classes is None else np.asarray(list(classes))
    if len(names) != head.n_classes:
        raise ValueError(
            f"classes must have one entry per class, {head.n_classes} in all, but has {len(names)}"
        )
    classifier._state = FittedState(
        label_kind="sets" if is_bce else "classes",
        dense_labels=False,
        row_scaling=AS_THEY_ARE,
        n_features=heads[0].in_features,
        counts=FitCounts(0, 0, 0, 0),
        class_names=names,
        laid_out=_model(heads, is_bce),
    )
    return classifier


def _check(head: TreeHead, is_bce: bool) -> None:
    if head.n_prototypes > 1:
        raise ValueError(
            f"an exported layer must have one prototype per group, but has {head.n_prototypes}, "
            "and a node of a model has one weight vector; train one prototype, or several trees"
        )
    if head.n_head + head.layout.n_top < 2:
        raise ValueError(
            "the root of an exported layer must have at least two children, but has 1; "
            "use smaller groups"
        )
    middle_sizes = head.layout.middle_sizes
    if is_bce and middle_sizes is not None and (middle_sizes == 1).any():
        raise ValueError(
            "middle nodes of an exported layer must have at least two groups, but one has 1; "
            "use another middle_size"
        )
    if is_bce and (head.layout.group_sizes == 1).any():
        raise ValueError(
            "groups of an exported layer must have at least two labels, but one has 1; "
            "make it a head label"
        )


def _model(heads: Sequence[TreeHead], is_bce: bool) -> Model:
    from labeltree.model.calibration import INDEPENDENT, ONE, Calibration
    from labeltree.model.model import Model

    trees = [head.layout.to_tree() for head in heads]
    layouts = [_laid_out(*pair, is_bce) for pair in zip(heads, trees, strict=True)]
    calibration = Calibration(siblings=INDEPENDENT if is_bce else ONE)
    return Model(trees, layouts, "logistic", heads[0].in_features, False, calibration)


def _laid_out(head: TreeHead, tree: LabelTree, is_bce: bool) -> ModelLayout:
    from labeltree import _core
    from labeltree.model.layout import Layout as ModelLayout

    d = head.in_features
    values, bias = _rows_of_nodes(head, tree)
    if not is_bce:
        bias -= SHIFT
    nodes = np.arange(1, tree.n_nodes, dtype=np.int32)
    trained = np.ones(tree.n_nodes, dtype=np.uint8)
    trained[0] = 0
    builder = _core.LayoutBuilder(tree._native, d, trained, 0.0, 4)
    starts = np.arange(0, len(nodes) * d + 1, d, dtype=np.int64)
    features = np.tile(np.arange(d, dtype=np.int32), len(nodes))
    builder.add(nodes, starts, features, values.ravel(), bias)
    return ModelLayout(*builder.finish())


def _rows_of_nodes(head: TreeHead, tree: LabelTree) -> tuple[Any, Any]:
    """Return the weights and the bias of each node but the root.

    A group or middle node with one child is one node of the tree, with the weights of the upper.
    """
    layout = head.layout
    below = np.full(tree.n_nodes, -1, dtype=np.int64)  # one label below each node
    below[tree.leaves] = np.arange(tree.n_labels)
    for node in range(tree.n_nodes - 1, 0, -1):
        below[tree.parent[node]] = below[node]
    label = below[1:]
    group = layout.group[label]
    is_top = tree.parent[1:] == 0
    sizes = np.append(layout.group_sizes, 1)
    is_leaf = ~is_top & (tree.label[1:] >= 0) & (sizes[group] > 1)
    is_middle = ~is_top & ~is_leaf
    values = np.empty((tree.n_nodes - 1, head.in_features), dtype=np.float32)
    bias = np.zeros(tree.n_nodes - 1, dtype=np.float32)
    for name, chosen, rows in (
        ("root", is_top, layout.top[label]),
        ("middle", is_middle, group),
        ("leaf", is_leaf, layout.position[label] - layout.n_head),
    ):
        weight, offset = getattr(head, name), getattr(head, f"{name}_bias")
        if chosen.any():
            values[chosen] = weight.float().cpu().numpy()[rows[chosen]]
            if offset is not None:
                bias[chosen] = offset.float().cpu().numpy()[rows[chosen]]
    return values, bias

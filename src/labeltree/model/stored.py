"""Trees and weights of a model file, checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data.arrays import take
from labeltree.model.layout import LAYOUT_DTYPES, Layout
from labeltree.trees import LabelTree


def stored_tree(arrays: Mapping[str, NDArray[Any]], t: int) -> LabelTree:
    """Return tree t of a model file."""
    parent = take(arrays, f"tree{t}.parent", "i4")
    label = take(arrays, f"tree{t}.label", "i4")
    try:
        tree = LabelTree.from_parents(parent, label)
    except ValueError as error:
        raise ValueError(f"tree{t}: {error}") from None
    # Weights are stored by node number, so a renumbered tree would mix them up.
    if not (np.array_equal(tree.parent, parent) and np.array_equal(tree.label, label)):
        raise ValueError(f"tree{t}: nodes must be numbered breadth first, and none have one child")
    return tree


def stored_layout(arrays: Mapping[str, NDArray[Any]], t: int) -> Layout:
    """Return the weights of tree t of a model file."""
    taken = (take(arrays, f"tree{t}.{name}", dtype) for name, dtype in LAYOUT_DTYPES.items())
    return Layout(*taken)

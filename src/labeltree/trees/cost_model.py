"""The cost model that tree builders minimize."""

from __future__ import annotations

import math
from dataclasses import dataclass

from labeltree import _core
from labeltree.trees.tree import LabelTree


@dataclass(frozen=True)
class CostModel:
    """The cost of a node: its number of rows times (per_row + per_pair times its children).

    The default counts (row, node) pairs, as the paper does. A trainer that fits all children of a
    node in one pass over its rows also pays for the pass, regardless of the number of children. A
    `per_row` above 0 models this and leads to fewer, wider nodes.

    Examples
    --------
    >>> CostModel().node(rows=10, children=3)
    30.0
    >>> CostModel(per_row=2.0).node(rows=10, children=3)
    50.0
    """

    per_row: float = 0.0
    per_pair: float = 1.0

    def __post_init__(self) -> None:
        for name in ("per_row", "per_pair"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be finite and at least 0, but is {value}")
        if self.per_pair == 0:
            raise ValueError(
                "per_pair must be above 0, but is 0; otherwise the width of a node costs nothing"
            )

    def node(self, rows: float, children: float) -> float:
        """Return the cost of a node with the given numbers of rows and children."""
        return float(rows * (self.per_row + self.per_pair * children))

    def price(self, tree: LabelTree, Y: object) -> float:
        """Return the cost of all nodes of a tree, excluding the classifier of the root.

        Examples
        --------
        >>> CostModel().price(LabelTree.from_nested([[0, 1], 2]), [[0], [2]])
        6.0
        """
        rows = tree.label_rows(Y)
        weights = _core.node_weights(tree._native, rows.indptr, rows.indices)[tree.degree > 0]
        degrees = tree.degree[tree.degree > 0]
        return float(weights @ (self.per_row + self.per_pair * degrees))


PAPER: CostModel = CostModel()

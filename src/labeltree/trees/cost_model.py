"""The price list that tree builders minimise."""

from __future__ import annotations

import math
from dataclasses import dataclass

from labeltree import _core
from labeltree.trees.tree import LabelTree


@dataclass(frozen=True)
class CostModel:
    """What a node costs: its rows times (per_row + per_pair times its children).

    The paper counts (row, node) pairs, which is the default. A trainer that handles all children of
    a node in one pass over its rows also pays for the pass, whatever the number of children:
    `per_row` above 0 makes wider nodes and fewer of them.

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
            raise ValueError("per_pair must be above 0, or one node with all labels would be free")

    def node(self, rows: float, children: float) -> float:
        """Return what a node with so many rows and children costs."""
        return float(rows * (self.per_row + self.per_pair * children))

    def price(self, tree: LabelTree, Y: object) -> float:
        """Return what all nodes of a tree cost, the root's own classifier left out.

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

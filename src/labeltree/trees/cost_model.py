"""The cost model that tree builders minimize."""

from __future__ import annotations

from dataclasses import dataclass

from labeltree import _core
from labeltree.arguments import check_values, checked
from labeltree.trees.tree import LabelTree

#: Largest cost, so that sums over all rows and children stay finite; 1 / MAX_COST is the smallest
#: cost of a pair, because labels in wide nodes must cost something.
MAX_COST = 1e30


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
        check_values(type(self).__init__, vars(self))
        for name in ("per_row", "per_pair"):
            value = float(getattr(self, name))
            if not 0 <= value <= MAX_COST:
                raise ValueError(f"{name} must be at least 0, at most {MAX_COST}, but is {value}")
        if self.per_pair < 1 / MAX_COST:
            raise ValueError(
                f"per_pair must be at least {1 / MAX_COST:g}, but is {self.per_pair}; otherwise "
                "the width of a node costs nothing"
            )

    @checked
    def node(self, rows: float, children: float) -> float:
        """Return the cost of a node with the given numbers of rows and children."""
        return float(rows * (self.per_row + self.per_pair * children))

    @checked
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

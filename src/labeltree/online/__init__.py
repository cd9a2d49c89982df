"""Online learning: one pass over the rows, and a tree that grows with the labels."""

from labeltree.online.columns import fold_columns
from labeltree.online.params import OnlineParams
from labeltree.online.tree_cost import TreeCost

__all__ = ["OnlineParams", "TreeCost", "fold_columns"]

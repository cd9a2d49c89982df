"""Learning that never stops: one pass over rows, and a tree that grows with the labels."""

from labeltree.online.columns import fold_columns
from labeltree.online.params import OnlineOptions
from labeltree.online.tree_cost import TreeCost

__all__ = ["OnlineOptions", "TreeCost", "fold_columns"]

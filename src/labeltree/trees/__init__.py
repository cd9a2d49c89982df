"""Label trees and the algorithms that build them."""

from labeltree.trees.cost_model import CostModel
from labeltree.trees.merge import merge
from labeltree.trees.refine import collapse, sweep
from labeltree.trees.tree import LabelTree

__all__ = ["CostModel", "LabelTree", "collapse", "merge", "sweep"]

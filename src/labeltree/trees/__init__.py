"""Label trees and the algorithms that build them."""

from labeltree.trees.tree import LabelTree

__all__ = ["LabelTree"]

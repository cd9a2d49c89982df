"""Probabilistic label trees that know and minimise what they cost."""

from labeltree import cost, data, trees
from labeltree.trees import LabelTree

__all__ = ["LabelTree", "cost", "data", "trees"]

"""Label trees and the algorithms that build them."""

from labeltree.trees._binarize import binarize
from labeltree.trees._binary_merge import binary_merge
from labeltree.trees._blend import blend
from labeltree.trees._cheapest import cheapest
from labeltree.trees._complete import complete
from labeltree.trees._exact import exact
from labeltree.trees._huffman import huffman
from labeltree.trees._kmeans import kmeans
from labeltree.trees._merge import merge
from labeltree.trees._multiclass import multiclass
from labeltree.trees._nested import nested
from labeltree.trees._random import random
from labeltree.trees._refine import collapse, sweep
from labeltree.trees._shannon import shannon
from labeltree.trees._star import star
from labeltree.trees.cost_model import CostModel
from labeltree.trees.other_systems import from_napkinxc, from_omikuji, from_pecos, to_napkinxc
from labeltree.trees.taxonomy import Hierarchy, from_hierarchy
from labeltree.trees.tree import LabelTree
from labeltree.trees.vectors import label_vectors

__all__ = [
    "CostModel",
    "Hierarchy",
    "LabelTree",
    "binarize",
    "binary_merge",
    "blend",
    "cheapest",
    "collapse",
    "complete",
    "exact",
    "from_hierarchy",
    "from_napkinxc",
    "from_omikuji",
    "from_pecos",
    "huffman",
    "kmeans",
    "label_vectors",
    "merge",
    "multiclass",
    "nested",
    "random",
    "shannon",
    "star",
    "sweep",
    "to_napkinxc",
]

"""Label trees and the algorithms that build them."""

from labeltree.trees.binarize import binarize
from labeltree.trees.binary_merge import binary_merge
from labeltree.trees.blend import blend
from labeltree.trees.cheapest import cheapest
from labeltree.trees.complete import complete
from labeltree.trees.cost_model import CostModel
from labeltree.trees.exact import exact
from labeltree.trees.huffman import huffman
from labeltree.trees.kmeans import kmeans
from labeltree.trees.merge import merge
from labeltree.trees.multiclass import multiclass
from labeltree.trees.nested import nested
from labeltree.trees.other_systems import from_napkinxc, from_omikuji, from_pecos, to_napkinxc
from labeltree.trees.random_tree import random
from labeltree.trees.refine import collapse, sweep
from labeltree.trees.shannon import shannon
from labeltree.trees.star import star
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

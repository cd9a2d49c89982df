"""Label trees as output layers of neural networks, in PyTorch.

`TreeSoftmax` replaces a softmax over many classes, and `TreeBCE` replaces one sigmoid per label.
Both are `torch.nn.Module`s. On a GPU they run Triton kernels; on a CPU they run plain PyTorch.
Requires ``pip install "labeltree[torch]"``.
"""

try:
    import torch as _torch
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ImportError(
        'labeltree.torch needs the package torch: pip install "labeltree[torch]"'
    ) from None

from labeltree.torch.bce import TreeBCE
from labeltree.torch.clusters import cluster
from labeltree.torch.costs import StepCosts, TreeShape
from labeltree.torch.encoders import BagEncoder
from labeltree.torch.export import to_classifier
from labeltree.torch.fused import FusedOptimizer
from labeltree.torch.graphs import graphed
from labeltree.torch.head import TreeOutput
from labeltree.torch.layout import Layout
from labeltree.torch.measuring import measure_costs
from labeltree.torch.mixture import TreeMixture
from labeltree.torch.plans import Plan, plan
from labeltree.torch.search import TopK
from labeltree.torch.sharded import ShardedTree
from labeltree.torch.softmax import TreeSoftmax
from labeltree.torch.text_encoder import TextEncoder
from labeltree.torch.trainer import TreeNetwork, fit

__all__ = [
    "BagEncoder",
    "FusedOptimizer",
    "Layout",
    "Plan",
    "ShardedTree",
    "StepCosts",
    "TextEncoder",
    "TopK",
    "TreeBCE",
    "TreeMixture",
    "TreeNetwork",
    "TreeOutput",
    "TreeShape",
    "TreeSoftmax",
    "cluster",
    "fit",
    "graphed",
    "measure_costs",
    "plan",
    "to_classifier",
]
del _torch

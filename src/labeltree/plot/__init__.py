"""Plots of trees, their costs and their predictions; each function returns a matplotlib Figure.

Figures are created without pyplot, so no window opens and no global state changes. Save one with
``figure.savefig("tree.png")``. Requires ``pip install "labeltree[plot]"``.
"""

from labeltree.plot.costs import accuracy_against_cost, cost_against_arity, cost_bars, leaf_costs
from labeltree.plot.explained import explanation
from labeltree.plot.probabilities import reliability
from labeltree.plot.treetop import tree_top

__all__ = [
    "accuracy_against_cost",
    "cost_against_arity",
    "cost_bars",
    "explanation",
    "leaf_costs",
    "reliability",
    "tree_top",
]

"""The training cost of a tree, and lower bounds for all trees."""

from labeltree.cost.lower_bounds import lower_bound
from labeltree.cost.pair_bound import pair_lower_bound
from labeltree.cost.training import (
    assign,
    expected_cost,
    leaf_costs,
    node_weights,
    row_costs,
    training_cost,
)
from labeltree.cost.tree_report import TreeReport, report

__all__ = [
    "TreeReport",
    "assign",
    "expected_cost",
    "leaf_costs",
    "lower_bound",
    "node_weights",
    "pair_lower_bound",
    "report",
    "row_costs",
    "training_cost",
]

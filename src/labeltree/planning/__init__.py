"""Choosing a tree: candidates, their costs, and the best one within a budget."""

from labeltree.planning.budget import Budget
from labeltree.planning.plans import PlanRow
from labeltree.planning.training_times import measure_cost_model

__all__ = ["Budget", "PlanRow", "measure_cost_model"]

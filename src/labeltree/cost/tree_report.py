"""A report of the cost of a tree on given label rows, with its lower bound and guarantee."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from labeltree.arguments import checked
from labeltree.cost import training
from labeltree.cost.lower_bounds import lower_bound
from labeltree.data import LabelRows
from labeltree.trees import LabelTree


@dataclass(frozen=True)
class TreeReport:
    """The cost of one tree on given label rows, created by `report`.

    Costs are numbers of (row, node) pairs. `str` formats the report as text.
    """

    n_rows: int
    n_labels: int
    n_nodes: int
    depth: int  #: edges on the longest path
    max_degree: int
    cost: int  #: c(T, Y)
    lower_bound: float  #: no tree costs less on these rows
    guarantee: int  #: bound on the ratio of cost to optimum for any label rows
    mean_leaf_cost: float  #: mean D_j over (row, label) pairs
    mean_leaf_cost_of_labels: float  #: mean D_j over labels
    worst_leaf_cost: int  #: largest D_j
    threshold: float  #: probability threshold of queries in `prediction_cost_bound`
    holdout_cost_per_row: float | None = None  #: cost per row on held-out rows

    @property
    def cost_per_row(self) -> float:
        """Mean number of nodes that a row trains."""
        return self.cost / self.n_rows

    @property
    def ratio(self) -> float:
        """Cost divided by lower bound, which bounds the ratio of cost to optimum."""
        return self.cost / self.lower_bound

    @property
    def prediction_cost(self) -> float:
        """Mean number of nodes that a query visits if the estimates are free of noise.

        This is the training cost per row, computed on the held-out rows if there are any.
        """
        holdout = self.holdout_cost_per_row
        return self.cost_per_row if holdout is None else holdout

    @property
    def prediction_cost_bound(self) -> float:
        """Upper bound on the mean number of nodes per query if estimates are true probabilities.

        (C - (1 - τ)) / τ for expected cost C and threshold τ.
        """
        return (self.prediction_cost - (1.0 - self.threshold)) / self.threshold

    def to_dict(self) -> dict[str, Any]:
        """Return all values by name, including derived ones, ready for JSON."""
        derived = ("cost_per_row", "ratio", "prediction_cost", "prediction_cost_bound")
        return dataclasses.asdict(self) | {name: getattr(self, name) for name in derived}

    def __str__(self) -> str:
        return "\n".join(f"{name:<17} {text}" for name, text in self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        meaning = "upper bound on cost / optimum for these rows"
        if self.cost <= self.lower_bound:
            meaning = "no tree costs less on these rows"
        of_labels = self.mean_leaf_cost_of_labels
        lines = [
            ("tree", f"{self.n_labels:,} labels, {self.n_nodes:,} nodes"),
            ("shape", f"depth {self.depth}, at most {self.max_degree:,} children per node"),
            ("training cost", f"{self.cost:,} over {self.n_rows:,} rows"),
            ("  per row", f"{self.cost_per_row:,.2f}"),
            ("lower bound", f"{self.lower_bound / self.n_rows:,.2f} per row, for any tree"),
            ("  ratio", f"{self.ratio:.3f}: {meaning}"),
            ("guarantee", f"at most {self.guarantee:,} times the optimum on any rows"),
            ("cost of a label", f"{self.mean_leaf_cost:,.1f}, mean over rows"),
            ("", f"{of_labels:,.1f}, mean over labels; {self.worst_leaf_cost:,} at most"),
            ("nodes per query", f"{self.prediction_cost:,.2f} without noise"),
            ("", f"at most {self.prediction_cost_bound:,.2f} at threshold {self.threshold:g}"),
        ]
        if self.holdout_cost_per_row is not None:
            lines.insert(4, ("  held-out rows", f"{self.holdout_cost_per_row:,.2f}"))
        return lines


@checked
def report(
    tree: LabelTree, Y: object, *, holdout: object = None, threshold: float = 0.5
) -> TreeReport:
    """Return the cost of a tree on label rows, a lower bound for any tree, and its guarantee.

    Parameters
    ----------
    tree
        Any tree over the labels of Y.
    Y
        Label rows, at least one.
    holdout
        Held-out label rows that the tree was not built from. They are used to estimate the cost of
        queries.
    threshold
        Minimum probability τ of the labels that a query returns; above 0 and at most 1.

    Notes
    -----
    The guarantee is max_j D_j: a row costs at most 1 + Σ D_j over its labels j, and in any tree at
    least 1 + the number of its labels. The ratio of cost to lower bound never exceeds the guarantee
    and is usually much smaller, but it holds for these rows only.

    Examples
    --------
    >>> tree = LabelTree.from_nested([[0, 1], 2])
    >>> figures = report(tree, [[0], [0, 1], [2], []])
    >>> figures.cost, figures.cost_per_row, figures.guarantee
    (14, 3.5, 4)
    """
    rows = tree.label_rows(Y)
    holdout_rows = None if holdout is None else tree.label_rows(holdout)
    return report_rows(tree, rows, lower_bound(rows), holdout=holdout_rows, threshold=threshold)


def report_rows(
    tree: LabelTree,
    rows: LabelRows,
    cost_bound: float,
    *,
    holdout: LabelRows | None,
    threshold: float,
) -> TreeReport:
    """Return the report with a known lower bound, such as for the second tree of a plan."""
    if rows.n_rows == 0:
        raise ValueError("a report needs at least one row, but Y has none")
    if holdout is not None and holdout.n_rows == 0:
        raise ValueError("holdout must have at least one row, but has none")
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must be above 0 and at most 1, but is {threshold}")
    leaf_costs, counts = training.leaf_costs(tree), rows.counts
    return TreeReport(
        n_rows=rows.n_rows,
        n_labels=tree.n_labels,
        n_nodes=tree.n_nodes,
        depth=tree.depth,
        max_degree=tree.max_degree,
        cost=training.training_cost(tree, rows),
        lower_bound=cost_bound,
        guarantee=max(int(leaf_costs.max()), 1),
        mean_leaf_cost=float(leaf_costs @ counts) / max(len(rows.indices), 1),
        mean_leaf_cost_of_labels=float(np.mean(leaf_costs)),
        worst_leaf_cost=int(leaf_costs.max()),
        threshold=float(threshold),
        holdout_cost_per_row=(
            None if holdout is None else training.training_cost(tree, holdout) / holdout.n_rows
        ),
    )

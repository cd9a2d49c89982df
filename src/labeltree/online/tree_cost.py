"""What the current tree costs, beside what no tree can do better."""

from __future__ import annotations

from typing import NamedTuple


class TreeCost(NamedTuple):
    """Nodes that a row of the last rows visits on average."""

    cost: float  # with the current tree
    lower_bound: float  # with any tree
    n_rows: int  # that this is about

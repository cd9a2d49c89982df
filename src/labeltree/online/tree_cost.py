"""The cost of the current tree and a lower bound for any tree."""

from __future__ import annotations

from typing import NamedTuple


class TreeCost(NamedTuple):
    """Mean number of nodes that a recent row visits."""

    cost: float  # with the current tree
    lower_bound: float  # for any tree
    n_rows: int  # number of recent rows

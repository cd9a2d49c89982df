"""Comparison of trees for a data set, and the best one within a budget.

Trees are built in full and their costs are exact. Time, memory and model size are estimated by
training samples (`labeltree.planning.resources`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from labeltree import cost
from labeltree.arguments import checked, shown
from labeltree.cost.tree_report import TreeReport, report_rows
from labeltree.data import LabelRows, as_features, as_labels
from labeltree.planning.budget import Budget
from labeltree.planning.candidates import (
    CANDIDATES,
    OPTIMAL,
    Candidate,
    Guarantee,
    Inputs,
    own_candidate,
    times_optimum,
)
from labeltree.planning.cluster import Workers
from labeltree.planning.resources import Estimator, Resources
from labeltree.planning.table import plan_table
from labeltree.progress import Progress
from labeltree.trees import CostModel, LabelTree
from labeltree.trees.cost_model import PAPER
from labeltree.units import format_bytes, format_seconds

__all__ = ["Plan", "PlanRow", "plan"]

DEFAULT_SWEEPS = 2
_STOPPED = "interrupted"  # why a tree was left out
_THRESHOLD = 0.5  # for the reports; the plan uses nothing that depends on it


@dataclass(frozen=True)
class PlanRow:
    """One tree of a plan."""

    name: str
    tree: LabelTree
    report: TreeReport
    guarantee: Guarantee  #: what is proven about its cost
    price: float  #: cost of all nodes except the root's own, by the plan's cost model
    build_seconds: float  #: measured
    resources: Resources | None  #: estimates; None without features
    breaks: tuple[str, ...] = ()  #: exceeded limits of the budget, as text
    excess: float = 1.0  #: largest ratio of use to limit; above 1 if a limit is exceeded

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by name, ready for JSON, without the tree itself."""
        return {
            "name": self.name,
            **self.report.to_dict(),
            "guarantee_text": self.guarantee.text,
            "price": self.price,
            "build_seconds": self.build_seconds,
            **(asdict(self.resources) if self.resources else {}),
            "breaks": list(self.breaks),
        }


@dataclass(frozen=True)
class Plan:
    """Comparison of trees, cheapest first, and the recommended one; `print` shows the table."""

    rows: tuple[PlanRow, ...]
    best: PlanRow
    reason: str  #: why this tree is the best
    budget: Budget
    left_out: Mapping[str, str]  #: names of the trees that were not built, and why

    @property
    def fits(self) -> bool:
        """Whether the best tree is within the budget; if not, no tree is."""
        return not self.best.breaks

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C interrupted the plan before the last tree."""
        return _STOPPED in self.left_out.values()

    def table(self) -> str:
        """Return the plan as a text table of at most 100 columns."""
        return plan_table(self)

    def __str__(self) -> str:
        return self.table()

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a dictionary, ready for JSON, without the trees themselves."""
        return {
            "best": self.best.name,
            "reason": self.reason,
            "fits": self.fits,
            "budget": self.budget.limits(),
            "trees": [row.to_dict() for row in self.rows],
            "left_out": dict(self.left_out),
        }


@checked
def plan(
    X: Any,
    Y: Any,
    *,
    trees: Iterable[str] | None = None,
    compare_trees: Mapping[str, LabelTree] | None = None,
    budget: str | Mapping[str, float | str] | Budget | None = None,
    holdout: float = 0.0,
    sweeps: int = DEFAULT_SWEEPS,
    random_state: int = 0,
    n_jobs: int | None = None,
    cost_model: CostModel = PAPER,
    progress: Progress | None = None,
    n_workers: int | None = None,
    worker_memory: float | str | None = None,
) -> Plan:
    """Return a comparison of the trees that suit X and Y, and the best one within a budget.

    The best tree is the one with the lowest cost, by the cost model, among those within the budget.
    Ties go to the tree with fewer nodes. Accuracy is not considered, because it is unknown before
    training; the default tree, "auto", is designed for it. If no tree is within the budget, the
    best tree is the one that exceeds it by the smallest factor, and `Plan.fits` is False.

    Estimates take about half as long as training, and less with more than 60,000 rows: some nodes
    are trained on all rows, and small models on samples of the rows.

    Ctrl-C between two trees ends the plan with the trees built so far.

    Parameters
    ----------
    X
        Features of the rows. If None, trees that need features and all estimates are left out.
    Y
        Labels of the rows.
    trees
        Names of the trees to build. If None, all that suit the data.
    compare_trees
        Your own trees to include in the comparison, by name.
    budget
        Limits such as "60s" (building and training), "500MB" (training) or "2ms" (a query of one
        row), separated by commas, or a mapping; see `labeltree.planning.Budget.parse`.
    holdout
        Fraction of the rows, drawn at random, that is not used to build the trees. The plan shows
        the cost of these rows as well.
    sweeps
        Number of sweeps for the tree "cheapest+sweeps". On many rows, sweeps take most of the time.
    random_state
        Seed for drawing the held-out rows and for trees over features.
    n_jobs
        Number of threads for trees over features. Estimates are always for one core.
    cost_model
        Cost model that trees are compared by and that "cheapest" and "kmeans+collapse" minimize.
    progress
        Callback that receives the number of trees done, their total, and the next tree's name.
    n_workers
        Number of workers of a cluster, with one core each. The plan then has the time of a fit on
        them, in which trees are built by one machine, and what each worker holds.
    worker_memory
        Memory of each worker, such as "8GB", with X and Y in files that all workers read. A tree
        that needs more is over budget.

    Examples
    --------
    >>> Y = [["tea", "milk"]] * 3 + [["bread"], ["jam"], ["ham"], ["egg"]]
    >>> made = plan(None, Y)
    >>> made.best.name, made.best.report.cost_per_row
    ('exact', 6.0)
    """
    limits = Budget.parse(budget)
    all_rows = as_labels(Y)
    features = None if X is None else as_features(X)
    workers = Workers.parse(n_workers, worker_memory)
    _check(features, all_rows, limits, holdout, sweeps, workers)
    built_from, kept = _split(all_rows.n_rows, holdout, random_state)
    inputs = Inputs(
        X=features if features is None or kept is None else features[built_from],
        rows=all_rows if kept is None else all_rows.select(built_from),
        sweeps=sweeps,
        random_state=random_state,
        n_jobs=n_jobs,
        cost_model=cost_model,
    )
    chosen, left_out = _candidates(inputs, trees, compare_trees or {})
    pricing = _Pricing(inputs, None if kept is None else all_rows.select(kept), limits, workers)
    rows = _build_all(chosen, pricing, progress)
    left_out |= {candidate.name: _STOPPED for candidate in chosen[len(rows) :]}
    return _choose(rows, limits, left_out, workers)


def _check(
    X: Any,
    rows: LabelRows,
    budget: Budget,
    holdout: float,
    sweeps: int,
    workers: Workers | None,
) -> None:
    if rows.n_labels < 2:
        raise ValueError(f"a plan compares trees over at least 2 labels, but Y has {rows.n_labels}")
    if rows.n_rows == 0:
        raise ValueError("a plan needs at least one row, but Y has none")
    if X is not None and X.shape[0] != rows.n_rows:
        raise ValueError(f"X has {X.shape[0]} rows, but Y has {rows.n_rows}")
    if X is None and workers is not None:
        raise ValueError("n_workers requires features to estimate from; pass X, but it is None")
    if X is None and budget.limits():
        raise ValueError(
            "time, memory and model size are estimated from features; pass X or drop the budget"
        )
    if not 0 <= holdout < 1:
        raise ValueError(f"holdout must be at least 0 and less than 1, but is {holdout}")
    if sweeps < 0:
        raise ValueError(f"sweeps must be at least 0, but is {sweeps}")


def _split(n_rows: int, holdout: float, random_state: int) -> tuple[Any, Any]:
    """Return the rows to build from and those to hold out, both ascending; None without holdout."""
    n_holdout = round(n_rows * holdout)
    if n_holdout == 0:
        return None, None
    if n_holdout == n_rows:
        raise ValueError(
            f"holdout must leave a row to build trees from, but is {holdout} of {n_rows} rows"
        )
    order = np.random.default_rng(random_state).permutation(n_rows)
    return np.sort(order[n_holdout:]), np.sort(order[:n_holdout])


def _candidates(
    inputs: Inputs, names: Iterable[str] | None, compare_trees: Mapping[str, LabelTree]
) -> tuple[list[Candidate], dict[str, str]]:
    """Return the trees to build, and the reason why each of the others is left out."""
    if isinstance(names, str):
        raise TypeError(f"trees must be a list of names, but is the string {names!r}")
    known = {candidate.name: candidate for candidate in CANDIDATES}
    wanted = list(known) if names is None else list(names)
    for name in wanted:
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"trees must be among {', '.join(known)}, but one is {shown(name)}")
    wanted = list(dict.fromkeys(wanted))
    reasons = {name: known[name].unfit(inputs) for name in wanted}
    left_out = {name: reason for name, reason in reasons.items() if reason}
    chosen = [known[name] for name in wanted if not reasons[name]]
    for name, tree in compare_trees.items():
        if name in known:
            raise ValueError(f"your own tree needs a name that no builder has, but is {name!r}")
        chosen.append(own_candidate(name, tree, inputs.rows))
    if not chosen:
        raise ValueError(
            "a plan needs at least one tree to build, but all are left out: "
            + ", ".join(f"{name} ({reason})" for name, reason in left_out.items())
        )
    return chosen, left_out


class _Pricing:
    """Inputs shared by all rows of a plan."""

    def __init__(
        self,
        inputs: Inputs,
        holdout: LabelRows | None,
        budget: Budget,
        workers: Workers | None,
    ) -> None:
        self.inputs, self.holdout, self.budget, self.workers = inputs, holdout, budget, workers
        self.lower_bound = cost.lower_bound(inputs.rows)
        self.estimator = (
            None if inputs.X is None else Estimator(inputs.X, inputs.rows, inputs.random_state)
        )

    def row(self, candidate: Candidate) -> PlanRow:
        """Build one tree and compute its cost and estimates."""
        rows, cost_model = self.inputs.rows, self.inputs.cost_model
        start = time.perf_counter()
        tree = candidate.build(self.inputs)
        seconds = time.perf_counter() - start
        figures = report_rows(
            tree, rows, self.lower_bound, holdout=self.holdout, threshold=_THRESHOLD
        )
        resources = None
        if self.estimator is not None:
            resources = self.estimator.estimate(tree, self.workers)
        return PlanRow(
            name=candidate.name,
            tree=tree if tree.names is not None else tree.with_names(rows.names),
            report=figures,
            guarantee=self._guarantee(candidate, figures),
            price=cost_model.price(tree, rows),
            build_seconds=seconds,
            resources=resources,
            **_exceeded(self.budget, resources, seconds, self.workers),
        )

    def _guarantee(self, candidate: Candidate, figures: TreeReport) -> Guarantee:
        if figures.cost <= figures.lower_bound:
            return OPTIMAL
        return candidate.guarantee(self.inputs) or times_optimum(figures.guarantee)


def _exceeded(
    budget: Budget, resources: Resources | None, build_seconds: float, workers: Workers | None
) -> dict[str, Any]:
    """Return which limits are exceeded, and the largest ratio of use to limit."""
    if resources is None:
        return {}
    uses = {
        "time": build_seconds + resources.training_seconds,
        "memory": resources.training_bytes,
        "model": resources.model_bytes,
        "query": resources.query_seconds,
    }
    breaks, excess = [], 0.0
    limits = budget.limits()
    if resources.cluster is not None and workers is not None and workers.memory is not None:
        uses["worker memory"] = resources.cluster.min_worker_bytes
        limits["worker memory"] = workers.memory
    for name, limit in limits.items():
        excess = max(excess, uses[name] / limit)
        if uses[name] > limit:
            breaks.append(f"{name} {_amount(name, uses[name])}")
    return {"breaks": tuple(breaks), "excess": excess}


def _amount(name: str, value: float) -> str:
    is_bytes = name in ("memory", "model", "worker memory")
    return format_bytes(value) if is_bytes else format_seconds(value)


def _build_all(
    chosen: list[Candidate], pricing: _Pricing, progress: Progress | None
) -> list[PlanRow]:
    """Return the finished rows: all of them, or those before Ctrl-C."""
    rows: list[PlanRow] = []
    report_progress = progress or (lambda done, total, name: None)
    for candidate in chosen:
        try:
            report_progress(len(rows), len(chosen), candidate.name)
            rows.append(pricing.row(candidate))
        except KeyboardInterrupt:
            if not rows:
                raise
            break
    report_progress(len(rows), len(chosen), "")
    return rows


def _choose(
    rows: list[PlanRow], budget: Budget, left_out: dict[str, str], workers: Workers | None
) -> Plan:
    ordered = sorted(rows, key=lambda row: (row.price, row.tree.n_nodes))
    fitting = [row for row in ordered if not row.breaks]
    given = budget.limits()
    if workers is not None and workers.memory is not None:
        given["worker memory"] = workers.memory
    limits = ", ".join(f"{name} {_amount(name, at)}" for name, at in given.items())
    among = "the trees built so far" if _STOPPED in left_out.values() else "all trees"
    if not limits:
        best, reason = ordered[0], f"the cheapest of {among}"
    elif fitting:
        best = fitting[0]
        reason = f"the cheapest of the {len(fitting)} within {limits}"
    else:
        best = min(ordered, key=lambda row: row.excess)
        reason = f"no tree is within {limits}; this one exceeds it the least, by {best.excess:.3g}×"
    return Plan(tuple(ordered), best, reason, budget, left_out)

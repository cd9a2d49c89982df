"""A plan as a plain text table of at most 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from labeltree.training.effort import LEVELS
from labeltree.trees.by_name import AUTO
from labeltree.units import compact, format_bytes, format_seconds

if TYPE_CHECKING:
    from labeltree.planning.plans import Plan, PlanRow
    from labeltree.planning.resources import Resources

WIDTH = 100
_MAX_NAME = 15
_Column = tuple[str, Callable[["PlanRow"], str]]


def plan_table(plan: Plan) -> str:
    """Return the table, a legend of its columns, and the recommended tree."""
    columns = _columns(plan)
    lines = [[title for title, _ in columns]]
    lines += [[write(row) for _, write in columns] for row in plan.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    marks = [" ", *("*" if row is plan.best else " " for row in plan.rows)]
    text = [
        mark + "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for mark, line in zip(marks, lines, strict=True)
    ]
    return "\n".join([*text, "", *_notes(plan)])


def _columns(plan: Plan) -> list[_Column]:
    first = plan.rows[0]
    shape: list[_Column] = [
        ("depth", lambda row: compact(row.report.depth)),
        ("nodes", lambda row: compact(row.report.n_nodes)),
        ("degree", lambda row: compact(row.report.max_degree)),
    ]
    if first.report.holdout_cost_per_row is not None:
        # There is no room for both, and the report has the degree.
        shape[2] = ("unseen", lambda row: compact(row.report.holdout_cost_per_row or 0.0))
    columns: list[_Column] = [
        ("tree", lambda row: _shortened(row.name)),
        ("cost", lambda row: compact(row.report.cost_per_row)),
        ("×bound", lambda row: _ratio(row.report.ratio)),
        ("guarantee", lambda row: row.guarantee.short),
        *shape,
        ("build", lambda row: format_seconds(row.build_seconds)),
    ]
    if first.resources is not None:
        columns += [
            ("train", lambda row: format_seconds(_resources(row).training_seconds)),
            ("memory", lambda row: format_bytes(_resources(row).training_bytes)),
            ("model", lambda row: format_bytes(_resources(row).model_bytes)),
            ("query", lambda row: format_seconds(_resources(row).query_seconds)),
        ]
    return columns


def _resources(row: PlanRow) -> Resources:
    assert row.resources is not None  # either all rows of a plan have them or none does
    return row.resources


def _shortened(name: str) -> str:
    return name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 1] + "…"


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 999.995 else compact(value)


def _notes(plan: Plan) -> list[str]:
    first = plan.rows[0]
    bound = first.report.lower_bound / first.report.n_rows
    notes = [
        f"cost: (row, node) pairs per row; no tree is below {compact(bound)}. ×bound: cost divided "
        "by that bound. guarantee: proven for any rows, or for rows like these."
    ]
    if first.report.holdout_cost_per_row is not None:
        notes.append("unseen: cost of the held-out rows, which the trees were not built from.")
    if first.resources is not None:
        notes.append(
            "train, memory, model, query: estimates from trained samples, on one core; query is "
            "the search for the 5 best labels of one row. train is for one tree without "
            f"re-ranking ({_relative_times()}). Accuracy is not estimated; measure it after "
            "training."
        )
    notes += _cluster_notes(plan)
    if any(row.name == AUTO for row in plan.rows):
        notes.append(
            f"{AUTO}: the default tree. Its wide nodes of similar labels cost more pairs, but are "
            "more accurate and faster to search."
        )
    if plan.left_out:
        notes.append(f"left out: {_by_reason(plan.left_out)}.")
    if not plan.fits:
        listed = "; ".join(f"{row.name}: {', '.join(row.breaks)}" for row in plan.rows)
        notes.append(f"over budget: {listed}.")
    notes.append(f"* {plan.best.name}: {plan.reason}.")
    return [line for note in notes for line in textwrap.wrap(note, WIDTH, break_on_hyphens=False)]


def _cluster_notes(plan: Plan) -> list[str]:
    """Return what the best tree takes on the workers of a cluster."""
    best = plan.best
    if best.resources is None or best.resources.cluster is None:
        return []
    use = best.resources.cluster
    times = (best.build_seconds + use.training_seconds, use.driver_seconds, use.longest_job_seconds)
    total, driver, longest = map(format_seconds, times)
    notes = [
        f"{use.n_workers} workers: {best.name} is built and trained in {total}, of which the "
        f"driver takes {driver} before training; the longest job takes {longest}. Each worker "
        f"needs {format_bytes(use.worker_bytes)} with X in memory, and at least "
        f"{format_bytes(use.min_worker_bytes)} with X in files."
    ]
    if use.window_share < 1 and use.fits:
        notes.append(
            f"X does not fit into a worker, which holds {use.window_share:.0%} of it at a time; "
            f"{use.n_streamed:,} of {use.n_packs:,} packs of nodes have more rows than that, and "
            "read X again several times in each pass. Narrower trees have fewer."
        )
    return notes


def _relative_times() -> str:
    """Return how much longer more effort takes than the default."""
    longer = {name: level.time for name, level in LEVELS.items() if level.time > 1}
    times = " and ".join(f"{time:g}" for time in longer.values())
    return f"effort {' and '.join(longer)}: about {times} times as long"


def _by_reason(left_out: Mapping[str, str]) -> str:
    reasons = dict.fromkeys(left_out.values())
    return "; ".join(
        ", ".join(name for name, why in left_out.items() if why == reason) + f" ({reason})"
        for reason in reasons
    )

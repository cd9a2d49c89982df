"""Tables and plots of how costs grow, with fitted curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from benchmarks.pages.places import Record, measured_on
from benchmarks.pages.style import LINES, finish, log_axes, new_panels, shared_legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Points = Sequence[dict[str, Any]]

#: Key of a figure and its description.
GROWING = {
    "train_cpu_s": "training, CPU s",
    "train_over_data_mb": "training memory over data, MB",
    "batch_us": "top 5 in a batch, µs per row",
    "cost_per_row": "tree cost c(T, Y) per row",
}
CALLS = {
    "calls_threshold": "classifiers evaluated, threshold 0.5",
    "calls_top_5": "classifiers evaluated, top 5",
    "cost_per_row": "tree cost c(T, Y) per row",
}
#: Columns shared by all trees, and columns with one figure per tree.
_SHARED = {"labels": "{n_labels:,}", "rows": "{n_rows:,}", "bound": "{bound_per_row:.1f}"}
_OF_TREES = {
    "train, CPU s": "{train_cpu_s:.2f}",
    "memory over data, MB": "{train_over_data_mb:.0f}",
    "cost per row": "{cost_per_row:.1f}",
    "evaluated, threshold 0.5": "{calls_threshold:.0f}",
    "evaluated, top 5": "{calls_top_5:.0f}",
    "batch, µs per row": "{batch_us:.1f}",
    "P@1": "{P@1:.1f}",
}
_WORDS = {"n_labels": "labels", "n_rows": "rows"}
_TITLES = {"labels": "More labels", "rows": "More rows", "both": "More labels and rows"}


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the exponent b of y = a·x^b by least squares in logarithms.

    Examples
    --------
    >>> round(exponent([1, 10, 100], [5, 50, 500]), 6)
    1.0
    """
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def line_in_log(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """Return a and b of y = a + b·log2 x, and R², the share of explained variance.

    Examples
    --------
    >>> [round(number, 6) for number in line_in_log([2, 4, 8], [1, 3, 5])]
    [-1.0, 2.0, 1.0]
    """
    logs, values = np.log2(x), np.asarray(y, float)
    b, a = np.polyfit(logs, values, 1)
    rest = values - a - b * logs
    return float(a), float(b), float(1 - rest.var() / values.var())


def by_tree(record: Record) -> dict[str, Points]:
    """Return the points of each tree that have figures."""
    names = dict.fromkeys(point["tree"] for point in record["points"])
    found = {
        tree: [p for p in record["points"] if p["tree"] == tree and "error" not in p]
        for tree in names
    }
    return {tree: points for tree, points in found.items() if points}


def tables(records: list[Record]) -> str:
    """Return a table for each sweep, the failures, and the fits."""
    parts = []
    for record in records:
        trees = by_tree(record)
        title = f"**{_TITLES[record['data']]}** ({' / '.join(trees)})"
        parts.append(f"{title}\n\n{table([*_SHARED, *_OF_TREES], _rows(record, trees))}")
        failed = [point for point in record["points"] if "error" in point]
        parts += [f"{p['tree']}, {p[record['over']]:,}: {p['error']}." for p in failed]
    if any(len(points) > 2 for record in records for points in by_tree(record).values()):
        parts.append(f"**Fitted exponents**\n\n{fits(records)}")
    parts.append(measured_on(records, f"one thread, seed {records[0]['seed']}"))
    return "\n\n".join(parts)


def _rows(record: Record, trees: dict[str, Points]) -> list[list[str]]:
    longest = max(trees.values(), key=len)
    rows = []
    for i, first in enumerate(longest):
        at = [points[i] if i < len(points) else None for points in trees.values()]
        shared = [cell.format_map(first) for cell in _SHARED.values()]
        cells = [
            " / ".join("–" if point is None else cell.format_map(point) for point in at)
            for cell in _OF_TREES.values()
        ]
        rows.append([*shared, *cells])
    return rows


def fits(records: list[Record]) -> str:
    """Return a table of exponents, and of the lines in the logarithm of the labels seen."""
    rows = []
    for record in records:
        for tree, points in by_tree(record).items():
            if len(points) > 2:
                x = [point[record["over"]] for point in points]
                powers = [f"{exponent(x, [p[key] for p in points]):.2f}" for key in GROWING]
                rows.append([f"{_TITLES[record['data']]}, {tree}", *powers, _calls(record, points)])
    words = ("training time", "memory", "batch time", "cost per row")  # as in GROWING
    return table(["", *words, "evaluated at threshold 0.5, m labels seen"], rows)


def _calls(record: Record, points: Points) -> str:
    if record["data"] != "both":
        return "–"
    seen = [point["n_seen"] for point in points]
    a, b, share = line_in_log(seen, [point["calls_threshold"] for point in points])
    return f"{a:.1f} {b:+.2f}·log2 m (R² {share:.3f})"


def values(records: list[Record]) -> Iterator[tuple[str, str]]:
    """Yield the training time of the largest size of each sweep, and the exponents of time."""
    for record in records:
        for tree, points in by_tree(record).items():
            name = f"scale.{record['data']}.{tree}"
            yield f"{name}.largest.train_cpu_s", f"{points[-1]['train_cpu_s']:.0f}"
            if len(points) > 2:
                x = [point[record["over"]] for point in points]
                power = exponent(x, [point["train_cpu_s"] for point in points])
                yield f"{name}.exponent.train_cpu_s", f"{power:.1f}"


def plots(records: list[Record]) -> Iterator[tuple[str, Figure]]:
    """Yield file names and figures of the sweep in which labels and rows grow together."""
    # With a constant number of rows per label, nodes stay about equally accurate.
    for record in records:
        if record["data"] == "both":
            yield "scale-both.png", draw_growth(record)
            yield "scale-calls.png", draw_calls(record)


def draw_growth(record: Record) -> Figure:
    """Return a figure of all costs on logarithmic axes, with exponents."""
    figure, panels = new_panels(len(GROWING), 1.15)
    for axes, (key, words) in zip(panels, GROWING.items(), strict=True):
        powers: list[str] = []
        for line, (tree, points) in zip(LINES, by_tree(record).items(), strict=False):
            x, y = ([point[name] for point in points] for name in (record["over"], key))
            axes.plot(x, y, label=f'tree="{tree}"', **line)
            powers += [f"{exponent(x, y):.2f}"] if len(x) > 2 else []
        log_axes(axes)
        axes.set_xlabel(f"{_WORDS[record['over']]} (log scale)")
        finish(axes, f"{words}\nexponents {' and '.join(powers)}", grid="both")
    shared_legend(figure, panels[0], 2)
    return figure


def draw_calls(record: Record) -> Figure:
    """Return a figure of the classifiers evaluated against the logarithm of the labels."""
    figure, panels = new_panels(len(CALLS) - 1, 0.95)
    for axes, key in zip(panels, CALLS, strict=False):
        fitted: list[str] = []
        for line, (tree, points) in zip(LINES, by_tree(record).items(), strict=False):
            seen, calls = ([point[name] for point in points] for name in ("n_seen", key))
            axes.plot(seen, calls, label=f'tree="{tree}"', **{**line, "linestyle": "none"})
            if len(seen) > 2:
                a, b, share = line_in_log(seen, calls)
                fitted.append(f"{tree}: {a:.0f} {b:+.1f}·log₂ m, R² {share:.2f}")
                axes.plot(seen, a + b * np.log2(seen), **{**line, "marker": ""})
        log_axes(axes, "x")
        axes.set_ylim(bottom=0)
        axes.set_xlabel("labels seen in training, m (log scale)")
        finish(axes, "\n".join([CALLS[key], *fitted]), grid="y")
    shared_legend(figure, panels[0], 2)
    return figure

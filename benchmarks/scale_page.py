"""Tables and pictures of how costs grow, with what was fitted to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from labeltree.plot.style import BLUE, GREY, INK, NORMAL, ORANGE, finish, new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = Sequence[dict[str, Any]]

#: Key of a figure and its words.
GROWING = {
    "train_cpu_s": "training, CPU s",
    "train_over_data_mb": "training memory over data, MB",
    "batch_us": "top 5 of a row in a batch, µs",
    "cost_per_row": "tree cost c(T, Y) per row",
}
CALLS = {
    "calls_threshold": "classifiers called, threshold 0.5",
    "calls_top_5": "classifiers called, top 5",
    "cost_per_row": "tree cost c(T, Y) per row",
}
_COLUMNS = {
    "labels": "{n_labels:,}",
    "rows": "{n_rows:,}",
    "labels seen": "{n_seen:,}",
    "train, CPU s": "{train_cpu_s:.2f}",
    "memory over data, MB": "{train_over_data_mb:.0f}",
    "cost per row (no tree is below)": "{cost_per_row:.1f} ({bound_per_row:.1f})",
    "calls, threshold 0.5 / top 5": "{calls_threshold:.1f} / {calls_top_5:.1f}",
    "µs a row, batch / one row": "{batch_us:.1f} / {single_p50_us:.0f}",
    "P@1": "{P@1:.1f}",
}
_WORDS = {"n_labels": "labels", "n_rows": "rows"}
_TITLES = {
    "labels": "Labels grow",
    "rows": "Rows grow",
    "both": "Labels grow, and rows with them",
}
_COLORS = (ORANGE, BLUE, GREY)


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the b of y = a·x^b that fits best in logarithms.

    Examples
    --------
    >>> round(exponent([1, 10, 100], [5, 50, 500]), 6)
    1.0
    """
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def line_in_log(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """Return a and b of y = a + b·log2 x, and the share of the variance that it explains.

    Examples
    --------
    >>> [round(number, 6) for number in line_in_log([2, 4, 8], [1, 3, 5])]
    [-1.0, 2.0, 1.0]
    """
    logs, values = np.log2(x), np.asarray(y, float)
    b, a = np.polyfit(logs, values, 1)
    rest = values - a - b * logs
    return float(a), float(b), float(1 - rest.var() / values.var())


def good(sweep: dict[str, Any]) -> dict[str, Points]:
    """Return the points of each tree that have figures."""
    names = dict.fromkeys(point["tree"] for point in sweep["points"])
    found = {
        tree: [p for p in sweep["points"] if p["tree"] == tree and "error" not in p]
        for tree in names
    }
    return {tree: points for tree, points in found.items() if points}


def scale_tables(results: dict[str, Any]) -> str:
    """All sizes of both sweeps, and below each what was fitted."""
    parts = []
    for sweep in results["sweeps"]:
        for tree, points in good(sweep).items():
            rows = [[cell.format_map(point) for cell in _COLUMNS.values()] for point in points]
            name = f'**{_TITLES[sweep["name"]]}; tree="{tree}"**'
            failed = [p for p in sweep["points"] if p["tree"] == tree and "error" in p]
            notes = [f"{p[sweep['over']]:,} {sweep['name']}: {p['error']}." for p in failed]
            lines = [name, table(list(_COLUMNS), rows), fitted(sweep["over"], points), *notes]
            parts.append("\n\n".join(line for line in lines if line))
    machine = results["machine"]
    parts.append(
        f"Commit {machine['commit']}, {machine['processor']}, one thread, load average "
        f"{machine['load']:.1f} at the start, seed {results['seed']}."
    )
    return "\n\n".join(parts)


def fitted(over: str, points: Points) -> str:
    """Return in words what was fitted to the points; nothing for fewer than three."""
    if len(points) < 3:
        return ""
    x = [point[over] for point in points]
    powers = [
        f"{words} as {_WORDS[over]}^{exponent(x, [p[key] for p in points]):.2f}"
        for key, words in GROWING.items()
    ]
    text = f"Fitted: {'; '.join(powers)}."
    if over == "n_labels":
        seen = [point["n_seen"] for point in points]
        lines = []
        for key, words in CALLS.items():
            a, b, share = line_in_log(seen, [point[key] for point in points])
            lines.append(f"{words} {a:.1f} {b:+.2f}·log2 m (R² {share:.3f})")
        text += f" In the logarithm of the m labels seen: {'; '.join(lines)}."
    return text


def scale_pictures(results: dict[str, Any]) -> Iterator[tuple[str, Figure]]:
    """Yield file names and figures."""
    for sweep in results["sweeps"]:
        yield f"scale-{sweep['name']}.png", draw_growth(sweep)
        # With as many rows for each label the nodes judge about as well for any number of labels.
        if sweep["name"] == "both":
            yield "scale-calls.png", draw_calls(sweep)


def draw_growth(sweep: dict[str, Any]) -> Figure:
    """Return a figure of all costs on logarithmic axes, with exponents."""
    figure, panels = new_panels(len(GROWING), 5.0, 3.6)
    for axes, (key, words) in zip(panels, GROWING.items(), strict=True):
        for color, (tree, points) in zip(_COLORS, good(sweep).items(), strict=False):
            x, y = ([point[name] for point in points] for name in (sweep["over"], key))
            power = f", exponent {exponent(x, y):.2f}" if len(x) > 2 else ""
            axes.plot(x, y, "o-", color=color, markersize=4, label=f"{tree}{power}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        _words(axes, _WORDS[sweep["over"]], words)
    return figure


def draw_calls(sweep: dict[str, Any]) -> Figure:
    """Return a figure of the classifiers called against the logarithm of the labels."""
    figure, panels = new_panels(len(CALLS) - 1, 5.0, 3.8)
    for axes, key in zip(panels, CALLS, strict=False):
        for color, (tree, points) in zip(_COLORS, good(sweep).items(), strict=False):
            seen, calls = ([point[name] for point in points] for name in ("n_seen", key))
            axes.plot(seen, calls, "o", color=color, markersize=5, label=f'tree="{tree}"')
            if len(seen) > 2:
                a, b, share = line_in_log(seen, calls)
                label = f"{a:.0f} {b:+.1f}·log2 m, R² {share:.2f}"
                line = a + b * np.log2(seen)
                axes.plot(seen, line, color=color, linewidth=1.2, label=label)
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        _words(axes, "labels seen in training, m", CALLS[key])
    return figure


def _words(axes: Axes, x: str, title: str) -> None:
    axes.set_xlabel(f"{x} (log scale)", fontsize=NORMAL, color=INK)
    axes.legend(frameon=False, fontsize=NORMAL, labelcolor=INK)
    finish(axes, title, grid="y")

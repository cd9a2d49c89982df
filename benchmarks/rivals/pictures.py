"""Pictures of accuracy against what it costs, a panel for each data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.rivals.figures import done, is_ours
from labeltree.plot.style import BLUE, GREY, INK, NORMAL, ORANGE, SMALL, finish, new_panels, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What is drawn: file, key of the horizontal axis, its words.
PICTURES = (
    ("rivals-training.png", "train_cpu_s", "training, CPU seconds (log scale)"),
    ("rivals-latency.png", "single_p50_us", "one row, median µs (log scale)"),
    ("rivals-size.png", "model_mb", "model, MB (log scale)"),
)
_LINE = 1.25 * SMALL  # points between two lines of text


def mean_precision(system: dict[str, Any]) -> float:
    """Return the mean of P@1, P@3 and P@5."""
    return float(system["P@1"] + system["P@3"] + system["P@5"]) / 3


def draw(runs: Sequence[dict[str, Any]], key: str, words: str) -> Figure:
    """Return a figure of accuracy against one cost."""
    figure, panels = new_panels(len(runs), 6.0, 4.0)
    for axes, run in zip(panels, runs, strict=True):
        systems = [system for system in done(run) if key in system]
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,g}")
        axes.margins(x=0.12, y=0.1)
        for system in systems:
            color = ORANGE if is_ours(system) else BLUE
            axes.plot(system[key], mean_precision(system), "o", color=color, markersize=5)
        axes.set_xlabel(words, fontsize=NORMAL, color=INK)
        axes.set_ylabel("mean of P@1, P@3 and P@5, %", fontsize=NORMAL, color=INK)
        finish(axes, run["data"], grid="y")
    # Places on the paper are known only once the panels have their sizes.
    figure.draw_without_rendering()
    for axes, run in zip(panels, runs, strict=True):
        _name(axes, [(s[key], mean_precision(s), s) for s in done(run) if key in s])
    return figure


def _name(axes: Axes, points: list[tuple[float, float, dict[str, Any]]]) -> None:
    """Write names beside points, moved down where they would lie on other names or points."""
    scale = 72 / axes.figure.dpi  # from dots to points of print
    places = [axes.transData.transform((x, y)) * scale for x, y, _ in points]
    taken = [(across - 4, across + 4, up) for across, up in places]
    left, right = (axes.transAxes.transform((x, 0))[0] * scale for x in (0, 1))
    order = sorted(range(len(points)), key=lambda i: -points[i][1])
    for i in order:
        x, y, system = points[i]
        across, up = places[i]
        to_left = across > (left + right) / 2
        width = 0.55 * SMALL * len(system["system"])
        start = across - 6 - width if to_left else across + 6
        shift = 0.0
        while any(
            abs(up + shift - level) < _LINE and start < last and first < start + width
            for first, last, level in taken
        ):
            shift -= _LINE / 2
        taken.append((start, start + width, up + shift))
        note(
            axes,
            system["system"],
            (x, y),
            (-6 if to_left else 6, shift),
            ha="right" if to_left else "left",
            va="center",
            color=INK if is_ours(system) else GREY,
        )

"""Short tables of all data sets, and the plot of the home page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.markdown import table
from benchmarks.pages.style import GREEN, PURPLE
from benchmarks.rivals.figures import OURS, done, has_queries, is_ours
from labeltree.plot.style import BLUE, INK, ORANGE, RULE, new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Name, color, marker and size of each system in the plot, as in `benchmarks.rivals.pictures`.
_STYLES = {
    "napkinXC PLT": ("napkinXC", PURPLE, "^", 8.5),
    "PECOS XR-Linear": ("PECOS", GREEN, "D", 7.0),
    "omikuji, 1 tree": ("omikuji, 1 tree", BLUE, "o", 8.0),
    OURS: ("labeltree", ORANGE, "s", 10.0),
}
_TEXT = 11.0  # points; readable when the plot is shown at half its size
#: Title of each panel, and the key of its figure.
_PANELS = {"training, CPU seconds": "train_cpu_s", "one prediction, µs": "single_p50_us"}


@dataclass(frozen=True)
class Column:
    """A figure, its format, and the function that selects the best of other systems."""

    key: str
    style: str
    best: Callable[..., float] = min

    def cell(self, run: dict[str, Any]) -> str:
        """Return the figure of labeltree in bold, and the best of other systems."""
        ours = [s[self.key] for s in done(run) if s["system"] == OURS and self.key in s]
        others = [s[self.key] for s in done(run) if not is_ours(s) and self.key in s]
        if not ours or not others:
            return "–"
        return f"**{ours[0]:{self.style}}** · {self.best(others):{self.style}}"


HOME = {
    "P@1, %": Column("P@1", ".1f", max),
    "training, CPU s": Column("train_cpu_s", ",.1f"),
    "one row, µs": Column("single_p50_us", ",.0f"),
}
README = {
    **HOME,
    "rows per CPU s": Column("batch_rows_per_cpu_s", ",.0f", max),
    "model, MB": Column("model_mb", ",.1f"),
}


def summary_table(runs: Sequence[dict[str, Any]], columns: dict[str, Column]) -> str:
    """Return a row per data set: labeltree in bold, then the best other system in that figure."""
    rows = [
        [
            f"{run['data']}, {run['n_labels']:,} labels",
            *(column.cell(run) for column in columns.values()),
        ]
        for run in _largest_first(runs)
    ]
    machines = [s["machine"] for run in runs for s in done(run) if s["system"] == OURS]
    commits = sorted({machine["commit"] for machine in machines})
    processors = sorted({machine["processor"] for machine in machines})
    where = f"Commit {', '.join(commits)}, {', '.join(processors)}, one thread."
    return f"{table(['', *columns], rows)}\n\n{where}"


def draw_home(runs: Sequence[dict[str, Any]]) -> Figure:
    """Return a figure of training time and prediction time, one line per data set."""
    ordered = _largest_first([run for run in runs if has_queries(run)])
    figure, panels = new_panels(2, 3.7, 0.9 + 0.5 * len(ordered))
    for axes, (title, key) in zip(panels, _PANELS.items(), strict=True):
        _draw_panel(axes, ordered, key)
        axes.set_title(title, fontsize=_TEXT, color=INK, loc="left", pad=8.0)
    names = [f"{run['data']}\n{run['n_labels']:,} labels" for run in ordered]
    panels[0].set_yticks(range(len(ordered)), names, fontsize=_TEXT - 1, color=INK)
    panels[1].set_yticks(range(len(ordered)), [""] * len(ordered))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles[::-1],
        labels[::-1],
        loc="outside lower center",
        ncols=len(labels),
        fontsize=_TEXT,
        frameon=False,
        handletextpad=0.2,
        columnspacing=1.4,
    )
    return figure


def _largest_first(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(runs, key=lambda run: -int(run["n_labels"]))


def _draw_panel(axes: Axes, runs: Sequence[dict[str, Any]], key: str) -> None:
    for system, (name, color, marker, size) in _STYLES.items():
        points = [
            (figures[key], place)
            for place, run in enumerate(runs)
            for figures in done(run)
            if figures["system"] == system and key in figures
        ]
        if points:
            x, y = zip(*points, strict=True)
            axes.plot(x, y, marker, color=color, markersize=size, label=name, linestyle="none")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.xaxis.minorticks_off()
    axes.tick_params(axis="x", labelsize=_TEXT - 1)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.margins(x=0.08)
    axes.grid(axis="both", color=RULE, linewidth=0.8)
    axes.spines["left"].set_visible(False)

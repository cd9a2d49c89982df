"""The table and the plot of the home page: labeltree beside the best-known systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.markdown import table
from benchmarks.pages.style import GREEN, PURPLE
from benchmarks.rivals.figures import Figures, best_known, is_ours
from labeltree.plot.style import BLUE, INK, ORANGE, RULE, new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Name, color, marker and size of each system, as in `benchmarks.rivals.pictures`.
_STYLES = {
    "napkinxc": ("napkinXC", PURPLE, "^", 8.5),
    "libpecos": ("PECOS", GREEN, "D", 7.0),
    "omikuji": ("omikuji", BLUE, "o", 8.0),
    "labeltree": ("labeltree", ORANGE, "s", 10.0),
}
_TEXT = 11.0  # points; readable when the plot is shown at half its size
#: Title of each panel, and the key of its figure.
_PANELS = {"training, CPU seconds": "train_cpu_s", "one prediction, µs": "single_p50_us"}
#: Header of each column, key, format, and the function that selects the best of other systems.
_COLUMNS: dict[str, tuple[str, str, Callable[..., float]]] = {
    "P@1, %": ("P@1", ".1f", max),
    "training, CPU s": ("train_cpu_s", ",.1f", min),
    "one row, µs": ("single_p50_us", ",.0f", min),
}


def home_table(runs: Sequence[dict[str, Any]]) -> str:
    """Return a row per data set: labeltree in bold, then the best other system in that figure."""
    rows = []
    for run in _largest_first(runs):
        ours, *others = best_known(run)
        cells = []
        for key, style, best in _COLUMNS.values():
            other = best(system[key] for system in others)
            cells.append(f"**{ours[key]:{style}}** · {other:{style}}")
        rows.append([f"{run['data']}, {run['n_labels']:,} labels", *cells])
    commits = sorted({best_known(run)[0]["machine"]["commit"] for run in runs})
    processors = sorted({s["machine"]["processor"] for run in runs for s in best_known(run)})
    where = f"Commit {', '.join(commits)}, {', '.join(processors)}, one thread."
    return f"{table(['', *_COLUMNS], rows)}\n\n{where}"


def draw_home(runs: Sequence[dict[str, Any]]) -> Figure:
    """Return a figure of training time and prediction time, one line per data set."""
    ordered = _largest_first(runs)
    figure, panels = new_panels(2, 3.7, 3.6)
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
    for package, (name, color, marker, size) in _STYLES.items():
        points = [
            (system[key], place)
            for place, run in enumerate(runs)
            for system in best_known(run)
            if _package(system) == package
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


def _package(system: Figures) -> str:
    return "labeltree" if is_ours(system) else str(system["package"]).lower()

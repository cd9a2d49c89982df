"""One style for all plots of the documentation: readable at half size, safe for color blindness.

Colors are those of Okabe and Ito. Markers and line styles differ, too, so that plots can be read
without colors. The background is opaque, for pages with a dark theme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from labeltree.plot import style as library

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, VERMILION, GREEN, PURPLE = library.BLUE, library.ORANGE, "#009E73", "#CC79A7"
INK, GRAY, RULE = library.INK, library.GRAY, library.RULE
WIDTH = 9.0  # inches of every plot; at half of its size, text of 13 points has 9 pixels
NORMAL, TITLE = 13.0, 14.0  # points
MARKER = 8.0  # points
#: How series look, in the order in which they are drawn.
LINES: tuple[dict[str, Any], ...] = tuple(
    {"color": color, "marker": marker, "linestyle": line, "markersize": MARKER, "linewidth": 2.0}
    for color, marker, line in (
        (BLUE, "o", "-"),
        (VERMILION, "s", "--"),
        (GREEN, "^", "-."),
        (PURPLE, "D", ":"),
    )
)


def new_axes(shape: float = 1.5) -> tuple[Figure, Axes]:
    """Return a figure with one axes; `shape` is its width by its height."""
    figure, (axes,) = new_panels(1, shape)
    return figure, axes


def new_panels(n: int, shape: float = 1.3) -> tuple[Figure, list[Axes]]:
    """Return a figure with n axes in two columns; `shape` is the width of each by its height."""
    # Without pyplot, no window opens and no global state changes.
    from matplotlib.figure import Figure

    n_columns = min(n, 2)
    n_rows = -(-n // n_columns)
    size = (WIDTH, WIDTH / n_columns / shape * n_rows)
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.1)  # type: ignore[union-attr,call-arg]
    panels = [figure.add_subplot(n_rows, n_columns, i + 1) for i in range(n)]
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(GRAY)
        axes.tick_params(labelsize=NORMAL, color=GRAY, labelcolor=INK)
        axes.xaxis.label.set_fontsize(NORMAL)
        axes.yaxis.label.set_fontsize(NORMAL)
        axes.set_axisbelow(True)
    return figure, panels


def log_axes(axes: Axes, which: str = "xy") -> None:
    """Make axes logarithmic, with plain numbers; after plotting, because ticks depend on it."""
    from matplotlib.ticker import LogLocator, NullFormatter

    if "x" in which:
        axes.set_xscale("log")
    if "y" in which:
        axes.set_yscale("log")
    for axis in [axis for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)) if name in which]:
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1,) if high / low > 60 else (1, 2, 5)))
        axis.set_major_formatter("{x:,g}")
        axis.set_minor_formatter(NullFormatter())


def legend(axes: Axes, **options: Any) -> None:
    """Add the legend."""
    axes.legend(frameon=False, fontsize=NORMAL, labelcolor=INK, **options)


def shared_legend(figure: Figure, axes: Axes, n_columns: int) -> None:
    """Add one legend below all panels, of the series of one of them, each label once."""
    handles, labels = axes.get_legend_handles_labels()
    by_label = dict(zip(labels, handles, strict=True))
    figure.legend(
        list(by_label.values()),
        list(by_label),
        loc="outside lower center",
        ncols=n_columns,
        frameon=False,
        fontsize=NORMAL,
        labelcolor=INK,
    )


def finish(axes: Axes, title: str, *, grid: Literal["x", "y", "both"]) -> None:
    """Set the title and faint grid lines."""
    axes.grid(axis=grid, color=RULE, linewidth=0.8)
    axes.set_title(title, fontsize=TITLE, color=INK, loc="left")

"""Colours, sizes and axes that all pictures share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GREY, RULE = "#222222", "#6b6b6b", "#e3e3e3"
BLUE, ORANGE = "#3b6ea5", "#c8702a"
SMALL, NORMAL, TITLE = 8.0, 9.0, 11.0  # points


def new_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure of so many inches with one axes in it."""
    figure, (axes,) = new_panels(1, width, height)
    return figure, axes


def new_panels(n: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with n axes of so many inches each, two beside each other."""
    try:
        # Not pyplot: no window opens and no global state changes.
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'pictures need matplotlib; pip install "labeltree[plot]"'
        ) from error
    n_columns = min(n, 2)
    n_rows = -(-n // 2)
    size = (width * n_columns, height * n_rows)
    figure = Figure(figsize=size, dpi=150, layout="constrained", facecolor="white")
    panels = [figure.add_subplot(n_rows, n_columns, i + 1) for i in range(n)]
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(GREY)
        axes.tick_params(labelsize=NORMAL, color=GREY, labelcolor=INK)
        axes.set_axisbelow(True)
    return figure, panels


def note(
    axes: Axes, text: str, place: tuple[float, float], shift: tuple[float, float], **style: Any
) -> None:
    """Write text at a place of the data, shifted by points."""
    axes.annotate(
        text,
        place,
        xytext=shift,
        textcoords="offset points",
        **{"fontsize": SMALL, "color": INK, **style},
    )


def finish(axes: Axes, title: str, *, grid: Literal["x", "y"]) -> None:
    """Set the title and faint grid lines."""
    axes.grid(axis=grid, color=RULE, linewidth=0.8)
    axes.set_title(title, fontsize=TITLE, color=INK, loc="left")

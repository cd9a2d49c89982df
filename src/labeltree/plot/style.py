"""Colors, sizes and axes shared by all plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GRAY, RULE = "#222222", "#6b6b6b", "#e3e3e3"
BLUE, ORANGE = "#0072B2", "#D55E00"  # of Okabe and Ito, safe for color blindness
SMALL, NORMAL, TITLE = 8.0, 9.0, 11.0  # points


def new_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure with one axes; width and height are in inches."""
    figure, (axes,) = new_panels(1, width, height)
    return figure, axes


def new_panels(n: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with n axes in two columns; width and height of each are in inches."""
    try:
        # Without pyplot, no window opens and no global state changes.
        from labeltree.plot.notebook import NotebookFigure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError('plots need matplotlib; pip install "labeltree[plot]"') from error
    n_columns = min(n, 2)
    n_rows = -(-n // 2)
    size = (width * n_columns, height * n_rows)
    figure = NotebookFigure(figsize=size, dpi=150, layout="constrained", facecolor="white")
    panels = [figure.add_subplot(n_rows, n_columns, i + 1) for i in range(n)]
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(GRAY)
        axes.tick_params(labelsize=NORMAL, color=GRAY, labelcolor=INK)
        axes.set_axisbelow(True)
    return figure, panels


def note(
    axes: Axes, text: str, place: tuple[float, float], shift: tuple[float, float], **style: Any
) -> None:
    """Write text at a position in data coordinates, shifted by points."""
    axes.annotate(
        text,
        place,
        xytext=shift,
        textcoords="offset points",
        **{"fontsize": SMALL, "color": INK, **style},
    )


def finish(axes: Axes, title: str, *, grid: Literal["x", "y"], pad: float = 6.0) -> None:
    """Set the title, `pad` points above the axes, and faint grid lines."""
    axes.grid(axis=grid, color=RULE, linewidth=0.8)
    axes.set_title(title, fontsize=TITLE, color=INK, loc="left", pad=pad)

"""The plot of accuracy against training time, one panel per data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.pages.style import BLUE, INK, MARKER, NORMAL, VERMILION, finish, new_panels
from benchmarks.rivals.figures import Figures, done, is_ours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

#: Systems in the plot, and their names. Systems far below the others are in the tables only.
NAMES = {
    "labeltree": "labeltree",
    "labeltree, cheapest tree": "labeltree, cheapest tree",
    "omikuji, 1 tree": "omikuji, 1 tree",
    "omikuji, 3 trees (default)": "omikuji, 3 trees",
    "omikuji, Bonsai": "omikuji, Bonsai",
    "napkinXC PLT": "napkinXC",
    "PECOS XR-Linear": "PECOS",
    "LibMultiLabel tree": "LibMultiLabel",
}
_GAP = 6.0  # points between a marker and its name
_PADDING = 3.0  # pixels around a name
#: Positions of a name next to its marker, the best first: alignment, and shift in gaps.
_PLACES = (
    ("left", "center", 1, 0),
    ("right", "center", -1, 0),
    ("center", "bottom", 0, 1),
    ("center", "top", 0, -1),
    ("left", "bottom", 0.7, 0.7),
    ("left", "top", 0.7, -0.7),
    ("right", "bottom", -0.7, 0.7),
    ("right", "top", -0.7, -0.7),
    *((side, "center", x, y) for y in (2, -2, 4, -4) for side, x in (("left", 1), ("right", -1))),
)


def draw(runs: Sequence[dict[str, Any]]) -> Figure:
    """Return a figure of P@1 against the CPU seconds of training."""
    figure, panels = new_panels(len(runs), 1.25)
    for axes, run in zip(panels, runs, strict=True):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,g}")
        axes.margins(x=0.2, y=0.2)
        for system in _drawn(run):
            color, marker = (VERMILION, "s") if is_ours(system) else (BLUE, "o")
            axes.plot(
                system["train_cpu_s"],
                system["P@1"],
                marker,
                color=color,
                markersize=MARKER,
                label=system["system"],
            )
        axes.set_xlabel("training (CPU seconds, log scale)")
        axes.set_ylabel("P@1, %")
        finish(axes, f"{run['data']}, {run['n_labels']:,} labels", grid="y")
    # Positions in pixels are known only after the layout of the panels.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes, run in zip(panels, runs, strict=True):
        _name(axes, _drawn(run))
    return figure


def _drawn(run: dict[str, Any]) -> list[Figures]:
    return [system for system in done(run) if system["system"] in NAMES]


def _name(axes: Axes, systems: list[Figures]) -> None:
    """Write each name at the first position where it overlaps no marker and no other name."""
    dots = [axes.transData.transform((s["train_cpu_s"], s["P@1"])) for s in systems]
    radius = _GAP * axes.figure.dpi / 72 * 0.7
    taken = [_box(x - radius, y - radius, x + radius, y + radius) for x, y in dots]
    for own, system in enumerate(systems):
        others = taken[:own] + taken[own + 1 :]
        panel = axes.get_window_extent()
        for place in _PLACES:
            text = _written(axes, system, place)
            box = text.get_window_extent().padded(_PADDING)
            is_inside = panel.x0 < box.x0 and box.x1 < panel.x1
            if is_inside and not any(box.overlaps(other) for other in others):
                break
            text.remove()
        else:
            text = _written(axes, system, _PLACES[0])
            box = text.get_window_extent()
        taken.append(box)


def _written(axes: Axes, system: Figures, place: tuple[str, str, float, float]) -> Any:
    across, up, x, y = place
    return axes.annotate(
        NAMES[system["system"]],
        (system["train_cpu_s"], system["P@1"]),
        xytext=(x * _GAP, y * _GAP),
        textcoords="offset points",
        ha=across,
        va=up,
        fontsize=NORMAL,
        color=VERMILION if is_ours(system) else INK,
    )


def _box(x0: float, y0: float, x1: float, y1: float) -> Bbox:
    from matplotlib.transforms import Bbox

    return Bbox.from_extents(x0, y0, x1, y1)

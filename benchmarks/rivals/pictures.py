"""The plot of accuracy against training time, one panel per data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.pages.style import GREEN, PURPLE, finish, log_axes, new_panels, shared_legend
from benchmarks.rivals.figures import done
from labeltree.plot.style import BLUE, INK, ORANGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE = 11.0  # points of a marker
#: Systems in the plot: name, color, marker, and whether it is filled. Systems far below the others
#: are in the tables only.
LOOKS = {
    "labeltree": ("labeltree", ORANGE, "s", True),
    "omikuji, 1 tree": ("omikuji, 1 tree", BLUE, "o", False),
    "omikuji, 3 trees (default)": ("omikuji, 3 trees", BLUE, "o", True),
    "omikuji, Bonsai": ("omikuji, Bonsai", BLUE, "v", True),
    "PECOS XR-Linear": ("PECOS", GREEN, "D", True),
    "napkinXC PLT": ("napkinXC", PURPLE, "^", True),
    "LibMultiLabel tree": ("LibMultiLabel", INK, "X", True),
}


def draw(runs: Sequence[dict[str, Any]]) -> Figure:
    """Return a figure of P@1 against the CPU seconds of training, one panel per data set."""
    figure, panels = new_panels(len(runs), 1.4)
    for axes, run in zip(panels, runs, strict=True):
        for system in done(run):
            if system["system"] in LOOKS:
                _dot(axes, system["system"], system["train_cpu_s"], system["P@1"])
        axes.margins(x=0.12, y=0.15)
        log_axes(axes, "x")
        axes.set_xlabel("training (CPU seconds, log scale)")
        axes.set_ylabel("P@1, %")
        finish(axes, f"{run['data']}, {run['n_labels']:,} labels", grid="both")
    for name in LOOKS:
        _dot(panels[0], name)  # without a point, for the legend
    shared_legend(figure, panels[0], n_columns=3)
    return figure


def _dot(axes: Axes, system: str, *at: float) -> None:
    name, color, marker, is_filled = LOOKS[system]
    axes.plot(
        *([value] for value in (at or (float("nan"),) * 2)),
        marker,
        color=color,
        markerfacecolor=color if is_filled else "white",
        markeredgewidth=2.0 if not is_filled else 0.0,
        markersize=_SIZE,
        label=name,
    )

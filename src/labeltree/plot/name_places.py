"""Places for the names of points, so that no name covers another name or a point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from labeltree.plot.style import GRAY, INK, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Box = tuple[float, float, float, float]  # left, bottom, right, top in pixels

_DISTANCES = (7, 14, 24, 36, 50, 66, 84, 104)  # points
_NEAR = 10  # points; names farther away are connected to their point by a line
_POINT = 4.5  # half the size of a point with its border, in points
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))


def write_names(figure: Figure, axes: Axes, points: Sequence[tuple[str, float, float]]) -> None:
    """Write the name of each point (name, x, y) beside it; the limits of the axes must be set."""
    figure.draw_without_rendering()  # the layout determines where points are in pixels
    scale = figure.dpi / 72
    left, bottom, right, top = axes.get_window_extent().extents
    inside = (left, bottom, right, top + SMALL * scale)  # beside points on the upper edge
    centers = axes.transData.transform([(x, y) for _, x, y in points])
    taken = [_around(center, _POINT * scale) for center in centers]
    shifts: dict[int, tuple[float, float]] = {}
    far = set()
    # From right to left, because most names are on the right of their points.
    for i in np.lexsort((centers[:, 1], -centers[:, 0])).tolist():
        size = _text_size(axes, points[i][0])
        # The point itself is no obstacle: the shortest distance keeps clear of it.
        others = taken[:i] + taken[i + 1 :]
        shifts[i], box = _free_place(centers[i], size, scale, inside, others)
        taken.append(box)
        if _distance(shifts[i], (size[0] / scale, size[1] / scale)) > _NEAR:
            far.add(i)
    for i, (name, x, y) in enumerate(points):
        _write(axes, name, (x, y), shifts[i], i in far)


def _free_place(
    center: NDArray[np.float64],
    size: tuple[float, float],
    scale: float,
    inside: Box,
    taken: list[Box],
) -> tuple[tuple[float, float], Box]:
    """Return the first place that covers nothing, or the one that covers the smallest area."""
    best = None
    for dx, dy in _shifts(size[0] / scale, size[1] / scale):
        x, y = center[0] + dx * scale, center[1] + dy * scale
        box = (x, y, x + size[0], y + size[1])
        covered = size[0] * size[1] - _overlap(box, inside) + sum(_overlap(box, t) for t in taken)
        if best is None or covered < best[0] - 1e-6:
            best = covered, (dx, dy), box
        if covered < 1e-6:
            break
    assert best is not None
    return best[1:]


def _shifts(width: float, height: float) -> Iterator[tuple[float, float]]:
    """Yield shifts in points from a point to the lower left corner of its name, nearest first."""
    for distance in _DISTANCES:
        for across, up in _SIDES:
            dx = {1: distance, 0: -width / 2, -1: -distance - width}[across]
            dy = {1: distance, 0: -height / 2, -1: -distance - height}[up]
            yield dx, dy


def _write(
    axes: Axes, name: str, place: tuple[float, float], shift: tuple[float, float], is_far: bool
) -> None:
    line = {"arrowstyle": "-", "color": GRAY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
    made = axes.annotate(
        name,
        place,
        xytext=shift,
        textcoords="offset points",
        fontsize=SMALL,
        color=INK,
        parse_math=False,
        annotation_clip=False,
        arrowprops=line if is_far else None,
    )
    # The layout is computed before names are placed and must not move afterwards.
    made.set_in_layout(False)


def _distance(shift: tuple[float, float], size: tuple[float, float]) -> float:
    """Return the distance from a point to the box of its name."""
    gaps = [max(low, -low - length, 0.0) for low, length in zip(shift, size, strict=True)]
    return math.hypot(*gaps)


def _text_size(axes: Axes, text: str) -> tuple[float, float]:
    """Return width and height of a small text, in pixels."""
    probe = axes.text(0, 0, text, fontsize=SMALL, parse_math=False)
    extent = probe.get_window_extent()
    probe.remove()
    return float(extent.width), float(extent.height)


def _around(center: NDArray[np.float64], half: float) -> Box:
    x, y = center.tolist()
    return x - half, y - half, x + half, y + half


def _overlap(a: Box, b: Box) -> float:
    """Return the area that two boxes share."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0.0) * max(height, 0.0)

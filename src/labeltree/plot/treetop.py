"""A plot of the top of a tree, with the root on the left and its descendants in columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.arguments import checked
from labeltree.plot.style import GRAY, INK, NORMAL, SMALL, TITLE, new_axes, note
from labeltree.trees import LabelTree
from labeltree.trees.overview import leaves_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMN, _ROOT, _HEIGHT = 2.3, 1.1, 7.5  # inches
_LINE = 1.5 * SMALL / 72 / _HEIGHT  # height of a line of text, as a share of the plot
_COLORS = {"inner": "#cfddeb", "leaf": "#f3dcc6", "rest": "#ececec"}
_TEXT_WIDTH = 72 * _COLUMN - 16  # points
_N_EXAMPLES = 8  # maximum number of labels in a box; as many are shown as fit
_MAX_LINES = 3


@dataclass(frozen=True)
class _Box:
    """One or several sibling nodes, and their position."""

    nodes: NDArray[np.int64]
    depth: int
    top: float  # as shares of the height, from the top
    height: float
    kind: str  # a key of _COLORS


@checked
def tree_top(
    tree: LabelTree,
    *,
    names: Sequence[Hashable] | None = None,
    weights: ArrayLike | None = None,
    max_depth: int = 4,
) -> Figure:
    """Return a figure of the top of a tree, with the most frequent labels in each box.

    The root is on the left. Children divide the height of their parent in proportion to their
    weights, with the heaviest on top. Children too small for text share one gray box; if all of
    them are too small, they are left out.

    Parameters
    ----------
    tree
        The tree.
    names
        Name of each label. If None, the names in the tree, or numbers if it has none.
    weights
        Weight of each node, such as ``cost.node_weights(tree, Y)``. If None, the number of labels
        below it.
    max_depth
        Number of levels to draw below the root.

    Examples
    --------
    >>> tree = LabelTree.from_nested([["cat", "dog"], "fish"])
    >>> [text.get_text() for text in tree_top(tree).axes[0].texts][1:5]
    ['cat, dog\\n2 labels', 'cat', 'dog', 'fish']
    """
    if max_depth < 1:
        raise ValueError(f"max_depth must be at least 1, but is {max_depth}")
    n_below = leaves_below(tree)
    sizes = n_below.astype(np.float64) if weights is None else _checked(tree, weights)
    writer = _Writer(tree, names, sizes, n_below, counts_rows=weights is not None)
    boxes = list(_boxes(tree, sizes, max_depth))
    shown = max(box.depth for box in boxes)
    figure, axes = _canvas(shown)
    for box in boxes:
        _draw(axes, box, writer.lines(box))
    by = "number of labels" if weights is None else "number of rows"
    title = f"Top of a tree with {tree.n_labels:,} labels"
    axes.set_title(title, fontsize=TITLE, color=INK, loc="left", pad=18)
    levels = f"{shown} of {tree.depth} levels, height proportional to {by}"
    note(axes, levels, (0.0, 0.0), (0, 6), fontsize=NORMAL, color=GRAY)
    return figure


def _checked(tree: LabelTree, weights: ArrayLike) -> NDArray[np.float64]:
    sizes = np.asarray(weights, dtype=np.float64)
    if sizes.shape != (tree.n_nodes,):
        raise ValueError(
            f"weights must have one entry per node, {tree.n_nodes} in total, but its shape is "
            f"{sizes.shape}; use cost.node_weights(tree, Y)"
        )
    if not (np.isfinite(sizes) & (sizes >= 0)).all():
        raise ValueError("weights must be finite and not negative")
    return sizes


def _leaves_under(tree: LabelTree, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the leaves at or below some nodes."""
    found = []
    while len(nodes):
        degrees = tree.degree[nodes].astype(np.int64)
        found.append(nodes[degrees == 0])
        before = np.cumsum(degrees) - degrees
        nodes = np.repeat(tree.first_child[nodes] - before, degrees) + np.arange(degrees.sum())
    return np.concatenate(found)


def _boxes(tree: LabelTree, sizes: NDArray[np.float64], max_depth: int) -> Iterator[_Box]:
    root = _Box(np.array([0]), 0, 0.0, 1.0, "inner" if tree.degree[0] else "leaf")
    todo = [root]
    while todo:
        box = todo.pop()
        yield box
        if box.kind == "inner" and box.depth < max_depth:
            todo.extend(reversed(_inside(tree, sizes, box)))


def _inside(tree: LabelTree, sizes: NDArray[np.float64], box: _Box) -> list[_Box]:
    """Return the boxes of the children of a node, the heaviest on top."""
    children = np.asarray(tree.children(int(box.nodes[0])))
    total = sizes[children].sum()
    share = sizes[children] / total if total > 0 else np.full(len(children), 1 / len(children))
    order = np.argsort(-share, kind="stable")
    children, heights = children[order], share[order] * box.height
    n_single = int(np.count_nonzero(heights >= _LINE))
    if n_single == 0 and box.depth > 0:
        return []  # a box for the rest would repeat the text of its parent
    if len(children) - n_single == 1:
        n_single = len(children)  # a single child needs no box for the rest
    tops = box.top + np.concatenate(([0.0], np.cumsum(heights)))
    kinds = ["inner" if tree.degree[child] else "leaf" for child in children[:n_single]]
    boxes = [
        _Box(children[i : i + 1], box.depth + 1, float(tops[i]), float(heights[i]), kind)
        for i, kind in enumerate(kinds)
    ]
    if n_single < len(children):
        top, height = float(tops[n_single]), float(heights[n_single:].sum())
        boxes.append(_Box(children[n_single:], box.depth + 1, top, height, "rest"))
    return boxes


class _Writer:
    """Writes the text of a box, with as many labels as fit its width."""

    def __init__(
        self,
        tree: LabelTree,
        names: Sequence[Hashable] | None,
        sizes: NDArray[np.float64],
        n_below: NDArray[np.int64],
        counts_rows: bool,
    ) -> None:
        if names is not None and len(names) != tree.n_labels:
            raise ValueError(
                f"names must have one entry per label, {tree.n_labels} in total, but has "
                f"{len(names)}"
            )
        self.tree, self.sizes, self.n_below = tree, sizes, n_below
        self.counts_rows = counts_rows
        self.names = tree.names if names is None else names

    def lines(self, box: _Box) -> list[str]:
        """Return as many lines as fit the box: some labels, and their number."""
        n_lines = int(box.height / _LINE + 1e-9)
        n_labels = int(self.n_below[box.nodes].sum())
        counted = ", ".join([f"{n_labels:,} labels", *self._weight(box)])
        if box.depth == 0 and box.kind == "inner":
            return counted.split(", ")
        examples = [self._name(label) for label in self._frequent(box.nodes)]
        if box.kind == "leaf":
            return [_shortened(examples[0]), *self._weight(box)][:n_lines]
        if box.kind == "rest":
            more = "more " if box.top > 0.0 else ""  # a rest on top has no other boxes above
            counted = f"{len(box.nodes):,} {more}nodes, {n_labels:,} labels"
            if len(box.nodes) == n_labels:
                counted = f"{n_labels:,} {more}labels"
            n_examples = min(n_lines - 1, _MAX_LINES)
            return [counted, *_packed(examples, n_labels, n_examples)][:n_lines]
        n_examples = min(max(n_lines - 1, 1), _MAX_LINES)
        return [*_packed(examples, n_labels, n_examples), counted][:n_lines]

    def _weight(self, box: _Box) -> list[str]:
        if not self.counts_rows:
            return []
        n_rows = round(self.sizes[box.nodes].sum())
        return [f"{n_rows:,} row{'' if n_rows == 1 else 's'}"]

    def _name(self, label: int) -> str:
        return str(label if self.names is None else self.names[label])

    def _frequent(self, nodes: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the heaviest labels below some nodes."""
        leaves = _leaves_under(self.tree, nodes)
        heaviest = np.argsort(-self.sizes[leaves], kind="stable")[:_N_EXAMPLES]
        return self.tree.label[leaves[heaviest]]


def _packed(names: list[str], n_labels: int, n_lines: int) -> list[str]:
    """Return lines of names separated by commas, the last with an ellipsis if some are left out."""
    commas = [name + ("," if i + 1 < n_labels else "") for i, name in enumerate(names)]
    room = _TEXT_WIDTH - _width(" …")
    lines: list[str] = []
    used = 0
    while used < len(names) and len(lines) < n_lines:
        line = _shortened(commas[used], room)
        used += 1
        while used < len(names) and _width(f"{line} {commas[used]}") <= room:
            line = f"{line} {commas[used]}"
            used += 1
        lines.append(line)
    if lines and used < n_labels:
        lines[-1] += " …"
    return lines


def _shortened(text: str, room: float = _TEXT_WIDTH) -> str:
    if _width(text) <= room:
        return text
    # Both ends distinguish paths such as a.b.c, so the middle is cut.
    for n_kept in range(len(text) - 1, 1, -1):
        shorter = text[: n_kept // 2] + "…" + text[len(text) - (n_kept + 1) // 2 :]
        if _width(shorter) <= room:
            return shorter
    return "…"


def _width(text: str) -> float:
    """Return the width of a small text in points, without kerning."""
    return sum(map(_advance, text))


@lru_cache(maxsize=1024)
def _advance(character: str) -> float:
    from matplotlib.textpath import TextPath

    def width(text: str) -> float:
        return float(TextPath((0, 0), text, size=SMALL).get_extents().width)

    # Measured between bars, because a space has no outline; a single dollar starts no formula.
    return width(f"|{character}|") - width("||")


def _canvas(n_columns: int) -> tuple[Figure, Axes]:
    """Return axes with x in inches and y as a share of the height from the top."""
    left, below, above = 0.2, 0.4, 0.65
    width = _ROOT + n_columns * _COLUMN
    size = width + 2 * left, _HEIGHT + below + above
    figure, axes = new_axes(*size)
    figure.set_layout_engine("none")
    axes.set_position((left / size[0], below / size[1], width / size[0], _HEIGHT / size[1]))
    axes.set_xlim(0.0, width)
    axes.set_ylim(1.0, 0.0)
    axes.spines[:].set_visible(False)
    axes.set_yticks([])
    starts = [0.0] + [_ROOT + _COLUMN * i for i in range(n_columns)]
    titles = ["root"] + [f"depth {i + 1}" for i in range(n_columns)]
    axes.set_xticks([start + 0.06 for start in starts], labels=titles, ha="left")
    axes.tick_params(length=0, labelcolor=GRAY, labelsize=NORMAL)
    return figure, axes


def _draw(axes: Axes, box: _Box, lines: list[str]) -> None:
    from matplotlib.patches import Rectangle

    start = 0.0 if box.depth == 0 else _ROOT + _COLUMN * (box.depth - 1)
    width = _ROOT if box.depth == 0 else _COLUMN
    color = _COLORS[box.kind]
    corner = (start, box.top)
    axes.add_patch(Rectangle(corner, width, box.height, facecolor=color, edgecolor="white"))
    if lines:
        axes.text(
            start + 0.06,
            box.top + box.height / 2,
            "\n".join(lines),
            fontsize=SMALL,
            color=GRAY if box.kind == "rest" else INK,
            va="center",
            linespacing=1.15,
            parse_math=False,
        )

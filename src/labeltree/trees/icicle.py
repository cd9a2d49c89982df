"""A tree as an inline SVG for notebooks: levels from the root down, width by number of labels."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from labeltree.trees.label_lists import listed, on_one_line
from labeltree.trees.outline import heading, leaf_name, rest_count
from labeltree.trees.overview import Part, examples, overview

if TYPE_CHECKING:
    from labeltree.trees.tree import LabelTree

_WIDTH, _LEVEL = 900, 36  # pixels
_MIN_WIDTH = 8  # pixels; several narrower siblings share a box
_MAX_BOXES, _MAX_DEPTH = 300, 8
_GAP, _MARGIN, _EDGE = 1, 4, 4  # pixels between boxes, beside text, and of the edge of cut boxes
_TITLE = 120  # characters of the text shown when hovering

# Boxes have their own background, so that text is readable in light and dark notebooks.
_FILLS = {"inner": "#cfddeb", "leaf": "#f3dcc6", "rest": "#dedede"}
_INK, _CUT = "#1f2933", "#6f93b8"


def as_html(tree: LabelTree) -> str:
    """Return the top of the tree as HTML; at most 300 boxes, whatever the size of the tree."""
    min_labels = max(-(-tree.n_labels * _MIN_WIDTH // _WIDTH), 1)
    root = overview(
        tree,
        max_parts=_MAX_BOXES,
        max_depth=_MAX_DEPTH,
        max_children=_MAX_BOXES // 2,
        min_labels=min_labels,
    )
    n_levels = max(part.depth for part in root.walk())
    height = (n_levels + 1) * _LEVEL
    style = "max-width:100%;height:auto;font:11px sans-serif;display:block"
    head = escape(heading(tree))
    return (
        f'<div style="font:12px sans-serif;margin:2px 0 6px 0">{head}</div>'
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{head}" '
        f'width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" style="{style}">'
        + "".join(_boxes(tree, root, 0.0, _WIDTH))
        + f'</svg><div style="font:11px sans-serif;opacity:0.75;margin:4px 0">'
        f"{_legend(tree, root, n_levels)}</div>"
    )


def _legend(tree: LabelTree, root: Part, n_levels: int) -> str:
    parts = list(root.walk())
    notes = ["Width: number of labels. Blue: inner nodes. Orange: labels."]
    if any(part.is_rest for part in parts):
        notes.append("Gray: several nodes that are too small to draw.")
    if any(part.is_cut for part in parts):
        notes.append("Dark edge: children are not shown.")
    if n_levels < tree.depth:
        notes.append(f"{n_levels} of {tree.depth} levels below the root are shown.")
    return " ".join(notes)


def _boxes(tree: LabelTree, part: Part, left: float, width: float) -> Iterator[str]:
    """Yield the boxes of a part and of all parts below it, parents first."""
    yield _box(tree, part, left, width)
    widths = _shares([child.n_labels for child in part.children], width)
    for child, child_width in zip(part.children, widths, strict=True):
        yield from _boxes(tree, child, left, child_width)
        left += child_width


def _shares(sizes: list[int], width: float) -> list[float]:
    """Divide the width in proportion to the sizes, with a minimum that can still be seen."""
    total = sum(sizes)
    small = [size for size in sizes if size * width < _MIN_WIDTH * total]
    room = width - _MIN_WIDTH * len(small)
    if len(small) == len(sizes) or room <= width / 2:
        return [size / total * width for size in sizes]
    per_label = room / (total - sum(small))
    return [_MIN_WIDTH if s * width < _MIN_WIDTH * total else s * per_label for s in sizes]


def _box(tree: LabelTree, part: Part, left: float, width: float) -> str:
    kind = "leaf" if part.is_leaf else "rest" if part.is_rest else "inner"
    inside = max(width - _GAP, width / 2)
    height = _LEVEL - _GAP
    # An inner svg clips its text, should a font be wider than estimated.
    pieces = [
        f'<svg x="{left:.1f}" y="{part.depth * _LEVEL}" width="{inside:.1f}" height="{height}">',
        f"<title>{escape(_title(tree, part))}</title>",
        f'<rect width="100%" height="100%" fill="{_FILLS[kind]}"/>',
    ]
    if part.is_cut:
        top = height - _EDGE
        pieces.append(f'<rect y="{top}" width="100%" height="{_EDGE}" fill="{_CUT}"/>')
    lines = [line for line in _texts(tree, part, inside - 2 * _MARGIN) if line]
    first = 21 if len(lines) == 1 else 14  # baselines, in pixels from the top
    for i, line in enumerate(lines):
        y = first + 13 * i
        pieces.append(f'<text x="{_MARGIN}" y="{y}" fill="{_INK}">{escape(line)}</text>')
    return "".join(pieces) + "</svg>"


def _title(tree: LabelTree, part: Part) -> str:
    if part.is_leaf:
        return f"{on_one_line(leaf_name(tree, part))[:_TITLE]} (depth {part.depth})"
    counts = rest_count(tree, part) if part.is_rest else f"{part.n_labels:,} labels"
    where = f"depth {part.depth}" if part.is_rest else f"node {part.nodes[0]}, depth {part.depth}"
    return f"{counts} ({where}): {listed(examples(tree, part), part.n_labels, _TITLE)}"


def _texts(tree: LabelTree, part: Part, room: float) -> list[str]:
    """Return up to two lines: some labels, and their number."""
    if part.is_leaf:
        return [_fitted(examples(tree, part, 1)[0], room)]
    counts = rest_count(tree, part) if part.is_rest else f"{part.n_labels:,} labels"
    if _text_width(counts) > room:
        counts = f"{part.n_labels:,}"
        return [counts] if _text_width(counts) <= room else []
    names = examples(tree, part)
    for n_named in range(len(names), 0, -1):
        text = listed(names[:n_named], part.n_labels, _TITLE)
        if _text_width(text) <= room:
            return [text, counts]
    return [_fitted(names[0], room - _text_width(", …")) + ", …", counts]


def _fitted(name: str, room: float) -> str:
    """Return the name, cut in the middle if it is too wide; empty if almost nothing would fit."""
    text = on_one_line(name[: 2 * _TITLE])
    if _text_width(text) <= room:
        return text
    # Both ends distinguish paths such as a.b.c.
    for n_kept in range(min(len(text) - 1, _TITLE), 2, -1):
        shorter = text[: (n_kept + 1) // 2] + "…" + text[len(text) - n_kept // 2 :]
        if _text_width(shorter) <= room:
            return shorter
    return ""


def _text_width(text: str) -> float:
    """Return an estimate of the width of a text of 11 pixels, in pixels."""
    return sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 11.5
    if character in "iljtfrI.,:;'|!()[] ":
        return 4.0
    return 9.5 if character in "mwMW@%…" else 7.6 if character.isupper() else 6.4

"""Explanations as HTML for notebooks: the path, contributions as bars, and siblings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from labeltree.explain.explanation import Branch, Evidence, Explanation, Step, TreePath
from labeltree.explain.text import (
    basis,
    branch_title,
    implication,
    no_classifier,
    shown_product,
    step_title,
)
from labeltree.trees.label_lists import listed, shortened

_MAX_TREES, _MAX_STEPS, _MAX_BARS = 10, 24, 20  # per explanation, tree and node
_LABELS, _NAME = 80, 40  # characters
_HALF, _BAR = 130, 12  # pixels: half the width of the bars, and their height

# Text has the color of the notebook; these are visible on white and on black.
_UP, _DOWN, _OTHER = "#4a86c5", "#d9822b", "#8c8c8c"
_FAINT = "opacity:0.75;"
_CELL = "padding:1px 8px;text-align:{align};white-space:nowrap;border:none;{more}"


def as_html(explanation: Explanation) -> str:
    """Return the explanation as HTML; names are escaped, and long paths are cut."""
    label = escape(shortened(explanation.label, _LABELS))
    head = f"<div><b>{label}</b>: probability {explanation.probability:.4f}</div>"
    for note in filter(None, (implication(explanation), basis(explanation))):
        head += f'<div style="{_FAINT}">{escape(note)}</div>'
    n_trees = len(explanation.paths)
    tables = [_table(path) for path in explanation.paths[:_MAX_TREES]]
    body = tables[0]
    if n_trees > 1:
        body = "".join(
            f"<details{' open' if i == 0 else ''}><summary>Tree {i + 1} of {n_trees}: probability "
            f"{explanation.paths[i].probability:.4f}</summary>{table}</details>"
            for i, table in enumerate(tables)
        )
    if n_trees > _MAX_TREES:
        body += f'<div style="{_FAINT}">… {n_trees - _MAX_TREES} more trees</div>'
    return f'<div style="font:12px sans-serif">{head}{body}</div>'


def _table(path: TreePath) -> str:
    scale = max((abs(bar[1]) for step in path.steps for bar in _bars(step.evidence)), default=1.0)
    rows = [_row(_cell("", span=3), _cell("own", more=_FAINT), _cell("product", more=_FAINT))]
    # The last nodes are the most specific, so a long path is cut after the root.
    n_cut = max(len(path.steps) - _MAX_STEPS, 0)
    for step in path.steps:
        if not 1 <= step.depth <= n_cut:
            rows += _step_rows(step, scale)
        elif step.depth == 1:
            s = "" if n_cut == 1 else "s"
            rows.append(_row(_cell(f"… {n_cut:,} more node{s}", span=5, align="left")))
    style = "border-collapse:collapse;border:none;margin:6px 0;font:12px sans-serif"
    return f'<table style="{style}"><tbody>{"".join(rows)}</tbody></table>'


def _step_rows(step: Step, scale: float) -> Iterator[str]:
    yield _branch_row(step_title(step), step, "font-weight:bold;padding-top:8px;")
    if step.evidence is None and no_classifier(step):
        yield _row(_cell(escape(no_classifier(step)), span=3, align="left", more=_FAINT))
    for name, value, color, title in _bars(step.evidence):
        figure, bar = _cell(f"{value:+.3f}"), _cell(_bar(value, scale, color), align="left")
        yield _row(_cell(escape(name)), figure, bar, title=title)
    if step.evidence is not None:
        total = _cell(f"{step.evidence.log_odds:+.3f}", more="font-weight:bold;")
        yield _row(_cell("log-odds, the sum"), total)
    for sibling in step.siblings:
        yield _branch_row(f"sibling node {sibling.node}", sibling, _FAINT)


def _bars(evidence: Evidence | None) -> Iterator[tuple[str, float, str, str]]:
    """Yield name, contribution, color and hover text of each bar."""
    if evidence is None:
        return
    for entry in evidence.contributions[:_MAX_BARS]:
        color = _UP if entry.contribution > 0 else _DOWN
        product = shown_product(entry, evidence.slope)
        yield shortened(entry.name, _NAME), entry.contribution, color, product
    hidden = [entry.contribution for entry in evidence.contributions[_MAX_BARS:]]
    n_rest = evidence.n_rest + len(hidden)
    if n_rest:
        s = "" if n_rest == 1 else "s"
        rest = math.fsum([evidence.rest, *hidden])
        yield f"{n_rest:,} other feature{s}", rest, _OTHER, ""
    yield "bias", evidence.bias, _OTHER, ""


def _bar(value: float, scale: float, color: str) -> str:
    length = abs(value) / scale * _HALF if scale > 0 and math.isfinite(value) else 0.0
    left = _HALF if value >= 0 else _HALF - length
    return (
        f'<svg width="{2 * _HALF}" height="{_BAR}" style="display:block">'
        f'<rect x="{left:.1f}" width="{length:.1f}" height="{_BAR}" fill="{color}"/>'
        f'<rect x="{_HALF - 0.5}" width="1" height="{_BAR}" fill="{_OTHER}"/></svg>'
    )


def _branch_row(title: str, branch: Branch, more: str) -> str:
    names = listed(branch.examples, branch.n_labels, _LABELS)
    text = escape(branch_title(title, branch) + names)
    figures = (_cell(f"{p:.4f}", more=more) for p in (branch.estimate, branch.product))
    return _row(_cell(text, span=3, align="left", more=more), *figures)


def _cell(content: str, *, span: int = 1, align: str = "right", more: str = "") -> str:
    spans = f' colspan="{span}"' if span > 1 else ""
    return f'<td{spans} style="{_CELL.format(align=align, more=more)}">{content}</td>'


def _row(*cells: str, title: str = "") -> str:
    hover = f' title="{escape(title)}"' if title else ""
    return f'<tr style="background:none"{hover}>{"".join(cells)}</tr>'

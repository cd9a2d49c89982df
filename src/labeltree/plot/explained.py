"""A plot that explains the probability of a label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labeltree.arguments import checked
from labeltree.explain.explanation import Evidence, Explanation, Step
from labeltree.plot.style import BLUE, GRAY, INK, NORMAL, ORANGE, SMALL, finish, new_axes, note
from labeltree.trees.label_lists import listed, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINE = 0.2  # inches
_TITLE_WIDTH, _NAME_WIDTH = 80, 28  # characters
_GAP = 0.6  # lines between nodes


@dataclass(frozen=True)
class _Bar:
    name: str
    value: float
    color: str


@checked
def explanation(explanation: Explanation, *, tree: int = 0) -> Figure:
    """Return a figure of the path to a label, with the contributions of features at each node.

    Parameters
    ----------
    explanation
        The result of `PLTClassifier.explain`.
    tree
        Number of the tree to draw, if there are several.

    Examples
    --------
    >>> from labeltree import PLTClassifier, plot
    >>> clf = PLTClassifier(tree="star").fit([[1, 0], [0, 1]], [["tea"], ["jam"]])
    >>> figure = plot.explanation(clf.explain([1, 0], "tea"))
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['x[0]', 'bias']
    """
    n_trees = len(explanation.paths)
    if not 0 <= tree < n_trees:
        raise ValueError(f"tree must be in 0..{n_trees - 1}, but is {tree}")
    steps = explanation.paths[tree].steps
    tops, bottom = _places(steps)
    figure, axes = new_axes(8.0, 0.9 + _LINE * bottom)
    axes.set_ylim(bottom, -0.5)
    axes.axvline(0.0, color=GRAY, linewidth=0.8)
    ticks: list[tuple[float, str]] = []
    for step, top in zip(steps, tops, strict=True):
        ticks += _draw(axes, step, top)
    axes.set_yticks([place for place, _ in ticks], labels=[name for _, name in ticks])
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.tick_params(axis="y", length=0, labelsize=SMALL)
    axes.margins(x=0.12)
    axes.set_xlabel(
        "contribution to the log-odds of the node (right of 0: more probable)",
        fontsize=NORMAL,
        color=INK,
    )
    finish(axes, _title(explanation, tree), grid="x")
    axes.title.set_parse_math(False)
    return figure


def _title(explanation: Explanation, tree: int) -> str:
    title = f"{shortened(str(explanation.label), 50)}: probability {explanation.probability:.3f}"
    if explanation.implied_by is not None:
        title += f", implied by {shortened(str(explanation.implied_by), 30)}"
    if len(explanation.paths) > 1:
        own = explanation.paths[tree].probability
        return f"{title} (tree {tree + 1} of {len(explanation.paths)}: {own:.3f})"
    if explanation.probability == explanation.mean:
        return title
    curve = "calibration" if explanation.is_calibrated else "the fixed curve"
    return f"{title} ({explanation.mean:.3f} before {curve})"


def _places(steps: tuple[Step, ...]) -> tuple[list[float], float]:
    """Return the first line of each node, and the end of the last one, in lines from the top."""
    tops, place = [], 0.0
    for step in steps:
        tops.append(place)
        place += 1 + bool(step.siblings) + len(list(_bars(step.evidence))) + _GAP
    return tops, place


def _bars(evidence: Evidence | None) -> Iterator[_Bar]:
    if evidence is None:
        return
    for entry in evidence.contributions:
        color = BLUE if entry.contribution > 0 else ORANGE
        yield _Bar(shortened(entry.name, _NAME_WIDTH), entry.contribution, color)
    if evidence.n_rest:
        yield _Bar(f"{evidence.n_rest:,} more", evidence.rest, GRAY)
    yield _Bar("bias", evidence.bias, GRAY)


def _draw(axes: Axes, step: Step, top: float) -> list[tuple[float, str]]:
    """Draw a node below a line; return the positions and names of its bars."""
    _write(axes, top, _heading(step), color=INK, weight="bold")
    place = top + 1
    if step.siblings:
        _write(axes, place, _siblings(step), color=GRAY)
        place += 1
    ticks = []
    for bar in _bars(step.evidence):
        axes.barh(place, bar.value, height=0.7, color=bar.color)
        side = {"ha": "left"} if bar.value >= 0 else {"ha": "right"}
        shift = (3 if bar.value >= 0 else -3, 0)
        note(axes, f"{bar.value:+.2f}", (bar.value, place), shift, va="center", **side)
        ticks.append((place, bar.name))
        place += 1
    return ticks


def _heading(step: Step) -> str:
    title = "root" if step.depth == 0 else f"depth {step.depth}"
    title = "ranker" if step.is_ranker else title
    figures = f"(own {step.estimate:.3f}, product {step.product:.3f})"
    names = listed(step.examples, step.n_labels, _TITLE_WIDTH - len(title) - len(figures))
    return f"{title}: {names} {figures}"


def _siblings(step: Step) -> str:
    width = _TITLE_WIDTH // len(step.siblings) - 12
    each = [
        f"{listed(sibling.examples, sibling.n_labels, width)} ({sibling.estimate:.3f})"
        for sibling in step.siblings
    ]
    return "siblings: " + "; ".join(each)


def _write(axes: Axes, line: float, text: str, **style: Any) -> None:
    axes.text(
        0.005,
        line,
        text,
        transform=axes.get_yaxis_transform(),
        fontsize=SMALL,
        va="center",
        parse_math=False,
        # Only grid lines cross this line; bars of other nodes do not.
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        **style,
    )

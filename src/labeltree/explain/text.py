"""Explanations as text of at most 100 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labeltree.explain.explanation import Branch, Evidence, Explanation, TreePath

WIDTH = 100
_FIGURES = 20  # columns on the right for the estimate of a node and the product of its path
_NAME = 40  # maximum columns for the name of a feature


def as_text(explanation: Explanation) -> str:
    """Return the explanation as lines of at most 100 columns."""
    lines = list(_head(explanation))
    for number, path in enumerate(explanation.paths, 1):
        if len(explanation.paths) > 1:
            title = f"Tree {number} of {len(explanation.paths)}"
            lines += ["", f"{title}: probability {path.probability:.4f}"]
        half = _FIGURES // 2
        lines += ["", f"{'':{WIDTH - _FIGURES}}{'own':>{half}}{'product':>{half}}"]
        lines += _path(path)
    return "\n".join(lines)


def _head(explanation: Explanation) -> Iterator[str]:
    label = shortened(str(explanation.label), WIDTH - 30)
    yield f"{label}: probability {explanation.probability:.4f}"
    n_trees = len(explanation.paths)
    before = "the product below" if n_trees == 1 else f"the mean of {n_trees} trees"
    if explanation.is_calibrated:
        yield f"calibrated; before calibration {explanation.mean:.4f}, {before}"
    elif n_trees > 1:
        yield before


def _path(path: TreePath) -> Iterator[str]:
    for step in path.steps:
        title = "root" if step.depth == 0 else f"{step.depth}. node {step.node}"
        yield _branch_line(title, step)
        if step.evidence is not None:
            yield from _evidence(step.evidence)
        elif step.depth == 0 and step.estimate == 1.0:
            yield "     no classifier, because every training row has a label"
        for sibling in step.siblings:
            yield _branch_line(f"     sibling node {sibling.node}", sibling)


def _evidence(evidence: Evidence) -> Iterator[str]:
    factor = "" if evidence.slope == 1 else f" × {evidence.slope:g}"
    names = [shortened(entry.name, _NAME) for entry in evidence.contributions]
    width = max(map(len, names), default=0)
    for name, entry in zip(names, evidence.contributions, strict=True):
        product = f"{entry.value:.3g} × {entry.weight:.3g}{factor}"
        yield f"     {entry.contribution:+8.3f}  {name:{width}}  {product}"
    if evidence.n_rest:
        s = "" if evidence.n_rest == 1 else "s"
        yield f"     {evidence.rest:+8.3f}  {evidence.n_rest:,} other feature{s}"
    yield f"     {evidence.bias:+8.3f}  bias"
    yield f"     {evidence.log_odds:+8.3f}  log-odds, the sum"


def _branch_line(title: str, branch: Branch) -> str:
    s = "" if branch.n_labels == 1 else "s"
    head = f"{title}, {branch.n_labels:,} label{s}: "
    names = listed(branch.examples, branch.n_labels, WIDTH - _FIGURES - len(head))
    half = _FIGURES // 2
    figures = f"{branch.estimate:{half}.4f}{branch.product:{half}.4f}"
    return f"{head + names:{WIDTH - _FIGURES}}{figures}"


def listed(names: Sequence[object], n_labels: int, width: int) -> str:
    """Return names separated by commas, with an ellipsis if some are omitted."""
    for n_named in range(len(names), 1, -1):
        text = ", ".join(map(str, names[:n_named])) + (", …" if n_named < n_labels else "")
        if len(text) <= width:
            return text
    return shortened(str(names[0]) + (", …" if n_labels > 1 else ""), width)


def shortened(text: str, width: int) -> str:
    """Return the text on one line, shortened to at most `width` columns."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"

"""Explanations as text of at most 100 columns."""

from __future__ import annotations

from collections.abc import Iterator

from labeltree.explain.explanation import (
    Branch,
    Contribution,
    Evidence,
    Explanation,
    Step,
    TreePath,
)
from labeltree.trees.label_lists import listed, shortened

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
    yield from (note for note in (implication(explanation), basis(explanation)) if note)
    if not has_features(explanation):
        yield "no feature of the row has a weight: this is the probability of rows in general"


def has_features(explanation: Explanation) -> bool:
    """Return whether any feature of the row contributes to the probability."""
    steps = [step for path in explanation.paths for step in path.steps]
    found = [step.evidence for step in steps if step.evidence is not None]
    return not found or any(one.contributions or one.n_rest for one in found)


def implication(explanation: Explanation) -> str:
    """Return which label implies the label and is more probable; empty if there is none."""
    if explanation.implied_by is None:
        return ""
    other = shortened(str(explanation.implied_by), WIDTH - 40)
    return f"implied by {other}, whose path is shown"


def basis(explanation: Explanation) -> str:
    """Return what the probability is based on, if it is more than the product of one path."""
    n_trees = len(explanation.paths)
    source = "the product below" if n_trees == 1 else f"the mean of {n_trees} trees"
    if explanation.probability == explanation.mean:
        calibrated = "calibrated; " if explanation.is_calibrated else ""
        return calibrated + source if calibrated or n_trees > 1 else ""
    before = f"{explanation.mean:.4f}, {source}"
    if explanation.is_calibrated:
        return f"calibrated; before calibration {before}"
    return f"not calibrated with validation rows; before the fixed curve {before}"


def _path(path: TreePath) -> Iterator[str]:
    for step in path.steps:
        yield _branch_line(step_title(step), step)
        if step.evidence is not None:
            yield from _evidence(step.evidence)
        elif no_classifier(step):
            yield f"     {no_classifier(step)}"
        for sibling in step.siblings:
            yield _branch_line(f"     sibling node {sibling.node}", sibling)


def step_title(step: Step) -> str:
    """Return what a step is: the root, a node or the ranker of the label."""
    if step.depth == 0:
        return "root"
    return f"{step.depth}. ranker" if step.is_ranker else f"{step.depth}. node {step.node}"


def no_classifier(step: Step) -> str:
    """Return why a root has no classifier; empty for other nodes."""
    is_certain = step.depth == 0 and step.estimate == 1.0
    return "no classifier, because every training row has a label" if is_certain else ""


def _evidence(evidence: Evidence) -> Iterator[str]:
    names = [shortened(entry.name, _NAME) for entry in evidence.contributions]
    width = max(map(len, names), default=0)
    for name, entry in zip(names, evidence.contributions, strict=True):
        product = shown_product(entry, evidence.slope)
        yield f"     {entry.contribution:+8.3f}  {name:{width}}  {product}"
    if evidence.n_rest:
        s = "" if evidence.n_rest == 1 else "s"
        yield f"     {evidence.rest:+8.3f}  {evidence.n_rest:,} other feature{s}"
    yield f"     {evidence.bias:+8.3f}  bias"
    yield f"     {evidence.log_odds:+8.3f}  log-odds, the sum"


def shown_product(entry: Contribution, slope: float) -> str:
    """Return the factors of a contribution: value, weight and slope."""
    factor = "" if slope == 1 else f" × {slope:g}"
    return f"{entry.value:.3g} × {entry.weight:.3g}{factor}"


def branch_title(title: str, branch: Branch) -> str:
    """Return the title of a node and its number of labels."""
    s = "" if branch.n_labels == 1 else "s"
    return f"{title}, {branch.n_labels:,} label{s}: "


def _branch_line(title: str, branch: Branch) -> str:
    head = branch_title(title, branch)
    names = listed(branch.examples, branch.n_labels, WIDTH - _FIGURES - len(head))
    half = _FIGURES // 2
    figures = f"{branch.estimate:{half}.4f}{branch.product:{half}.4f}"
    return f"{head + names:{WIDTH - _FIGURES}}{figures}"

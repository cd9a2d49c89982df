"""Explanations as data: why a label has its probability."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Contribution:
    """Contribution of one feature of the row, or of a pair of them, to the log-odds of a node."""

    feature: int  #: column of X
    name: str
    value: float  #: after feature weighting and scaling
    weight: float
    contribution: float  #: value * weight * slope
    partner: int | None = None  #: the other column of X if this is a pair of features


@dataclass(frozen=True)
class Evidence:
    """The terms whose sum is the log-odds of a node: contributions, rest and bias.

    They are log-odds of the node's own classifier, before siblings are normalized.
    """

    log_odds: float
    slope: float  #: of the link: log-odds = slope * score + intercept
    bias: float  #: slope * bias of the classifier + intercept
    contributions: tuple[Contribution, ...]  #: by absolute value, largest first
    rest: float  #: sum of the contributions of all other features
    n_rest: int  #: number of features with a weight in the node that are not listed

    def shortened(self, top_features: int) -> Evidence:
        """Return the evidence with fewer features listed; there must be no rest yet."""
        kept, others = self.contributions[:top_features], self.contributions[top_features:]
        rest = math.fsum(entry.contribution for entry in others)
        return replace(self, contributions=kept, rest=rest, n_rest=len(others))


@dataclass(frozen=True)
class Branch:
    """A node with its probability and its most probable labels."""

    node: int
    n_labels: int  #: number of labels at or below the node
    examples: tuple[Hashable, ...]  #: some of these labels, the most probable for the row first
    estimate: float  #: P(z_v = 1 | z_parent = 1, x), normalized over siblings if the model does so
    product: float  #: P(z_v = 1 | x), the product of the estimates from the root to the node


@dataclass(frozen=True)
class Step(Branch):
    """A node on the path from the root to the label, or the ranker of the label."""

    depth: int
    evidence: Evidence | None  #: None for nodes that are not linear or have no classifier
    siblings: tuple[Branch, ...]  #: the most probable siblings
    is_ranker: bool = False  #: whether this is the label's ranker, the step after its leaf

    def shortened(self, top_features: int) -> Step:
        """Return the step with fewer features listed."""
        if self.evidence is None:
            return self
        return replace(self, evidence=self.evidence.shortened(top_features))


@dataclass(frozen=True)
class TreePath:
    """The path from the root of one tree to the label."""

    steps: tuple[Step, ...]

    @property
    def probability(self) -> float:
        """The product of all estimates along the path."""
        return self.steps[-1].product

    def shortened(self, top_features: int) -> TreePath:
        """Return the path with fewer features listed."""
        return TreePath(tuple(step.shortened(top_features) for step in self.steps))


@dataclass(frozen=True)
class Explanation:
    """Why a label has its probability: the path to the label in each tree, node by node.

    ``print(explanation)`` shows it as text, notebooks as a table with bars, `to_dict` converts it
    for JSON, and `labeltree.plot.explanation` plots it. See `labeltree.PLTClassifier.explain`.
    """

    label: Hashable
    probability: float  #: predicted probability: `mean`, mapped by the curve if there is one
    mean: float  #: mean probability of the paths
    is_calibrated: bool  #: whether the probabilities were fitted to held-out rows
    paths: tuple[TreePath, ...]  #: one for each tree
    #: the label whose paths these are, if it implies `label` and is more probable than that alone
    implied_by: Hashable | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The path in the first tree, from the root."""
        return self.paths[0].steps

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a dictionary that `json.dumps` accepts."""
        plain: dict[str, Any] = _plain(self)
        for path, made in zip(self.paths, plain["paths"], strict=True):
            made["probability"] = path.probability
        return plain

    def shortened(self, top_features: int) -> Explanation:
        """Return an explanation that lists all features with fewer of them, as `explain` would."""
        return replace(self, paths=tuple(path.shortened(top_features) for path in self.paths))

    def __str__(self) -> str:
        # Imported here because the text module imports this one.
        from labeltree.explain.text import as_text

        return as_text(self)

    def __repr__(self) -> str:
        sizes = f"n_trees={len(self.paths)}, n_nodes={sum(len(path.steps) for path in self.paths)}"
        return f"Explanation(label={self.label!r}, probability={self.probability:.4f}, {sizes})"

    def _repr_html_(self) -> str:
        # Imported here because the notebook module imports this one.
        from labeltree.explain.notebook import as_html

        return as_html(self)


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold; label names of other types become strings."""
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return str(value)

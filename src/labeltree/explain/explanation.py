"""Why a label has its probability, as data."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Contribution:
    """What one feature of the row adds to the log-odds of a node."""

    feature: int  #: column of X
    name: str
    value: float  #: in the row as the model sees it: scaled to length 1 if `normalize` is set
    weight: float
    contribution: float  #: value * weight * slope


@dataclass(frozen=True)
class Evidence:
    """What the log-odds of a node are the sum of: contributions, rest and bias."""

    log_odds: float
    slope: float  #: of the link: log-odds = slope * score + intercept
    bias: float  #: slope * bias of the classifier + intercept
    contributions: tuple[Contribution, ...]  #: the largest first, up or down
    rest: float  #: sum of the contributions of all other features
    n_rest: int  #: features of the row that have a weight in the node and are not listed


@dataclass(frozen=True)
class Branch:
    """A node, how probable it is, and what is below it."""

    node: int
    n_labels: int  #: labels at or below the node
    examples: tuple[Hashable, ...]  #: some of them, those most probable for the row first
    estimate: float  #: P(z_v = 1 | z_parent = 1, x), what the classifier of the node answers
    product: float  #: P(z_v = 1 | x), the product of the estimates from the root to here


@dataclass(frozen=True)
class Step(Branch):
    """A node on the way from the root to the label."""

    depth: int
    evidence: Evidence | None  #: None for nodes that are not linear or have no classifier
    rivals: tuple[Branch, ...]  #: the most probable siblings


@dataclass(frozen=True)
class TreePath:
    """The way from the root of one tree to the label."""

    steps: tuple[Step, ...]

    @property
    def probability(self) -> float:
        """The product of all estimates on the way."""
        return self.steps[-1].product


@dataclass(frozen=True)
class Explanation:
    """Why a label has its probability: the way there in each tree, step by step.

    ``print(explanation)`` shows it as text, `to_dict` makes JSON of it, and
    `labeltree.plot.explanation` a picture. See `labeltree.PLTClassifier.explain`.
    """

    label: Hashable
    probability: float  #: what the model answers: `mean`, calibrated if the model is
    mean: float  #: of the paths' probabilities
    is_calibrated: bool
    paths: tuple[TreePath, ...]  #: one for each tree

    @property
    def steps(self) -> tuple[Step, ...]:
        """The way in the first tree, root first."""
        return self.paths[0].steps

    def to_dict(self) -> dict[str, Any]:
        """Return dicts, lists, numbers and texts that `json.dumps` takes."""
        plain: dict[str, Any] = _plain(asdict(self))
        for path, made in zip(self.paths, plain["paths"], strict=True):
            made["probability"] = path.probability
        return plain

    def __str__(self) -> str:
        # The text is a view of the data, so it stands above them.
        from labeltree.explain.text import as_text

        return as_text(self)


def _plain(value: Any) -> Any:
    """Return what JSON can hold; label names of other kinds become text."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)

"""Explanation of a label: the path from the root, with the contributions of features."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from labeltree.bounds.walks import subtree_sums
from labeltree.data.feature_pairs import NO_PAIRS, FeaturePairs
from labeltree.data.features import FeatureMatrix
from labeltree.explain.explanation import (
    Branch,
    Contribution,
    Evidence,
    Explanation,
    Step,
    TreePath,
)
from labeltree.model.calibration import INDEPENDENT
from labeltree.model.implications import probable_source
from labeltree.model.interface import NodeClassifier

_N_EXAMPLES = 3  # labels named per branch
_EXAMPLE_LEVELS = 32  # levels below a node that are searched for them
_N_SIBLINGS = 2  # siblings listed per node of the path


def explain_label(
    model: Any,
    row: FeatureMatrix,
    classes: NDArray[Any],
    label: int | None,
    *,
    feature_names: Sequence[str] | None,
    top_features: int,
    pairs: FeaturePairs = NO_PAIRS,
) -> Explanation:
    """Explain the probability of a label for a row that has been weighted and scaled.

    Parameters
    ----------
    model
        `labeltree.model.Model` or `labeltree.training.node_estimators.NodeModel`.
    row
        One row of features.
    classes
        Name of each label.
    label
        Number of the label; the most probable one if None.
    feature_names
        Name of each feature; x[0], x[1], ... if None.
    top_features
        Maximum number of features to list per node.
    pairs
        Pairs of features, which are the last features of the row.
    """
    if top_features < 0:
        raise ValueError(f"top_features must be at least 0, but is {top_features}")
    if label is None:
        label = int(model.search(row, k=1, by_weight=True)[0].indices[0])
    source = probable_source(model, row, label)
    walks = (
        _Walk(model, tree, row, classes, _Features(feature_names, pairs), top_features)
        for tree in range(len(model.trees))
    )
    paths = tuple(walk.to(source) for walk in walks)
    mean = math.fsum(path.probability for path in paths) / len(paths)
    curve = model.curve
    probability = mean if curve is None else float(np.ravel(curve(np.array([mean])))[0])
    name, other = classes[[label, source]].tolist()
    implied_by = None if source == label else other
    return Explanation(name, probability, mean, model.calibration.is_learned, paths, implied_by)


class _Features(NamedTuple):
    """Names of features, and the features of pairs."""

    names: Sequence[str] | None
    pairs: FeaturePairs

    def columns(self, feature: int) -> tuple[int, int | None]:
        """Return the column of X of a feature, or the two columns of a pair."""
        pair = feature - (len(self.pairs.begin) - 1)
        return self.pairs.features(pair) if len(self.pairs) and pair >= 0 else (feature, None)

    def name(self, column: int, partner: int | None) -> str:
        """Return the name of a feature, or of a pair."""
        if partner is not None:
            return f"{self.name(column, None)} & {self.name(partner, None)}"
        return f"x[{column}]" if self.names is None else str(self.names[column])


class _Walk:
    """Follows paths of one tree for one row."""

    def __init__(
        self,
        model: Any,
        tree: int,
        row: FeatureMatrix,
        classes: NDArray[Any],
        features: _Features,
        top_features: int,
    ) -> None:
        self._model, self._number, self._row = model, tree, row
        self._classes, self._features = classes, features
        self._top_features = top_features
        self._tree = model.trees[tree]
        self._n_below = subtree_sums(self._tree, (self._tree.degree == 0).astype(np.int64))
        self._known: dict[int, NDArray[np.float64]] = {}

    def to(self, label: int) -> TreePath:
        """Return the path from the root to a label."""
        nodes = [self._tree.leaf(label)]
        while nodes[-1] > 0:
            nodes.append(int(self._tree.parent[nodes[-1]]))
        steps: list[Step] = []
        for depth, node in enumerate(reversed(nodes)):
            above = steps[-1].product if steps else 1.0
            steps.append(self._step(node, depth, above))
        ranker = self._model.ranker(label, self._row.indices)
        if ranker is not None:
            steps.append(self._ranker_step(ranker, steps[-1]))
        return TreePath(tuple(steps))

    def _ranker_step(self, ranker: NodeClassifier, leaf: Step) -> Step:
        evidence = self._evidence(ranker, f"the ranker of node {leaf.node}")
        estimate = float(expit(evidence.log_odds))
        return replace(
            leaf,
            estimate=estimate,
            product=leaf.product * estimate,
            depth=leaf.depth + 1,
            evidence=evidence,
            siblings=(),
            is_ranker=True,
        )

    def _step(self, node: int, depth: int, above: float) -> Step:
        parent = int(self._tree.parent[node])
        estimates = self._estimates(parent)
        first = int(self._tree.first_child[parent]) if node else 0
        classifier = self._model.classifier(self._number, node, self._row.indices)
        evidence = None if classifier is None else self._evidence(classifier, f"node {node}")
        own = estimates[node - first]
        if evidence is not None and self._model.calibration.siblings == INDEPENDENT:
            # From the same sum as the log-odds, so that both agree to the last digit.
            own = expit(evidence.log_odds)
        by_estimate = np.argsort(-estimates, kind="stable") + first
        siblings = by_estimate[by_estimate != node][:_N_SIBLINGS].tolist()
        branch = self._branch(node, float(own), above)
        return Step(
            **vars(branch),
            depth=depth,
            evidence=evidence,
            siblings=tuple(self._branch(s, float(estimates[s - first]), above) for s in siblings),
        )

    def _branch(self, node: int, estimate: float, above: float) -> Branch:
        examples = self._classes[self._probable_labels(node)].tolist()
        n_labels = int(self._n_below[node])
        return Branch(node, n_labels, tuple(examples), estimate, above * estimate)

    def _evidence(self, classifier: NodeClassifier, name: str) -> Evidence:
        used = classifier.weights != 0
        features = self._row.indices[used]
        values = self._row.data[used].astype(np.float64)
        weights = classifier.weights[used].astype(np.float64)
        terms = classifier.slope * weights * values
        order = np.argsort(-np.abs(terms), kind="stable")
        listed, others = order[: self._top_features], order[self._top_features :]
        bias = classifier.slope * classifier.bias + classifier.intercept
        if not (np.isfinite(terms).all() and math.isfinite(bias)):
            raise ValueError(
                f"weights must be finite to be explained, but those of {name} are not; the "
                "model file is damaged"
            )
        contributions = tuple(
            self._contribution(int(features[k]), values[k], weights[k], terms[k]) for k in listed
        )
        return Evidence(
            log_odds=math.fsum([*terms, bias]),
            slope=classifier.slope,
            bias=bias,
            contributions=contributions,
            rest=math.fsum(terms[others]),
            n_rest=len(others),
        )

    def _contribution(self, feature: int, value: float, weight: float, term: float) -> Contribution:
        column, partner = self._features.columns(feature)
        name = self._features.name(column, partner)
        return Contribution(column, name, float(value), float(weight), float(term), partner)

    def _estimates(self, node: int) -> NDArray[np.float64]:
        """Return the estimates of the children of a node; of the root if node is -1."""
        if node not in self._known:
            self._known[node] = self._model.child_estimates(self._number, node, self._row)
        return self._known[node]

    def _probable_labels(self, node: int) -> list[int]:
        """Return probable labels below a node, by beam search of width _N_EXAMPLES.

        It ends after a number of levels if it has found any, so that paths of deep trees do not
        take quadratic time.
        """
        tree = self._tree
        open_: list[tuple[float, int]] = [(1.0, node)]
        found: list[tuple[float, int]] = []
        for level in itertools.count():
            if not open_ or (found and level > _EXAMPLE_LEVELS):
                break
            found += [(p, v) for p, v in open_ if tree.degree[v] == 0]
            below = [child for p, v in open_ if tree.degree[v] for child in self._best(v, p)]
            open_ = sorted(below, key=_most_probable)[:_N_EXAMPLES]
        best = sorted(found, key=_most_probable)[:_N_EXAMPLES]
        return [int(tree.label[v]) for _, v in best]

    def _best(self, node: int, above: float) -> list[tuple[float, int]]:
        estimates = self._estimates(node)
        first = int(self._tree.first_child[node])
        best = np.argsort(-estimates, kind="stable")[:_N_EXAMPLES]
        return [(above * float(estimates[c]), first + int(c)) for c in best]


def _most_probable(entry: tuple[float, int]) -> tuple[float, int]:
    return -entry[0], entry[1]

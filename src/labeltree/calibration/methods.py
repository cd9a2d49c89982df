"""Calibration and thresholds of a model, learned from validation rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.arguments import shown
from labeltree.calibration.isotonic import fit_isotonic
from labeltree.calibration.thresholds import (
    MIN_THRESHOLD,
    Candidates,
    label_thresholds,
    macro_threshold,
    micro_threshold,
)
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.metrics.ranked_hits import is_true
from labeltree.model.calibration import OBJECTIVES, Calibration
from labeltree.model.curve import Curve, Probabilities, log_odds, odds_curve
from labeltree.model.interface import LabelModel
from labeltree.model.links import (
    FIXED_STRENGTH,
    LINKS,
    Link,
    depth_links,
    fit_link,
    node_links,
)
from labeltree.model.model import Model

METHODS = ("auto", "isotonic", "sigmoid", "global", "depth", "depth_isotonic")

ROWS_AT_ONCE = 8192  # searched together if results are filtered afterwards

BEST = 5  # labels per row that a curve is learned from
_ENOUGH_PAIRS = 1000  # for the many knots of an isotonic curve
_CURVE_STRENGTH = 20  # additional pairs that the identity counts as in a sigmoid fit
_SMOOTHING = 10.0  # additional true pairs per label; values from 3 to 30 give similar results
_MIN_SCORE = -100.0  # lower scores are of nodes without positive training rows and are ignored


def learn_calibration(
    model: LabelModel, X: FeatureMatrix, rows: LabelRows, method: str, n_threads: int
) -> Calibration:
    """Return the calibration of a model, learned from rows that were not used in training.

    Parameters
    ----------
    model
        Forest with any calibration; it is not changed.
    X, rows
        Features and labels of the rows.
    method
        "global" fits one link for all nodes, "depth" one link per depth. "isotonic" and "sigmoid"
        fit a curve over the probabilities of labels. "depth_isotonic" does both. "auto" is
        "isotonic", or "sigmoid" for fewer than about 200 rows.
    n_threads
        Number of threads.
    """
    if method not in METHODS:
        raise ValueError(
            f"method must be one of {', '.join(METHODS)}, or None, but is {shown(method)}"
        )
    before = model.calibration
    calibration = replace(
        Calibration(), siblings=before.siblings, factors=before.factors, weights=before.weights
    )
    if method in ("global", "depth", "depth_isotonic"):
        slopes, intercepts = _learn_links(
            model, X, rows, by_depth=method != "global", n_threads=n_threads
        )
        calibration = replace(calibration, slope=slopes, intercept=intercepts)
    if method not in ("global", "depth"):
        curve = _learn_curve(model.calibrated(calibration), X, rows, method, n_threads)
        calibration = replace(calibration, curve=curve)
    return calibration


def learn_held_curve(
    model: Model,
    X: FeatureMatrix,
    rows: LabelRows,
    held: Sequence[_core.HeldScores],
    n_threads: int,
) -> Curve:
    """Return the curve of a model, learned from training rows that were held back at first.

    Parameters
    ----------
    model
        Forest with any calibration; it is not changed.
    X, rows
        Features and labels of the rows that were held back.
    held
        Scores of these rows in each tree, before they were learned from; none if the model has not
        learned from them.
    n_threads
        Number of threads.
    """
    plain = model.calibrated(replace(model.calibration, curve=None))
    found, _ = plain.search(X, k=BEST, threshold=0.0, n_threads=n_threads, held=held)
    return curve_of(found, rows, "auto")


def _learn_links(
    model: LabelModel, X: FeatureMatrix, rows: LabelRows, *, by_depth: bool, n_threads: int
) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    native = model.native('calibration by "global" or "depth"')
    slopes, intercepts = [], []
    for tree, pairs in zip(native.trees, native.path_scores(X, rows, n_threads), strict=True):
        known = pairs.scores > _MIN_SCORE
        nodes, scores, is_positive = (
            pairs.nodes[known],
            pairs.scores[known],
            pairs.is_positive[known],
        )
        link = fit_link(scores, is_positive, Link(*LINKS[native.link]), FIXED_STRENGTH)
        slope, intercept = (
            depth_links(_core.node_depths(tree._native), nodes, scores, is_positive, link)
            if by_depth
            else node_links(link, tree.n_nodes)
        )
        slopes.append(slope)
        intercepts.append(intercept)
    return slopes, intercepts


def _learn_curve(
    model: LabelModel, X: FeatureMatrix, rows: LabelRows, method: str, n_threads: int
) -> Curve:
    found, _ = model.search(X, k=BEST, threshold=0.0, n_threads=n_threads)
    return curve_of(found, rows, method)


def curve_of(found: Probabilities, rows: LabelRows, method: str) -> Curve:
    """Return the curve from the probabilities of the BEST labels of each row to shares of hits."""
    hits = is_true(rows, found.indptr, found.indices)
    known = found.data > 0
    probabilities, hits = found.data[known], hits[known]
    if method == "sigmoid" or (method == "auto" and len(hits) < _ENOUGH_PAIRS):
        start = Link(1.0, 0.0)
        link = fit_link(log_odds(probabilities), hits, start, _CURVE_STRENGTH)
        # A decreasing curve would reverse the ranking.
        return odds_curve(max(link.slope, 0.01), link.intercept)
    return fit_isotonic(probabilities, hits)


def learn_thresholds(
    model: LabelModel,
    X: FeatureMatrix,
    rows: LabelRows,
    objective: str,
    threshold: float,
    n_threads: int,
) -> Calibration:
    """Return the calibration of the model with thresholds tuned for an objective.

    Parameters
    ----------
    model
        Forest; it is not changed.
    X, rows
        Features and labels of rows that were not used in training.
    objective
        "macro_f1" for one threshold per label, "micro_f1" for one threshold for all labels,
        "expected_f1" for the best number of labels per row instead of thresholds.
    threshold
        Default, used for labels without a correct prediction.
    n_threads
        Number of threads.
    """
    if objective not in OBJECTIVES:
        raise ValueError(
            f"objective must be one of {', '.join(OBJECTIVES)}, or None, but is {shown(objective)}"
        )
    if objective == "expected_f1":
        return replace(model.calibration, objective=objective, thresholds=None)
    pairs = _candidates(model, X, rows, n_threads)
    thresholds = (
        label_thresholds(pairs, macro_threshold(pairs, threshold), _SMOOTHING)
        if objective == "macro_f1"
        else np.full(rows.n_labels, micro_threshold(pairs, threshold), np.float32)
    )
    return replace(model.calibration, objective=objective, thresholds=thresholds)


def _candidates(model: LabelModel, X: FeatureMatrix, rows: LabelRows, n_threads: int) -> Candidates:
    parts: list[tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.bool_]]] = []
    for part in slices(X.shape[0]):
        found, _ = model.search(X[part], k=None, threshold=MIN_THRESHOLD, n_threads=n_threads)
        hits = is_true(rows.select(part), found.indptr, found.indices)
        parts.append((found.indices, found.data, hits))
    labels, probabilities, hits = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Candidates(labels, probabilities, hits, rows.counts)


def slices(n_rows: int) -> Iterator[slice]:
    """Yield ranges of rows whose search results together take little memory."""
    for first in range(0, max(n_rows, 1), ROWS_AT_ONCE):
        yield slice(first, min(first + ROWS_AT_ONCE, n_rows))

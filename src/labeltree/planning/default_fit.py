"""What a fit with default settings does before it trains."""

from __future__ import annotations

from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import RowScaling
from labeltree.estimators.classifiers import PLTClassifier
from labeltree.training.feature_weighting import learn_scaling
from labeltree.training.fit import FitSettings


def default_settings(seed: int, n_jobs: int | None = 1) -> FitSettings:
    """Return the settings of a fit."""
    return PLTClassifier(n_jobs=n_jobs, random_state=seed)._settings(None)


def default_scaling(X: FeatureMatrix, rows: LabelRows, settings: FitSettings) -> RowScaling:
    """Return the scaling of rows, before small fits compare it with another."""
    return learn_scaling(
        X,
        rows,
        executor=settings.executor,
        interactions=settings.interactions,
        held=settings.held(rows, None),
    )

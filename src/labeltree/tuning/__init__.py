"""Hyperparameter search within a time budget, by successive halving over rows."""

from labeltree.tuning.result import Trial, Tuning
from labeltree.tuning.search import METRICS, tune

__all__ = ["METRICS", "Trial", "Tuning", "tune"]

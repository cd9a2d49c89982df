"""A search for settings under a time budget, by halving over rows."""

from labeltree.tuning.result import Trial, Tuning
from labeltree.tuning.search import METRICS, tune

__all__ = ["METRICS", "Trial", "Tuning", "tune"]

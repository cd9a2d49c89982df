"""Probabilistic label trees that report and minimize their training cost."""

from importlib.metadata import version

from labeltree import (
    bounds,
    cost,
    data,
    datasets,
    execution,
    metrics,
    online,
    planning,
    plot,
    trees,
)
from labeltree.estimators import HSMClassifier, PLTClassifier
from labeltree.estimators.ancestors import ancestor_proba
from labeltree.explain import Explanation
from labeltree.planning.plans import Plan, plan
from labeltree.storage import ModelFileError, load
from labeltree.text import Rescorer, TextTagger
from labeltree.trees import LabelTree
from labeltree.tuning import Tuning, tune

__version__ = version("labeltree")
__all__ = [
    "Explanation",
    "HSMClassifier",
    "LabelTree",
    "ModelFileError",
    "PLTClassifier",
    "Plan",
    "Rescorer",
    "TextTagger",
    "Tuning",
    "__version__",
    "ancestor_proba",
    "bounds",
    "cost",
    "data",
    "datasets",
    "execution",
    "load",
    "metrics",
    "online",
    "plan",
    "planning",
    "plot",
    "trees",
    "tune",
]

"""Probabilistic label trees that know and minimise what they cost."""

from importlib.metadata import version

from labeltree import bounds, cost, data, metrics, online, trees
from labeltree.ancestors import ancestor_proba
from labeltree.estimators import HSMClassifier, PLTClassifier
from labeltree.explanation import Explanation
from labeltree.plan import Plan, plan
from labeltree.storage import ModelFileError, load
from labeltree.text import TextTagger
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
    "TextTagger",
    "Tuning",
    "__version__",
    "ancestor_proba",
    "bounds",
    "cost",
    "data",
    "load",
    "metrics",
    "online",
    "plan",
    "trees",
    "tune",
]

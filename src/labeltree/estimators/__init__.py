"""The scikit-learn face: classifiers that build their trees, train and predict."""

from labeltree.estimators.classifiers import HSMClassifier, PLTClassifier

__all__ = ["HSMClassifier", "PLTClassifier"]

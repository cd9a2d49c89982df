"""scikit-learn estimators: classifiers that build their trees, train and predict."""

from labeltree.estimators.classifiers import PLTClassifier
from labeltree.estimators.hierarchical_softmax import HSMClassifier

__all__ = ["HSMClassifier", "PLTClassifier"]

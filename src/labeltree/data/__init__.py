"""What goes in: checks of X and Y, label names, readers and writers.

Features travel as float32 compressed rows made by `as_features`, labels as `LabelRows` made by
`as_labels`.
"""

from labeltree.data.features import as_features
from labeltree.data.labels import LabelRows, as_labels

__all__ = ["LabelRows", "as_features", "as_labels"]

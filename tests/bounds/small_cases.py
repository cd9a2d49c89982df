"""Cases small enough to try them all."""

from hypothesis import settings

from labeltree.data import LabelRows, as_labels
from tests.strategies import Nested

fast = settings(max_examples=40, deadline=None)
few = settings(max_examples=25, deadline=None)  # those that enumerate all trees

Case = tuple[Nested, list[set[int]]]


def labels(rows: list[set[int]], n_labels: int) -> LabelRows:
    return as_labels(rows, n_labels=n_labels)

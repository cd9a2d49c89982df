"""Settings and types for tests on cases that are small enough to enumerate."""

from hypothesis import settings

from labeltree.data import LabelRows, as_labels
from tests.strategies import Nested

fast = settings(max_examples=40, deadline=None)
few = settings(max_examples=25, deadline=None)  # for tests that enumerate all trees

Case = tuple[Nested, list[set[int]]]


def labels(rows: list[set[int]], n_labels: int) -> LabelRows:
    return as_labels(rows, n_labels=n_labels)

"""Validation of builder arguments: label counts, numbers of labels and arities."""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.data.labels import MAX_LABELS

MAX_TOTAL = 2**50  # sums of counts stay exact, and costs within 64 bits


def as_counts(counts: ArrayLike) -> NDArray[np.int64]:
    """Return the number of rows of each label as int64.

    Examples
    --------
    >>> as_counts([3, 0, 1.0])
    array([3, 0, 1])
    """
    array = np.asarray(counts)
    if array.ndim != 1:
        raise ValueError(f"counts must have one dimension, but its shape is {array.shape}")
    if array.size and array.dtype.kind not in "iuf":
        raise TypeError(f"counts must hold integers, but its dtype is {array.dtype}")
    as_n_labels(array.size)
    _raise_first(array, ~(array >= 0), "counts must not be negative")
    _raise_first(array, array != np.floor(array), "counts must be whole numbers")
    total = float(array.sum(dtype=np.float64))
    if not total < MAX_TOTAL:
        raise ValueError(
            f"counts must sum to less than 2**50, but sum to {total:.3g}; divide them by a constant"
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def as_n_labels(n_labels: int) -> int:
    """Return the number of labels, at least 1."""
    number = operator.index(n_labels)
    if number < 1:
        raise ValueError(f"a tree needs at least one label, but n_labels is {number}")
    if number > MAX_LABELS:
        raise ValueError(f"a tree has at most {MAX_LABELS} labels, but n_labels is {number}")
    return number


def as_arity(arity: int) -> int:
    """Return the arity, at least 2."""
    number = operator.index(arity)
    if number < 2:
        raise ValueError(f"arity must be at least 2, but is {number}")
    return number


def as_seed(random_state: int) -> int:
    """Return the random state as an unsigned 64-bit seed."""
    if random_state < 0:
        raise ValueError(f"random_state must be at least 0, but is {random_state}")
    return int(random_state) % 2**64


def _raise_first(array: NDArray[np.generic], wrong: NDArray[np.bool_], rule: str) -> None:
    if wrong.any():
        j = int(wrong.argmax())
        raise ValueError(f"{rule}, but label {j} has {array[j]}")

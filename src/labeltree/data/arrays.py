"""Validation of arrays that are read from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def take(
    arrays: Mapping[str, NDArray[Any]], name: str, dtype: str | None, size: int | None = None
) -> NDArray[Any]:
    """Return a one-dimensional array by name, checked for its dtype and size.

    Examples
    --------
    >>> take({"bias": np.zeros(2, np.float32)}, "bias", "f4", 3)
    Traceback (most recent call last):
    ...
    ValueError: array bias must have 3 entries, but has 2
    """
    if name not in arrays:
        raise ValueError(f"array {name} is missing")
    array = arrays[name]
    if array.ndim != 1:
        raise ValueError(f"array {name} must have one dimension, but has {array.ndim}")
    if dtype is not None and array.dtype != np.dtype(dtype):
        raise ValueError(f"array {name} must be of {np.dtype(dtype)}, but is of {array.dtype}")
    if size is not None and len(array) != size:
        raise ValueError(f"array {name} must have {size} entries, but has {len(array)}")
    return array


def check_count(name: str, number: object) -> None:
    """Raise ValueError unless the number is an integer that native code can count on from.

    Examples
    --------
    >>> check_count("n_rows", 2**63)
    Traceback (most recent call last):
    ...
    ValueError: n_rows must be an integer in 0..2**62 - 1, but is 9223372036854775808
    """
    if type(number) is not int or not 0 <= number < 2**62:
        raise ValueError(f"{name} must be an integer in 0..2**62 - 1, but is {number!r:.40}")


def check_ascending(name: str, array: NDArray[np.int64], last: int) -> None:
    """Raise ValueError unless the array is non-decreasing from 0 to `last`, like an indptr.

    Examples
    --------
    >>> check_ascending("indptr", np.array([0, 3, 2]), 2)
    Traceback (most recent call last):
    ...
    ValueError: indptr must not decrease, but does at entry 2
    """
    if len(array) == 0 or array[0] != 0 or array[-1] != last:
        raise ValueError(f"{name} must begin with 0 and end with {last}")
    falls = array[1:] < array[:-1]
    if falls.any():
        raise ValueError(f"{name} must not decrease, but does at entry {int(falls.argmax()) + 1}")

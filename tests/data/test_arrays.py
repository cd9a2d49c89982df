"""Validation of arrays that are read from a file."""

import numpy as np
import pytest

from labeltree.data.arrays import check_ascending, take


@pytest.mark.parametrize("ends", [[], [1, 2], [0, 1], [0, 3, 2]])
def test_ends_must_ascend_from_0_to_the_last(ends) -> None:
    with pytest.raises(ValueError, match="ends must"):
        check_ascending("ends", np.array(ends, np.int64), 2)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((2, 2), np.int32), "one dimension, but has 2"),
        (np.zeros(2, np.int64), "must be of int32, but is of int64"),
        (np.zeros(3, np.int32), "must have 2 entries, but has 3"),
    ],
)
def test_an_array_must_have_the_right_shape_and_dtype(array, message) -> None:
    with pytest.raises(ValueError, match=message):
        take({"x": array}, "x", "i4", 2)


def test_a_missing_array_is_named() -> None:
    with pytest.raises(ValueError, match="array x is missing"):
        take({}, "x", "i4")

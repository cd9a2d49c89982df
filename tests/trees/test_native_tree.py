import numpy as np
import pytest

from labeltree import _core


def native(parent: list[int], label: list[int]) -> _core.Tree:
    return _core.Tree(np.array(parent, np.int32), np.array(label, np.int32))


def test_arrays_are_read_only_views_that_outlive_the_tree() -> None:
    parent = native([-1, 0, 0], [-1, 0, 1]).parent
    assert parent.tolist() == [-1, 0, 0]
    assert not parent.flags.writeable


def test_wrong_dtype_is_refused_and_not_copied() -> None:
    with pytest.raises(TypeError):
        _core.Tree(np.array([-1, 0, 0]), np.array([-1, 0, 1], np.int32))

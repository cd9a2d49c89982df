"""Parents and labels of nodes in any order, and the checks of what becomes a tree."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.arguments import is_hashable, shown


class Parents(NamedTuple):
    """The arguments of `LabelTree.from_parents`."""

    parent: Sequence[int]
    label: Sequence[int]
    names: Sequence[Hashable] | None = None


def number_labels(leaves: Sequence[int | str]) -> tuple[list[int], list[str] | None]:
    """Return the label numbers of leaves in order of appearance, and their names if they have any.

    Integers are label numbers, and strings are names, which are numbered in order of appearance.
    Strings that are exactly the numbers 0 .. m-1 are label numbers too, since text formats cannot
    distinguish the two.
    """
    if all(isinstance(leaf, int) for leaf in leaves):
        return [int(leaf) for leaf in leaves], None
    numbers = [leaf for leaf in leaves if isinstance(leaf, int)]
    if numbers:
        raise ValueError(
            f"leaves must be all numbers or all names, but label {numbers[0]} is mixed with names"
        )
    names = [str(leaf) for leaf in leaves]
    if set(names) == {str(j) for j in range(len(names))}:
        return [int(name) for name in names], None
    return list(range(len(names))), names


def as_nodes(name: str, values: ArrayLike) -> NDArray[np.int32]:
    """Return parents or labels of nodes as an array; raise unless they are integers from -1."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, but its shape is {array.shape}")
    limit = np.iinfo(np.int32).max
    if array.size and array.dtype.kind not in "iu":
        # numpy turns integers beyond 64 bits into objects, or into floats beside negative ones.
        given = np.asarray(values, object).tolist()
        large = [v for v in given if isinstance(v, int) and not -1 <= v <= limit]
        if large:
            raise ValueError(f"{name} lies in -1..{limit}, but holds {shown(large[0])}")
        raise TypeError(f"{name} must hold integers, but its dtype is {array.dtype}")
    if array.size and (array.min() < -1 or array.max() > limit or array.size > limit):
        outside = array.min() if array.min() < -1 else array.max()
        raise ValueError(f"{name} lies in -1..{limit}, but holds {outside}")
    return np.ascontiguousarray(array, dtype=np.int32)


def checked_names(names: Iterable[Hashable] | None, n_labels: int) -> tuple[Hashable, ...] | None:
    """Return the names of labels; raise unless each label has one of its own."""
    if names is None:
        return None
    given = tuple(names.tolist() if isinstance(names, np.ndarray) else names)
    if len(given) != n_labels:
        raise ValueError(
            f"names must have one entry per label, {n_labels} in all, but has {len(given)}"
        )
    seen: set[Hashable] = set()
    with np.errstate(all="ignore"):  # numbers of different precision are compared
        for name in given:
            if not is_hashable(name):
                raise TypeError(f"names must be hashable, but one is {shown(name)}")
            if name in seen:
                twice = f"the name {shown(name)} occurs twice"
                raise ValueError(f"a label must be on one leaf, but {twice}")
            seen.add(name)
    return given

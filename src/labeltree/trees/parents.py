"""Unvalidated trees: parents and labels of nodes in any order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple


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

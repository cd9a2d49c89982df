"""Trees on their way in: parents and labels of nodes in any order, not yet checked."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple


class Parents(NamedTuple):
    """What `LabelTree.from_parents` takes."""

    parent: Sequence[int]
    label: Sequence[int]
    names: Sequence[Hashable] | None = None


def number_labels(leaves: Sequence[int | str]) -> tuple[list[int], list[str] | None]:
    """Return the label numbers of leaves in order of appearance, and their names if they have any.

    Integers are label numbers and texts are names, numbered as they come. Decimal texts that are
    just the numbers 0 .. m-1 are numbers too, since text formats cannot tell the two apart.
    """
    if all(isinstance(leaf, int) for leaf in leaves):
        return [int(leaf) for leaf in leaves], None
    numbers = [leaf for leaf in leaves if isinstance(leaf, int)]
    if numbers:
        raise ValueError(
            f"leaves are all numbers or all names, but label {numbers[0]} stands beside names"
        )
    names = [str(leaf) for leaf in leaves]
    if set(names) == {str(j) for j in range(len(names))}:
        return [int(name) for name in names], None
    return list(range(len(names))), names

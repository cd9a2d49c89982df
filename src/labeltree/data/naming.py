"""Mapping between labels of any hashable type and label numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from labeltree.arguments import is_hashable, shown

Codes = npt.NDArray[np.int32]
Names = npt.NDArray[Any]
# Returns the position of entry e of a flat list of labels for error messages, such as "row 3".
Where = Callable[[int], str]


@np.errstate(all="ignore")  # numbers of different precision are compared
def number_labels(labels: Sequence[Any] | npt.NDArray[Any], where: Where) -> tuple[Codes, Names]:
    """Return the number of each label, and the names: sorted if possible, else in order of use."""
    if not isinstance(labels, np.ndarray) and _first_not_integer(labels) is None:
        labels = _integers(labels)
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufUSmM":
        return _number_array(labels, where)
    first = _first_positions(labels, where)
    order: list[Any] = list(first)
    try:
        order.sort()
    except (TypeError, OverflowError):
        order = list(first)  # a failed sort leaves the list partially reordered
    number = {label: j for j, label in enumerate(order)}
    codes = np.fromiter((number[label] for label in labels), np.int32, len(labels))
    return codes, name_array(order)


def look_up(labels: Iterable[Any], names: Names, where: Where) -> Codes:
    """Return the position of each label in the known names."""
    labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    number = name_positions(names)
    codes = np.empty(len(labels), np.int32)
    for entry, label in enumerate(labels):
        code = number.get(label) if is_hashable(label) else None
        if code is None:
            raise ValueError(
                f"{where(entry)} has label {shown(label)}, which is not among the {len(names)} "
                "known labels"
            )
        codes[entry] = code
    return codes


def name_positions(names: Names) -> dict[Hashable, int]:
    """Return the number of each name; names must be unique."""
    number: dict[Hashable, int] = {}
    for j, name in enumerate(names.tolist()):
        if number.setdefault(name, j) != j:
            raise ValueError(f"label names must be unique, but {shown(name)} occurs twice")
    return number


def checked_numbers(
    labels: Sequence[Any] | npt.NDArray[Any], n_labels: int, where: Where
) -> npt.NDArray[np.int32]:
    """Return labels that already are numbers in 0..n_labels - 1, as int32."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind == "O":
        labels = labels.tolist()
    if isinstance(labels, np.ndarray):
        wrong = 0 if labels.dtype.kind not in "iu" and len(labels) else None
    else:
        wrong = _first_not_integer(labels)
    if wrong is not None:
        raise TypeError(
            f"labels must be integers 0..{n_labels - 1}, but {where(wrong)} has "
            f"{shown(labels[wrong])}"
        )
    numbers = labels if isinstance(labels, np.ndarray) else _integers(labels)
    outside = (numbers < 0) | (numbers >= n_labels)
    if outside.any():
        entry = int(np.argmax(outside))
        raise ValueError(
            f"labels must lie in 0..{n_labels - 1}, but {where(entry)} has {numbers[entry]}"
        )
    return numbers.astype(np.int32)


def name_array(names: Sequence[Any]) -> Names:
    """Return names as an array: numbers keep their type, everything else becomes objects."""
    kinds = {type(name) for name in names}
    if kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        return _integers(names)
    if len(kinds) == 1 and issubclass(kind := kinds.pop(), bool | float | np.bool_ | np.floating):
        return np.array(names, kind)
    # Filled one by one: numpy would interpret labels that are tuples as a second dimension.
    array = np.empty(len(names), object)
    for j, name in enumerate(names):
        array[j] = name
    return array


def are_positions(names: Names) -> bool:
    """Return whether the names are 0..m - 1."""
    return names.dtype.kind in "iu" and np.array_equal(names, np.arange(len(names)))


def _number_array(labels: npt.NDArray[Any], where: Where) -> tuple[Codes, Names]:
    if labels.dtype.kind in "fmM" and (missing := np.isnan(labels)).any():
        raise ValueError(f"{where(int(np.argmax(missing)))} has label NaN; leave it out")
    names, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int32), names


def _first_positions(labels: Iterable[Any], where: Where) -> dict[Hashable, int]:
    first: dict[Hashable, int] = {}
    for entry, label in enumerate(labels):
        try:
            first.setdefault(label, entry)
        except TypeError:
            raise TypeError(
                f"labels must be hashable, but {where(entry)} has {type(label).__name__} "
                f"{shown(label)}"
            ) from None
    for label, entry in first.items():
        if _is_missing(label):
            raise ValueError(f"{where(entry)} has label {_missing_word(label)}; leave it out")
    return first


def _is_missing(label: object) -> bool:
    # The missing values of pandas are recognized by name, since pandas is optional.
    return (
        label is None
        or (isinstance(label, float) and label != label)
        or type(label).__name__ in ("NAType", "NaTType")
    )


def _missing_word(label: object) -> str:
    return "NaN" if isinstance(label, float) else str(label)


def _first_not_integer(labels: Sequence[Any]) -> int | None:
    if set(map(type, labels)) <= {int}:
        return None
    return next((e for e, label in enumerate(labels) if not _is_integer(label)), None)


def _is_integer(label: object) -> bool:
    return isinstance(label, int | np.integer) and not isinstance(label, bool)


def _integers(labels: Sequence[Any]) -> npt.NDArray[Any]:
    try:
        return np.array(labels, np.int64)
    except OverflowError:
        array = np.empty(len(labels), object)
        array[:] = labels
        return array

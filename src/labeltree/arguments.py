"""Checks of arguments by their annotations, so that a wrong kind is named in one sentence."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple, ParamSpec, Self, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

#: Integers have at most 64 bits in the native core. Limits above MAX_INT32 limit nothing there.
MAX_INTEGER = 2**63 - 1
MAX_INT32 = 2**31 - 1
#: Largest number that the native core computes with, in single precision.
MAX_NUMBER = 1e30
#: Largest result that is mostly padding, and largest dense result.
MAX_TABLE_BYTES = 2**30

_PAIR_BYTES = 12  # a label and its probability

# "int | None" has two parts, "Mapping[str, float | str]" one.
_UNION = re.compile(r"\s*\|\s*(?![^\[]*\])")


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_array(value: Any) -> bool:
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return False
    # Integers beyond 64 bits are objects; what reads them names the limit.
    return array.dtype.kind in "biuf" or (
        array.dtype.kind == "O" and all(isinstance(entry, Real) for entry in array.flat)
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) == 1


def _is_label_list(value: Any) -> bool:
    again = isinstance(value, Collection)  # a generator can be read only once
    return _is_list(value) and not (again and any(not isinstance(e, Hashable) for e in value))


# By annotation, without its parameters: the words of the rule, and the test.
_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "int": ("an integer", _is_integer),
    "float": ("a number", _is_number),
    "str": ("a string", lambda value: isinstance(value, str)),
    "bool": ("True or False", lambda value: isinstance(value, bool | np.bool_)),
    "None": ("None", lambda value: value is None),
    "os.PathLike": ("a path", lambda value: isinstance(value, os.PathLike)),
    "Mapping": ("a mapping", lambda value: isinstance(value, Mapping)),
    "Sequence": ("a list", _is_list),
    "Iterable": ("a list", _is_list),
    "Sequence[Hashable]": ("a list of labels", _is_label_list),
    "Iterable[Hashable]": ("a list of labels", _is_label_list),
    "ArrayLike": ("an array of numbers", _is_array),
}
_PLAIN = (None, "", True, 0.5, 1)
# Classes of this package, known by name because they lie in layers above.
_CLASSES = ("CostModel", "Explanation", "Hierarchy", "LabelTree", "Rescorer", "TextTagger")


class Rule(NamedTuple):
    """What one parameter accepts."""

    name: str
    words: str  #: the kinds in words, such as "an integer or None"
    kinds: tuple[Callable[[Any], bool], ...]
    is_single: bool  #: whether there is one kind, besides None
    plain: frozenset[type]  #: types that pass without a further look

    @classmethod
    def of(cls, name: str, annotation: str) -> Self | None:
        """Return the rule of an annotation; None if it has a kind that is not checked."""
        kinds = [_kind(part) for part in _UNION.split(annotation)]
        known = [kind for kind in kinds if kind is not None]
        if len(known) < len(kinds):
            return None
        words = list(dict.fromkeys(words for words, _ in known))
        joined = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        n_kinds = len(set(words) - {"None", "a path"})
        tests = tuple(is_kind for _, is_kind in known)
        plain = frozenset(type(one) for one in _PLAIN if any(test(one) for test in tests))
        return cls(name, joined, tests, n_kinds == 1, plain)

    def check(self, value: Any) -> None:
        """Raise TypeError if the value is of another kind, ValueError if it has too many bits."""
        if not any(is_kind(value) for is_kind in self.kinds):
            raise TypeError(f"{self.name} must be {self.words}, but is {shown(value)}")
        if _is_integer(value) and abs(int(value)) > MAX_INTEGER:
            raise ValueError(f"{self.name} must be below 2**63, but is {shown(value)}")


def shown(value: Any) -> str:
    """Return a value for an error message, on one line and not long.

    Examples
    --------
    >>> shown(1.5), shown("x" * 99), shown(10**5000)
    ('1.5', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…", 'an integer of 16610 bits')
    """
    if _is_integer(value) and (n_bits := int(value).bit_length()) > 128:
        return f"an integer of {n_bits} bits"
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:39]}…"


def is_hashable(value: Any) -> bool:
    """Return whether a value, with all that it contains, can be a name.

    Examples
    --------
    >>> is_hashable(("a", 1)), is_hashable(("a", []))
    (True, False)
    """
    try:
        hash(value)
    except TypeError:
        return False
    return True


def check_integer(name: str, value: Any, *, minimum: int, maximum: int = MAX_INTEGER) -> None:
    """Raise TypeError if the value is not an integer, ValueError if it is out of range.

    Examples
    --------
    >>> check_integer("k", 1.5, minimum=1)
    Traceback (most recent call last):
    TypeError: k must be an integer, but is 1.5
    """
    if not _is_integer(value):
        raise TypeError(f"{name} must be an integer, but is {shown(value)}")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, but is {shown(value)}")
    if value > maximum:
        raise ValueError(f"{name} must be at most {maximum}, but is {shown(value)}")


def check_kind(name: str, value: Any, annotation: str) -> None:
    """Raise TypeError if a value is not of the kind of an annotation.

    Examples
    --------
    >>> check_kind("weights", ["a"], "ArrayLike | None")
    Traceback (most recent call last):
    TypeError: weights must be an array of numbers or None, but is ['a']
    """
    rule = _rule(name, annotation)
    assert rule is not None
    rule.check(value)


_rule = functools.cache(Rule.of)


def check_row(indices: Any, values: Any) -> None:
    """Raise TypeError if the arrays of one row have another form than the native core reads."""
    for name, array, dtype in (("indices", indices, np.int32), ("values", values, np.float32)):
        is_vector = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype == dtype
        if not is_vector or not array.flags.c_contiguous:
            rule = f"{name} must be a contiguous array of {np.dtype(dtype)} with one dimension"
            raise TypeError(f"{rule}, but is {shown(array)}")


def check_padding(n_rows: int, k: int, n_labels: int) -> None:
    """Raise ValueError if tables of k labels and probabilities per row would be mostly padding.

    Examples
    --------
    >>> check_padding(n_rows=1, k=10**9, n_labels=5)
    Traceback (most recent call last):
    ValueError: k must be at most 5, the number of labels, for tables this large, but is 1000000000
    """
    if k > n_labels and max(n_rows, 1) * k * _PAIR_BYTES > MAX_TABLE_BYTES:
        raise ValueError(
            f"k must be at most {n_labels}, the number of labels, for tables this large, but is {k}"
        )


def check_largest(name: str, value: float) -> None:
    """Raise ValueError if a number is too large for the native core."""
    if float(value) > MAX_NUMBER:
        raise ValueError(f"{name} must be at most {MAX_NUMBER}, but is {value}")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the kinds of the arguments of a public function by their annotations.

    Parameters whose annotation allows anything else, such as Any, are not checked. Integers of
    NumPy become those of Python, which do not overflow.

    Examples
    --------
    >>> @checked
    ... def repeat(word: str, times: int | None = None) -> str:
    ...     return word * (times or 1)
    >>> repeat("a", 2.0)
    Traceback (most recent call last):
    TypeError: times must be an integer or None, but is 2.0
    """
    parameters = list(inspect.signature(function).parameters)
    rules = [
        (parameters.index(rule.name), rule.name, rule.plain, rule.check)
        for rule in rules_of(function)
    ]

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        n_args = len(args)
        for position, name, plain, check in rules:
            value: Any
            if position < n_args:
                value = args[position]
            elif name in kwargs:
                value = kwargs[name]
            else:
                continue
            kind = type(value)
            if kind not in plain or (kind is int and not -MAX_INTEGER <= value <= MAX_INTEGER):
                check(value)
                if isinstance(value, np.integer) and position < n_args:
                    args = (*args[:position], int(value), *args[position + 1 :])  # type: ignore[assignment]
                elif isinstance(value, np.integer):
                    kwargs[name] = int(value)
        return function(*args, **kwargs)

    return call


def check_values(function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Check values by the annotations of a function, such as the __init__ of an estimator.

    Parameters of several kinds are left to checks of their own, which know what each stands for.
    """
    for rule in rules_of(function):
        if rule.is_single and rule.name in values:
            rule.check(values[rule.name])


@functools.cache
def rules_of(function: Callable[..., Any]) -> tuple[Rule, ...]:
    """Return the rules that the annotations of a function give."""
    rules = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if isinstance(parameter.annotation, str):
            rules.append(Rule.of(name, parameter.annotation))
    return tuple(rule for rule in rules if rule is not None)


def _kind(annotation: str) -> tuple[str, Callable[[Any], bool]] | None:
    name = annotation if annotation in _KINDS else annotation.partition("[")[0]
    if name in _CLASSES:
        return f"a {name}", lambda value: name in (base.__name__ for base in type(value).__mro__)
    return _KINDS.get(name)

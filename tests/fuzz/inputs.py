"""Odd arguments to everything public: refused with a sentence, or answered with numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from tests.fuzz.byte_mutations import Random, pick
from tests.fuzz.calls import Call, all_calls
from tests.fuzz.odd_values import odd_labels, odd_matrix, odd_texts, odd_value
from tests.fuzz.verdicts import check_probabilities
from tests.fuzz.worker import ANSWERED, REFUSED

_LIKE = {"X": odd_matrix, "x": odd_matrix, "embeddings": odd_matrix, "y": odd_labels}
_LIKE |= {"Y": odd_labels, "tags": odd_labels, "texts": odd_texts}

# Work that a caller may ask for, however long it takes.
_ASKED = ("max_iter", "exact_up_to")
_ENOUGH = 100

# What Python raises for an argument of another kind, such as a text where a tree belongs.
_OF_KINDS = (TypeError, ValueError, AttributeError, NotImplementedError)


class InputFuzzer:
    """Calls public functions with one or two odd arguments."""

    def __init__(self) -> None:
        self.calls = all_calls()

    def run(self, rng: Random, folder: Path) -> str:
        """Make one call."""
        call = pick(rng, self.calls)
        arguments, is_foreign = odd_arguments(rng, call)
        if "FUZZ_VERBOSE" in os.environ:
            print(call.name, {name: f"{value!r:.300}" for name, value in arguments.items()})
        try:
            found = call.function(**arguments)
        except _OF_KINDS as error:
            if is_foreign and "incompatible function arguments" not in str(error):
                return REFUSED
            raise
        if call.name == "predict_proba" or (call.name == "fit" and "y" in call.arguments):
            check_probabilities(found.data if sparse.issparse(found) else found)
        return ANSWERED


def odd_arguments(rng: Random, call: Call) -> tuple[dict[str, Any], bool]:
    """Return the arguments of a call, some of them replaced, and whether one is of another kind."""
    arguments, is_foreign = dict(call.arguments), False
    for name in call.options:
        if rng.random() < min(0.5, 3 / len(call.options)):
            arguments[name] = call.options[name]
    known = arguments.copy() or call.options
    for _ in range(int(pick(rng, [1, 1, 1, 2, 3]))):
        if not known:
            break
        name = pick(rng, list(known))
        like = _LIKE.get(name)
        near = like is not None and rng.random() < 0.8
        value = like(rng) if near and like is not None else odd_value(rng)
        if not near and rng.random() < 0.7:  # mostly another value of the same kind
            same = (odd for odd in _several(rng) if kind_of(odd) == kind_of(known[name]))
            value = next(same, value)
        if name in _ASKED and type(value) is int:
            value = min(value, _ENOUGH)
        is_foreign |= not near and kind_of(value) != kind_of(known[name])
        arguments[name] = value
    return {name: _copied(value) for name, value in arguments.items()}, is_foreign


def _several(rng: Random) -> Iterator[Any]:
    for _ in range(20):
        yield odd_value(rng)


def kind_of(value: Any) -> str:
    """Return what a value is to a caller: a number, a text, numbers, or the name of its type."""
    if isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "biuf":
        return "numbers"
    if isinstance(value, list | tuple) and value and all(kind_of(v) == "number" for v in value):
        return "numbers"
    return type(value).__name__


def _copied(value: Any) -> Any:
    """A call may not see what an earlier one did to its arguments."""
    return value.copy() if isinstance(value, np.ndarray | list | dict) else value

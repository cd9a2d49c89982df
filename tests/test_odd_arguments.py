"""Every parameter of every public function accepts an odd value or refuses it in one sentence."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from tests.odd_arguments import ODD, Call, calls, is_plain

CALLS = list(calls())
PARAMETERS = [
    pytest.param(call, name, id=f"{call.name}-{name}") for call in CALLS for name in call.parameters
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("call", "parameter"), PARAMETERS)
def test_an_odd_value_is_accepted_or_refused_in_a_sentence(call: Call, parameter: str) -> None:
    found = []
    for name, value in ODD.items():
        try:
            call.run(**{**copy.deepcopy(dict(call.arguments)), parameter: value})
        except (ValueError, TypeError, OSError) as error:
            if not is_plain(error):
                found.append(f"{name}: {type(error).__name__}: {error}")
        except Exception as error:
            found.append(f"{name}: {type(error).__name__}: {error}")
    assert not found


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_every_call_works_with_accepted_values(call: Call) -> None:
    call.run(**call.arguments)


INTEGERS = [
    pytest.param(call, name, id=f"{call.name}-{name}")
    for call in CALLS
    for name in call.parameters
    if isinstance(call.arguments.get(name), int)
]


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int32])
@pytest.mark.parametrize(("call", "parameter"), INTEGERS)
def test_integers_of_numpy_are_integers(call: Call, parameter: str, kind: Any) -> None:
    given = dict(call.arguments)
    call.run(**{**given, parameter: kind(given[parameter])})

"""JSON with a value in it replaced by an odd one."""

from __future__ import annotations

from typing import Any

from tests.fuzz.byte_mutations import Random, pick


def nested(depth: int) -> Any:
    """Return lists within lists."""
    inner: Any = 0
    for _ in range(depth):
        inner = [inner]
    return inner


_NUMBERS = [
    *(-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 8, 255, 256, 65535, 65536, 2**24, 10**8),
    *(2**31 - 2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**53, 2**62, 2**63 - 2, 2**63 - 1),
    *(2**63, 2**64 - 1, 2**64, 10**30, 10**400),
    *(0.5, -0.5, 1.5, -0.0, 1e-300, 1e-45, 1e38, 1e39, 1e300, -1e300),
    *(float("nan"), float("inf"), float("-inf")),
]
_TEXTS = ["", "text", "0" * 16, "\x00", "\x1b[2J", "\ud800", "a\u202eb", "é", "x" * 5000, "None"]
_NESTED = [[], {}, [[]], {"a": 1}, [0], [None], nested(8), nested(20), {"mapping": [["a", 1]]}]
ODD: list[Any] = [*_NUMBERS, *_NUMBERS, None, True, False, *_TEXTS, *_NESTED]


def with_odd_value(rng: Random, document: Any) -> None:
    """Change a value, a key or a length somewhere in the document, in place."""
    inner = document
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = pick(rng, keys)
        below = inner[key]
        if not below or not isinstance(below, dict | list) or rng.random() < 0.1:
            return _change(rng, inner, key)
        inner = below


def _change(rng: Random, inner: Any, key: Any) -> None:
    kind, value = rng.random(), inner[key]
    if kind < 0.5:
        inner[key] = pick(rng, ODD)
    elif kind < 0.7 and isinstance(value, int | float) and not isinstance(value, bool):
        number = value if abs(value) > 1e300 else float(value)
        inner[key] = pick(rng, [value + 1, value - 1, value * 2, -value, number, [value]])
    elif kind < 0.7 and isinstance(value, str):
        inner[key] = pick(rng, [value[:-1], value + value[-1:], value.upper(), [value]])
    elif kind < 0.8:
        del inner[key]
    elif kind < 0.9:
        _add(rng, inner, key)
    else:
        inner[key] = nested(int(pick(rng, [3, 15, 17, 300])))


def _add(rng: Random, inner: Any, key: Any) -> None:
    if isinstance(inner, dict):
        inner[pick(rng, ["", "odd", "names", "n_trees", str(key) + "x"])] = pick(rng, ODD)
    else:
        inner.insert(int(rng.integers(len(inner) + 1)), pick(rng, [inner[key], pick(rng, ODD)]))

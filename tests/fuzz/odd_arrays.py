"""Arrays with odd numbers, in odd order, or of odd length or dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.fuzz.byte_mutations import Random, pick

_DTYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]
_ODD_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.0000001, 1e-45, -1e-45, 3e38, -3e38, np.nan, np.inf]


def odd_array(rng: Random, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array with other numbers, another order, length or dtype."""
    array, kind = array.copy(), rng.random()
    if kind < 0.55:
        _change_elements(rng, array)
        return array
    if kind < 0.8:
        return _rearranged(rng, array)
    return _resized(rng, array) if kind < 0.93 else _retyped(rng, array)


def odd_numbers(rng: Random, dtype: np.dtype[Any]) -> Any:
    """Return a number that arrays of this kind rarely hold."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return dtype.type(pick(rng, _ODD_FLOATS))
    limits = np.iinfo(dtype)
    near = [0, 1, 2, -1, -2, 7, 8, 16, 255, 256, 2**20, 2**31 - 1, 2**31, 2**32, 2**40, 2**62]
    near += [limits.max, limits.max - 1, limits.min, limits.min + 1]
    return dtype.type(pick(rng, [n for n in near if limits.min <= n <= limits.max]))


def _change_elements(rng: Random, array: NDArray[Any]) -> None:
    flat = array.reshape(-1)
    if not flat.size:
        return
    for place in rng.integers(flat.size, size=int(pick(rng, [1, 1, 2, 4]))):
        kind = rng.random()
        if kind < 0.5:
            flat[place] = odd_numbers(rng, array.dtype)
        elif kind < 0.75:
            with np.errstate(all="ignore"):
                flat[place] += array.dtype.type(1) if rng.random() < 0.5 else -array.dtype.type(1)
        else:
            flat[place] = flat[rng.integers(flat.size)]


def _rearranged(rng: Random, array: NDArray[Any]) -> NDArray[Any]:
    flat = array.reshape(-1)
    if flat.size > 1:
        kind = int(rng.integers(6))
        if kind == 0:
            flat.sort()
        elif kind == 1:
            flat[:] = flat[::-1].copy()
        elif kind == 2:
            rng.shuffle(flat)
        elif kind == 3:
            flat[:] = odd_numbers(rng, array.dtype)
        elif kind == 4:
            i, j = rng.integers(flat.size, size=2)
            flat[i], flat[j] = flat[j], flat[i]
        else:
            at = int(rng.integers(flat.size))
            flat[at:] = flat[at]
    return array


def _resized(rng: Random, array: NDArray[Any]) -> NDArray[Any]:
    flat = array.reshape(-1)
    kind = int(rng.integers(5))
    if kind == 0:
        return flat[:-1].copy()
    if kind == 1:
        return flat[: rng.integers(flat.size + 1)].copy()
    if kind == 2:
        return np.append(flat, odd_numbers(rng, array.dtype))
    if kind == 3:
        return flat[1:].copy()
    return flat.reshape((-1, 1)) if rng.random() < 0.5 else np.concatenate([flat, flat])


def _retyped(rng: Random, array: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return array.astype(pick(rng, _DTYPES))

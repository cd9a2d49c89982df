"""Mutations of bytes that know nothing of their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
Random = np.random.Generator
MAX_BYTES = 1 << 16  # of a mutated text


def pick(rng: Random, choices: Sequence[T]) -> T:
    """Return one of the choices."""
    return choices[int(rng.integers(len(choices)))]


def flipped(rng: Random, file: bytes) -> bytes:
    """Flip one to three bits."""
    changed = bytearray(file)
    for place in rng.integers(len(file), size=rng.integers(1, 4)):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut(rng: Random, file: bytes) -> bytes:
    """Keep only the beginning."""
    return file[: rng.integers(len(file))]


def spliced(rng: Random, file: bytes) -> bytes:
    """Insert a part of the file into it, or replace a part by it."""
    first, last, at = (int(place) for place in rng.integers(len(file), size=3))
    end = at + (int(rng.integers(64)) if rng.random() < 0.5 else 0)
    return file[:at] + file[min(first, last) : max(first, last)] + file[end:]


def dropped(rng: Random, file: bytes) -> bytes:
    """Leave a few bytes out."""
    at = int(rng.integers(len(file)))
    return file[:at] + file[at + int(rng.integers(1, 9)) :]


def with_token(rng: Random, file: bytes, tokens: Sequence[bytes]) -> bytes:
    """Insert a token, or replace a few bytes by it."""
    at, n_out = int(rng.integers(len(file) + 1)), int(rng.integers(4))
    return file[:at] + pick(rng, tokens) + file[at + n_out :]


def repeated(rng: Random, file: bytes) -> bytes:
    """Repeat a short part many times."""
    at, size = int(rng.integers(len(file))), int(rng.integers(1, 20))
    part = file[at : at + size]
    n_times = int(pick(rng, [2, 10, 300, 3000]))
    return file[:at] + part * min(n_times, MAX_BYTES // max(len(part), 1)) + file[at:]


def mutated(rng: Random, file: bytes, tokens: Sequence[bytes]) -> bytes:
    """Apply one to four mutations."""
    for _ in range(int(rng.integers(1, 5))):
        if not file:
            return pick(rng, tokens)
        kind: Any = pick(rng, [flipped, cut, spliced, dropped, repeated, *[with_token] * 4])
        file = kind(rng, file, tokens) if kind is with_token else kind(rng, file)
        file = file[:MAX_BYTES]
    return file

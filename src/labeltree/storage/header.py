"""JSON of any origin: parsed without surprises, or refused."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from labeltree.storage.errors import ModelFileError

MAX_BYTES = 1 << 26
_MAX_DEPTH = 16


def write_header(header: dict[str, Any]) -> bytes:
    """Return a header as JSON in UTF-8.

    Examples
    --------
    >>> write_header({"n": 1})
    b'{"n":1}'
    """
    _check_depth(header)
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        odd = text[error.start : error.end]
        raise ValueError(
            f"a model file must have text of whole characters, but one is {odd!a}; set another "
            "value"
        ) from None
    if len(encoded) > MAX_BYTES:
        raise ValueError(f"a header has at most {MAX_BYTES} bytes, but this has {len(encoded)}")
    return encoded


def read_header(encoded: bytes) -> dict[str, Any]:
    """Return the object that JSON represents.

    Raises
    ------
    ModelFileError
        If it is not JSON, or JSON that readers disagree about or fail on: a key twice, NaN, numbers
        beyond float64, deep nesting.

    Examples
    --------
    >>> read_header(b'{"n":1,"n":2}')
    Traceback (most recent call last):
    ...
    labeltree.storage.errors.ModelFileError: the header has the key 'n' twice
    """
    try:
        header = json.loads(
            encoded.decode(),
            object_pairs_hook=_object,
            parse_float=_finite,
            parse_constant=_no_constant,
        )
    except ModelFileError:
        raise
    except RecursionError:
        raise ModelFileError(f"the header is nested more than {_MAX_DEPTH} deep") from None
    except ValueError as error:  # not UTF-8, not JSON, or an integer of thousands of digits
        raise ModelFileError(f"the header is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise ModelFileError(f"the header must be a JSON object, but is a {type(header).__name__}")
    _check_depth(header)
    return header


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ModelFileError(f"the header has the key {key!r} twice")
        made[key] = value
    return made


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ModelFileError(f"numbers of the header must be finite, but one is {text[:40]}")
    return value


def _no_constant(text: str) -> NoReturn:
    raise ModelFileError(f"numbers of the header must be finite, but one is {text}")


def _check_depth(header: dict[str, Any]) -> None:
    level: list[Any] = [header]
    for _ in range(_MAX_DEPTH):
        inside: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inside.extend(value.values())
            elif isinstance(value, list):
                inside.extend(value)
        level = inside
        if not level:
            return
    raise ModelFileError(f"the header is nested more than {_MAX_DEPTH} deep")

"""JSON of any origin: parsed without surprises, or refused."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from labeltree.storage.errors import ModelFileError

MAX_BYTES = 1 << 26
_MAX_DEPTH = 16
# Shorter integers fit into a float64. All digits become zeros, which are faster to look for.
_ZEROS, _LONG_NUMBER = bytes.maketrans(b"123456789", b"000000000"), b"0" * 300
_TOO_LARGE = "numbers of the header must fit into a float64, but one is {}"


def write_header(header: dict[str, Any]) -> bytes:
    """Return a header as JSON in UTF-8.

    Examples
    --------
    >>> write_header({"n": 1})
    b'{"n":1}'
    """
    _check_values(header, integers=True)
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if odd := _half_character(text):
        raise ValueError(
            f"a model file must have text of whole characters, but one is {odd!a}; set another "
            "value"
        )
    encoded = text.encode()
    if len(encoded) > MAX_BYTES:
        raise ValueError(f"a header has at most {MAX_BYTES} bytes, but this has {len(encoded)}")
    return encoded


def read_header(encoded: bytes) -> dict[str, Any]:
    """Return the object that JSON represents.

    Raises
    ------
    ModelFileError
        If it is not JSON, or JSON that readers disagree about or fail on: a key twice, NaN, numbers
        beyond float64, halves of characters, deep nesting.

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
            parse_float=_number,
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
    _check_values(header, integers=_LONG_NUMBER in encoded.translate(_ZEROS))
    _check_characters(header, encoded)
    return header


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ModelFileError(f"the header has the key {key!r} twice")
        made[key] = value
    return made


def _number(text: str) -> float:
    value = float(text)
    # A value that rounds to 0 fits as little as one that rounds to infinity.
    if math.isinf(value) or (value == 0.0 and re.search("[1-9]", text.lower().split("e")[0])):
        raise ModelFileError(_TOO_LARGE.format(text[:40]))
    return value


def _no_constant(text: str) -> NoReturn:
    raise ModelFileError(f"numbers of the header must be finite, but one is {text}")


def _half_character(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return text[error.start : error.end]
    return ""


def _check_characters(header: dict[str, Any], encoded: bytes) -> None:
    # Only an escape can stand for half a character; what is not escaped is UTF-8.
    if b"\\u" not in encoded:
        return
    if odd := _half_character(json.dumps(header, ensure_ascii=False)):
        raise ModelFileError(f"text of the header must have whole characters, but one is {odd!a}")


def _check_integer(value: int) -> None:
    try:
        float(value)
    except OverflowError:
        found = f"an integer of {value.bit_length()} bits"
        raise ModelFileError(_TOO_LARGE.format(found)) from None


def _check_values(header: dict[str, Any], *, integers: bool) -> None:
    level: list[Any] = [header]
    for _ in range(_MAX_DEPTH):
        inside: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inside.extend(value.values())
            elif isinstance(value, list):
                inside.extend(value)
            elif integers and isinstance(value, int):
                _check_integer(value)
        level = inside
        if not level:
            return
    raise ModelFileError(f"the header is nested more than {_MAX_DEPTH} deep")

"""Human-readable numbers with units: formatting and parsing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from labeltree.arguments import shown

#: Units of short and long times in seconds, and of sizes in bytes.
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3}
LONG_SECONDS = {"s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0}
BYTES = {"b": 1.0} | {
    f"{letter}{end}": float(base ** (power + 1))
    for power, letter in enumerate("kmgt")
    for end, base in (("b", 1000), ("ib", 1024))
}
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([^\W\d_]+)")


def compact(value: float) -> str:
    """Return a number in at most 5 characters below a billion.

    Examples
    --------
    >>> compact(12.345), compact(1234), compact(54886), compact(1200000)
    ('12.3', '1,234', '54.9k', '1.2M')
    """
    if isinstance(value, int) and value < 9_999.5:
        return f"{value:,}"
    if value < 999.95:
        return f"{value:.1f}"
    if value < 9_999.5:
        return f"{value:,.0f}"
    for unit, scale in (("k", 1e3), ("M", 1e6), ("G", 1e9)):
        if value < 99.95 * scale:
            return f"{value / scale:.1f}{unit}"
        if value < 999.5 * scale:
            return f"{value / scale:.0f}{unit}"
    return f"{value:.0e}"


def format_seconds(seconds: float) -> str:
    """Return seconds with a unit and two or three digits.

    Examples
    --------
    >>> format_seconds(0.000052), format_seconds(1.234), format_seconds(600)
    ('52us', '1.2s', '10min')
    """
    units = (("us", 1e-6, 999.5), ("ms", 1e-3, 999.5), ("s", 1.0, 119.5), ("min", 60.0, 119.5))
    return _with_unit(seconds, units, ("h", 3600.0))


def format_bytes(size: float) -> str:
    """Return bytes with a decimal unit and two or three digits.

    Examples
    --------
    >>> format_bytes(999), format_bytes(48_200_000)
    ('999B', '48MB')
    """
    units = [(unit, 1000.0**power, 999.5) for power, unit in enumerate(("B", "kB", "MB", "GB"))]
    return _with_unit(size, units, ("TB", 1e12))


def _with_unit(
    value: float, units: Iterable[tuple[str, float, float]], largest: tuple[str, float]
) -> str:
    """Return the value in the first (unit, size, limit) in which it is below the limit."""
    fitting = ((unit, size) for unit, size, limit in units if value / size < limit)
    unit, size = next(fitting, largest)
    digits = 0 if value == 0 or value / size >= 9.95 or unit == "B" else 1
    return f"{value / size:.{digits}f}{unit}"


def parse_quantity(text: str) -> tuple[float, str]:
    """Return the number and the unit of a string such as "60s", "500MB" or "50us".

    Examples
    --------
    >>> parse_quantity("500 MB")
    (500.0, 'mb')
    """
    match = _QUANTITY.fullmatch(text)
    if match is None or match[2].lower() not in SECONDS | LONG_SECONDS | BYTES:
        raise ValueError(
            f'a limit is a number and a unit, such as "60s" or "500MB", but is {shown(text)}'
        )
    return float(match[1]), match[2].lower()


def parse_bytes(name: str, size: float | str) -> float:
    """Return a size in bytes, given as a number or a string such as "500MB".

    Examples
    --------
    >>> parse_bytes("max_memory", "2kB")
    2000.0
    """
    value = size
    if isinstance(value, str):
        number, unit = parse_quantity(value)
        if unit not in BYTES:
            raise ValueError(f"{name} must be in {', '.join(BYTES)}, but is {size!r}")
        value = number * BYTES[unit]
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be finite and above 0, but is {size}")
    return float(value)

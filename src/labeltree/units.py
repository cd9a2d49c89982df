"""Numbers as people read them: few digits and a unit."""

from __future__ import annotations

from collections.abc import Iterable


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
    """Return the value in the first unit of (unit, size, below) in which it is small enough."""
    fitting = ((unit, size) for unit, size, below in units if value / size < below)
    unit, size = next(fitting, largest)
    digits = 0 if value == 0 or value / size >= 9.95 or unit == "B" else 1
    return f"{value / size:.{digits}f}{unit}"

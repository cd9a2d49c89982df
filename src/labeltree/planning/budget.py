"""Limits on time, memory and model size, parsed from text such as "60s" or "500MB"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

from labeltree.arguments import check_values
from labeltree.units import BYTES, LONG_SECONDS, SECONDS, parse_quantity


@dataclass(frozen=True)
class Budget:
    """Limits on training, on the size of the model and on queries; None means no limit.

    Examples
    --------
    >>> Budget.parse("60s, 500MB")
    Budget(time=60.0, memory=500000000.0, model=None, query=None)
    >>> Budget.parse({"model": "20MB"}).model
    20000000.0
    """

    time: float | None = None  #: training time in seconds
    memory: float | None = None  #: peak memory while training, in bytes
    model: float | None = None  #: size of the model in bytes
    query: float | None = None  #: time of a query of one row in seconds

    def __post_init__(self) -> None:
        check_values(type(self).__init__, vars(self))
        for name, limit in self.limits().items():
            if not (math.isfinite(limit) and limit > 0):
                raise ValueError(f"a budget's {name} must be finite and above 0, but is {limit}")

    def limits(self) -> dict[str, float]:
        """Return the limits that are set."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: limit for name, limit in values.items() if limit is not None}

    @classmethod
    def parse(cls, given: str | Mapping[str, float | str] | Budget | None) -> Budget:
        """Return the budget given as a string or a mapping; None gives no limits.

        Parameters
        ----------
        given
            A string such as "60s" or "5min" (training time), "500MB" or "2GiB" (memory while
            training), or "2ms" (a query of one row). Separate several limits with commas, and name
            a limit explicitly with "time=500ms" or "model=20MB". Alternatively, a mapping from
            time, memory, model and query to such strings or to seconds and bytes.

        Raises
        ------
        ValueError
            If a limit is malformed.
        """
        if given is None or isinstance(given, Budget):
            return given or cls()
        if isinstance(given, str):
            pairs = [_parse_part(part) for part in given.split(",")]
        elif isinstance(given, Mapping):
            pairs = [_checked_pair(name, limit) for name, limit in given.items()]
        else:
            raise TypeError(
                'budget must be a string such as "60s" or a mapping such as {"time": 60}, but is '
                f"{type(given).__name__}"
            )
        limits = dict(pairs)
        if len(limits) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"a budget sets each limit once, but {given!r} sets {twice} twice")
        return cls(**limits)


def _parse_part(part: str) -> tuple[str, float]:
    name, equals, quantity = part.rpartition("=")
    if equals:
        return _checked_pair(name.strip(), quantity.strip())
    value, unit = parse_quantity(part.strip())
    if unit in BYTES:
        return "memory", value * BYTES[unit]
    if unit in SECONDS:
        return "query", value * SECONDS[unit]
    return "time", value * LONG_SECONDS[unit]


def _checked_pair(name: str, limit: float | str) -> tuple[str, float]:
    known = [field.name for field in fields(Budget)]
    if name not in known:
        raise ValueError(f"a budget limits {', '.join(known)}, but got {name!r}")
    if not isinstance(limit, str):
        return name, float(limit)
    value, unit = parse_quantity(limit)
    units = BYTES if name in ("memory", "model") else SECONDS | LONG_SECONDS
    if unit not in units:
        raise ValueError(f"a limit of {name} must be in {', '.join(units)}, but is {limit!r}")
    return name, value * units[unit]

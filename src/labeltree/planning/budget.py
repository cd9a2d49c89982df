"""Limits on time, memory and latency, written as people write them: "60s", "500MB", "50us"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

from labeltree.units import BYTES, LONG_SECONDS, SECONDS, parse_quantity


@dataclass(frozen=True)
class Budget:
    """What training and answering may take; None where there is no limit.

    Examples
    --------
    >>> Budget.parse("60s, 500MB")
    Budget(time=60.0, memory=500000000.0, model=None, latency=None)
    >>> Budget.parse({"latency": "2ms"}).latency
    0.002
    """

    time: float | None = None  #: seconds of training
    memory: float | None = None  #: bytes while training
    model: float | None = None  #: bytes of the model
    latency: float | None = None  #: seconds of one query

    def __post_init__(self) -> None:
        for name, limit in self.limits().items():
            if not (math.isfinite(limit) and limit > 0):
                raise ValueError(f"a budget's {name} must be finite and above 0, but is {limit}")

    def limits(self) -> dict[str, float]:
        """Return the limits that are set."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: limit for name, limit in values.items() if limit is not None}

    @classmethod
    def parse(cls, given: str | Mapping[str, float | str] | Budget | None) -> Budget:
        """Return the budget of a text, of a mapping, or no limits for None.

        Parameters
        ----------
        given
            Texts such as "60s", "5min" (training time), "500MB", "2GiB" (memory while training) and
            "50us", "2ms" (latency of a query), several with commas between; "time=0.5s",
            "model=20MB" say which limit is meant. A mapping from time, memory, model and latency to
            such texts or to seconds and bytes.
        """
        if given is None or isinstance(given, Budget):
            return given or cls()
        if isinstance(given, str):
            pairs = [_parse_part(part) for part in given.split(",")]
        elif isinstance(given, Mapping):
            pairs = [_checked_pair(name, limit) for name, limit in given.items()]
        else:
            raise TypeError(
                'a budget is a text such as "60s" or a mapping such as {"time": 60}, but is '
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
        return "latency", value * SECONDS[unit]
    return "time", value * LONG_SECONDS[unit]


def _checked_pair(name: str, limit: float | str) -> tuple[str, float]:
    known = [field.name for field in fields(Budget)]
    if name not in known:
        raise ValueError(f"a budget limits {', '.join(known)}, but names {name!r}")
    if not isinstance(limit, str):
        return name, float(limit)
    value, unit = parse_quantity(limit)
    units = BYTES if name in ("memory", "model") else SECONDS | LONG_SECONDS
    if unit not in units:
        raise ValueError(f"a limit of {name} is in {', '.join(units)}, but is {limit!r}")
    return name, value * units[unit]

"""Figures of other systems that need not be measured again when labeltree changes."""

from __future__ import annotations

import re
from typing import Any

from benchmarks.rivals.figures import OURS, is_ours
from benchmarks.rivals.prepare import SEED, Prepared
from benchmarks.rivals.systems import Rival, System

#: The fastest other systems: their times are compared with labeltree's, so all are of one run.
TOGETHER = ("omikuji, 1 tree", "PECOS XR-Linear")
#: What makes a machine the same.
_MACHINE = ("processor", "cores")


def may_keep(
    system: System,
    run: dict[str, Any],
    data: Prepared,
    machine: dict[str, Any],
) -> bool:
    """Return whether the figures that a run has of a system are still those of the system."""
    if system.adapter == OURS or system.name in TOGETHER:
        return False
    old = next((one for one in run["systems"] if one["system"] == system.name), None)
    if old is None or old["status"] == "not installed":
        return False
    # Without its hits on each row, the lead of labeltree could not be computed.
    has_hits = old["status"] != "ok" or data.hits.has(system.name)
    is_there = all(old["machine"].get(key) == machine[key] for key in _MACHINE)
    return has_hits and is_there and is_same(system, old)


def is_same(system: System, old: dict[str, Any]) -> bool:
    """Return whether figures are of the pinned version and the present settings of a system."""
    rival = system.rival
    seed = {} if rival.seed is None else {rival.seed: SEED}
    is_version = old.get("version") in (None, pinned(rival))
    return is_version and dict(old["settings"]) == seed | dict(system.settings)


def pinned(rival: Rival) -> str | None:
    """Return the version that is installed; None if it is not pinned.

    Examples
    --------
    >>> pinned(Rival("omikuji", (("omikuji==0.5.2", "numpy"),)))
    '0.5.2'
    """
    words = [word for arguments in rival.installs for word in arguments]
    found = (re.fullmatch(rf"{rival.package}==(.+)", word) for word in words)
    return next((match.group(1) for match in found if match), None)


def is_one_run(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Return whether times of two systems may be compared; older results do not name their run."""
    return bool(ours.get("run") == theirs.get("run"))


def kept_names(systems: list[dict[str, Any]]) -> list[str]:
    """Return the systems that were measured before labeltree was."""
    ours = next((one for one in systems if is_ours(one)), None)
    if ours is None:
        return []
    return [one["system"] for one in systems if not is_ours(one) and not is_one_run(ours, one)]

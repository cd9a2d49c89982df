"""What parts need, and whether this machine has it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

from benchmarks.figures.parts import Part

_SET = "X.trn.npz"
CHANGELOGS = Path("/usr/share/doc")


def why_not(part: Part, data: Path | None, python: Path) -> str | None:
    """Return why a part cannot run here; None if it can."""
    for name in part.data_sets():
        if data is None:
            return "no folder of data sets is given (--data)"
        if not (data / name / _SET).exists():
            return f"there is no data set {name}"
    for word in part.arguments:
        if word.startswith("/") and not Path(word).exists():
            return f"there is no {word}"
    reasons = (KNOWN[need](python) for need in part.needs)
    return next((reason for reason in reasons if reason), None)


def _installed(package: str) -> Callable[[Path], str | None]:
    @cache
    def reason(python: Path) -> str | None:
        done = subprocess.run(
            [str(python), "-c", f"import {package}"], capture_output=True, check=False
        )
        return f"{package} is not installed (--extras)" if done.returncode else None

    return reason


def _program(name: str, what: str) -> Callable[[Path], str | None]:
    return lambda python: None if shutil.which(name) else f"there is no {what}"


def _has_two_cores(python: Path) -> str | None:
    n_cores = len(os.sched_getaffinity(0))
    return None if n_cores > 1 else "it needs two cores, but may use one"


def _has_changelogs(python: Path) -> str | None:
    is_there = any(CHANGELOGS.glob("*/changelog*.gz"))
    return None if is_there else f"there are no Debian changelogs below {CHANGELOGS}"


#: By name: a function of the interpreter that returns what is missing.
KNOWN: dict[str, Callable[[Path], str | None]] = {
    "gpu": _program("nvidia-smi", "GPU"),
    "wrk": _program("wrk", "program wrk"),
    "two cores": _has_two_cores,
    "changelogs": _has_changelogs,
    "ray": _installed("ray"),
    # Environments of other systems are created when they are missing.
    "rivals": lambda python: None,
}
